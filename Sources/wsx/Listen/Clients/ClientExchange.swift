import Conversation
import Formats
import WSCore

/// Greets a client of `wsx listen` and answers its messages, for servers with `--first-message` or `--answer`.
final class ClientExchange {
    /// The server as the exchange sees it.
    protocol Host: AnyObject {
        /// The loop that everything runs on.
        var loop: EventLoop { get }
        /// Sends a text message to a client, and records and shows it.
        func answer(_ client: Int, with payload: RawSpan)
    }

    private var exchange: AutomaticExchange
    private let number: Int
    private unowned let host: any Host
    private let console: Console
    private var hasGreeted = false

    /// Prepares the exchange of a newly accepted client.
    init(_ rules: AutomaticExchange.Rules, client number: Int, of host: any Host, console: Console) {
        exchange = AutomaticExchange(rules, seed: .random(in: .min ... .max))
        exchange.begin(connection: UInt64(number))
        self.number = number
        self.host = host
        self.console = console
    }

    /// Greets the client at the end of the turn, or before its first answer: the response to its request is sent first.
    func begin() {
        host.loop.atEndOfTurn(self)
    }

    /// Answers a message if a rule matches.
    /// - Returns: Whether the message was answered.
    func answers(_ payload: RawSpan) -> Bool {
        greet()
        do throws(TemplateValueError) {
            return try exchange.receive(payload, at: WallTime.now.millisecondsSinceEpoch, send: send) == .answered
        } catch {
            console.error("a message of client \(number) was not answered (--answer): \(error)")
            return false
        }
    }

    private func send(_ payload: RawSpan) { host.answer(number, with: payload) }

    /// Sends the first messages once.
    private func greet() {
        guard !hasGreeted else { return }
        hasGreeted = true
        do throws(TemplateValueError) {
            try exchange.sendFirstMessages(at: WallTime.now.millisecondsSinceEpoch, send: send)
        } catch {
            console.error("client \(number) was not greeted (--first-message): \(error)")
        }
    }
}

extension ClientExchange: EndOfTurnWork {
    /// Greets the client.
    func endTurn() { greet() }
}
