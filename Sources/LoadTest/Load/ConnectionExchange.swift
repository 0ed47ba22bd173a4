import Conversation
import WSCore

/// Handles the login, keepalives, and automatic answers of a connection.
///
///     connection ─► receive ─► LoadConnection.received(_:in:), or nothing, or the message itself ─► workload
///     connection ◄─ send ◄─ workload
package class ConnectionExchange {
    /// The time at which the connection was opened, on the loop's clock in nanoseconds.
    internal final let startTime: UInt64

    /// Prepares the exchange of a connection that is open.
    internal init(in context: LoadContext) {
        startTime = context.now
    }

    /// Whether the server is ready, so the load may begin.
    package var isReady: Bool { true }
    /// When ``timePassed(on:in:)`` has to be called next, on the loop's clock in nanoseconds, or `nil` for never.
    internal var deadline: UInt64? { nil }
    /// The meaning of a close code, or `nil` for codes that the exchange does not define.
    package func meaning(of code: CloseCode) -> String? { nil }

    /// The number of messages with placeholders that have been sent under the number of the connection, also on earlier
    /// connections.
    internal var automaticCount: UInt64 { 0 }

    /// Sends the first messages. Messages may already have been received.
    internal func begin(on connection: LoadConnection, in context: LoadContext) {}

    /// Starts the heartbeats, if there are any, unless the connection is still logging in.
    internal func startHeartbeats(on connection: LoadConnection, in context: LoadContext) {}

    /// Handles a received message that is neither an echo nor a delivery.
    /// - Returns: Whether nothing is left to do for the workload.
    internal func receive(
        _ payload: RawSpan, as kind: MessageKind, on connection: LoadConnection, in context: LoadContext
    ) -> Bool { false }

    /// Reports the last message if it could not be decoded, because the workload did not expect it.
    internal func messageWasUnexpected(on connection: LoadConnection, in context: LoadContext) {}

    /// Handles the deadline.
    internal func timePassed(on connection: LoadConnection, in context: LoadContext) {}

    /// Handles events that resulted from a message of the workload.
    internal func finishTurn(on connection: LoadConnection, in context: LoadContext) {}

    /// Sends a message of the workload, which then calls ``LoadContext/awaitDeadline(of:)``.
    /// - Parameter wantsReply: Whether the workload waits for a reply.
    /// - Returns: `nil` if the connection is closing.
    /// - Throws: ``ProtocolInputError``. Nothing has been sent.
    internal func send(
        _ payload: RawSpan, as kind: MessageKind, wantsReply: Bool, on connection: LoadConnection,
        in context: LoadContext
    ) throws(ProtocolInputError) -> SentMessage? {
        connection.transmit(payload, as: kind) ? SentMessage(replyKey: nil) : nil
    }

    /// A message that has been sent.
    internal struct SentMessage {
        /// The key of its reply, or `nil` if it has none.
        let replyKey: ProtocolEvent.ReplyKey?
    }
}

extension LoadContext {
    /// Sends the first messages on a connection that has been opened.
    package func beginExchange(on connection: LoadConnection) {
        connection.exchange?.begin(on: connection, in: self)
    }

    /// Handles a received message that is neither a reply nor a delivery.
    /// - Returns: Whether nothing is left to do for the workload.
    @inline(__always)
    internal func takesIntoExchange(
        _ payload: RawSpan, as kind: MessageKind, on connection: LoadConnection
    ) -> Bool {
        guard let exchange = connection.exchange else { return false }
        return exchange.receive(payload, as: kind, on: connection, in: self)
    }

    /// Sends a message that needs no reply through the exchange of a connection. Reports one that cannot be sent.
    /// - Returns: Whether it was sent.
    internal func send(
        _ payload: RawSpan, as kind: MessageKind, on connection: LoadConnection, through exchange: ConnectionExchange
    ) -> Bool {
        guard connection.hasRoom else { return false }
        do throws(ProtocolInputError) {
            let sent = try exchange.send(payload, as: kind, wantsReply: false, on: connection, in: self)
            guard sent != nil else { return false }
        } catch {
            host?.protocolFailed(on: connection, because: .unsendable(error.description))
            return false
        }
        awaitDeadline(of: connection)
        return true
    }

    /// The connections that have waited for their server to be ready since a time or longer.
    package func lateExchanges(before time: UInt64) -> [LoadConnection] {
        arrivals.unready.compactMap { connections[$0] }.filter {
            $0.exchange.map { !$0.isReady && $0.startTime < time } ?? false
        }
    }

    /// The time in milliseconds since 1970.
    internal var wallTime: UInt64 { (now &+ clockOffset) / 1_000_000 }
}
