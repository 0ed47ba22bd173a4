import Conversation
import WSCore

/// The first messages, heartbeats, and automatic answers of the options.
///
///     begin ─► first messages ─► ready ─► heartbeat ─┐
///                                            ▲       │ interval
///                                            └───────┘
internal final class RuleExchange: ConnectionExchange {
    private var exchange: AutomaticExchange
    /// The time between heartbeats in nanoseconds, or `nil` if there are none.
    private let heartbeatInterval: UInt64?
    /// When the next heartbeat is due, on the loop's clock in nanoseconds, or `nil` before the end of the login.
    private var heartbeatTime: UInt64?

    /// Prepares the exchange of a connection.
    /// - Parameter number: The number of the connection, from 0.
    init(_ rules: AutomaticExchange.Rules, number: UInt64, in context: LoadContext) {
        exchange = AutomaticExchange(rules, seed: context.seed(of: number))
        heartbeatInterval = rules.heartbeatInterval.map(\.wholeNanoseconds)
        context.prepare(&exchange.variables, of: number)
        exchange.begin(connection: number + 1, sentCount: context.earlier(number).automaticCount)
        super.init(in: context)
    }

    override var isReady: Bool { exchange.isReady }
    override var deadline: UInt64? { heartbeatTime }
    override var automaticCount: UInt64 { exchange.sentCount }

    override func begin(on connection: LoadConnection, in context: LoadContext) {
        do throws(TemplateValueError) {
            try exchange.sendFirstMessages(at: context.wallTime) { payload in
                _ = connection.transmit(payload, as: .text)
            }
        } catch {
            // First messages insert only values that exist; see ``AutomaticExchange/Plan``.
            preconditionFailure("a first message cannot be written: \(error)")
        }
        if isReady { startHeartbeats(on: connection, in: context) }
    }

    override func receive(
        _ payload: RawSpan, as kind: MessageKind, on connection: LoadConnection, in context: LoadContext
    ) -> Bool {
        let finding: AutomaticExchange.Finding
        do throws(TemplateValueError) {
            finding = try exchange.receive(payload, at: context.wallTime) {
                _ = connection.transmit($0, as: .text)
            }
        } catch {
            // A message that cannot be answered, because a value is missing, is not handled.
            return false
        }
        if finding == .ready {
            context.becameReady(connection, since: startTime)
            startHeartbeats(on: connection, in: context)
        }
        return finding != .none
    }

    // MARK: Heartbeats

    override func startHeartbeats(on connection: LoadConnection, in context: LoadContext) {
        guard let heartbeatInterval, !connection.isLoggingIn else { return }
        heartbeatTime = context.now + heartbeatInterval
        context.awaitDeadline(of: connection)
    }

    override func timePassed(on connection: LoadConnection, in context: LoadContext) {
        guard let heartbeatInterval, let time = heartbeatTime, time <= context.now else { return }
        // If this end is late, heartbeats are skipped rather than sent in a burst.
        let next = time + heartbeatInterval
        heartbeatTime = next > context.now ? next : context.now + heartbeatInterval
        // A full connection shows activity without a heartbeat.
        guard connection.hasRoom, !connection.isClosing else { return }
        do throws(TemplateValueError) {
            try exchange.sendHeartbeat(at: context.wallTime) { payload in
                _ = connection.transmit(payload, as: .text)
            }
        } catch {
            // Heartbeats insert only values that exist; see ``AutomaticExchange/Plan``.
            preconditionFailure("a heartbeat cannot be written: \(error)")
        }
    }
}
