import Conversation
import WSCore

/// The first messages and automatic answers on one connection of a load test.
public final class ConnectionExchange {
    private var exchange: AutomaticExchange
    /// The time at which the connection was opened, on the loop's clock in nanoseconds.
    internal let startTime: UInt64

    /// Prepares the exchange of a connection.
    /// - Parameter number: The number of the connection, from 0.
    internal init(_ rules: AutomaticExchange.Rules, number: UInt64, startTime: UInt64) {
        exchange = AutomaticExchange(rules, seed: number)
        exchange.begin(connection: number + 1)
        self.startTime = startTime
    }

    /// Whether the server is ready, so the load may begin.
    internal var isReady: Bool { exchange.isReady }

    /// Sends the first messages.
    /// - Parameter time: The time in milliseconds since 1970.
    fileprivate func begin(on connection: LoadConnection, at time: UInt64) {
        do throws(TemplateValueError) {
            try exchange.sendFirstMessages(at: time) { payload in
                _ = connection.port?.send(payload, as: .text)
            }
        } catch {
            // First messages insert only values that exist; see ``AutomaticExchange/Plan``.
            preconditionFailure("a first message cannot be written: \(error)")
        }
    }

    /// Handles a received message. A message that cannot be answered, because a value is missing, is not handled.
    fileprivate func receive(_ payload: RawSpan, at time: UInt64, outbox: inout Outbox) -> AutomaticExchange.Finding {
        do throws(TemplateValueError) {
            return try exchange.receive(payload, at: time) { outbox.send($0, as: .text) }
        } catch {
            return .none
        }
    }
}

extension LoadContext {
    /// Prepares the exchange of a connection that is being opened, if there is one.
    public func prepareExchange(of connection: LoadConnection) {
        guard let exchangeRules else { return }
        connection.exchange = ConnectionExchange(exchangeRules, number: connection.number, startTime: now)
    }

    /// Sends the first messages on a connection that has been opened.
    public func beginExchange(on connection: LoadConnection) {
        guard let exchange = connection.exchange else { return }
        exchange.begin(on: connection, at: wallTime)
        if !exchange.isReady { openingExchanges.insert(connection.number) }
    }

    /// Handles a received message that is neither a reply nor a delivery.
    /// - Returns: Whether the message is part of the connection's exchange.
    internal func takesIntoExchange(
        _ payload: RawSpan, on connection: LoadConnection, outbox: inout Outbox
    ) -> Bool {
        guard let exchange = connection.exchange else { return false }
        switch exchange.receive(payload, at: wallTime, outbox: &outbox) {
        case .none: return false
        case .opening, .answered: return true
        case .ready:
            openingExchanges.remove(connection.number)
            measurement.loggedIn(nanoseconds: now - exchange.startTime)
            if openingExchanges.isEmpty { host?.wakeSoon() }
            return true
        }
    }

    /// Handles the end of a connection.
    public func exchangeEnded(on connection: LoadConnection) {
        openingExchanges.remove(connection.number)
    }

    /// The connections that have waited for their server to be ready since a time or longer.
    public func lateExchanges(before time: UInt64) -> [LoadConnection] {
        openingExchanges.compactMap { connections[$0] }.filter { $0.exchange.map { $0.startTime < time } ?? false }
    }

    /// The time in milliseconds since 1970.
    private var wallTime: UInt64 { (now &+ clockOffset) / 1_000_000 }
}
