import Conversation
import WSCore

/// The first messages and automatic answers of the options.
internal final class RuleExchange: ConnectionExchange {
    private var exchange: AutomaticExchange

    /// Prepares the exchange of a connection.
    /// - Parameter number: The number of the connection, from 0.
    init(_ rules: AutomaticExchange.Rules, number: UInt64, in context: LoadContext) {
        exchange = AutomaticExchange(rules, seed: number)
        context.prepare(&exchange.variables, of: number)
        exchange.begin(connection: number + 1)
        super.init(in: context)
    }

    override var isReady: Bool { exchange.isReady }

    override func begin(on connection: LoadConnection, in context: LoadContext) {
        do throws(TemplateValueError) {
            try exchange.sendFirstMessages(at: context.wallTime) { payload in
                _ = connection.port?.send(payload, as: .text)
            }
        } catch {
            // First messages insert only values that exist; see ``AutomaticExchange/Plan``.
            preconditionFailure("a first message cannot be written: \(error)")
        }
    }

    override func receive(
        _ payload: RawSpan, as kind: MessageKind, on connection: LoadConnection, in context: LoadContext,
        outbox: inout Outbox
    ) -> Bool {
        let finding: AutomaticExchange.Finding
        do throws(TemplateValueError) {
            finding = try exchange.receive(payload, at: context.wallTime) { outbox.send($0, as: .text) }
        } catch {
            // A message that cannot be answered, because a value is missing, is not handled.
            return false
        }
        if finding == .ready { context.becameReady(connection, since: startTime) }
        return finding != .none
    }
}
