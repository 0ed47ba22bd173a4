import Conversation
import Formats
import UserInterface
import WSCore

/// Greets a client of `wsx listen` and answers its messages, for servers with `--first-message` or `--answer`.
final class ClientReplies {
    private let pipeline: Pipeline
    private let number: Int
    private let loop: EventLoop
    private let diagnostics: Diagnostics
    private let send: (RawSpan) -> Void

    /// Prepares the replies to a newly accepted client.
    /// - Parameter send: Sends a text message to the client, and records and shows it.
    init(
        _ rules: AutoReply.Rules, client number: Int, on loop: EventLoop, diagnostics: Diagnostics,
        send: @escaping (RawSpan) -> Void
    ) {
        pipeline = Pipeline(
            answers: AutoReply(rules, seed: .random(in: .min ... .max)), clockOffset: loop.clockOffset)
        pipeline.opened(UInt64(number), subprotocol: nil, now: loop.nowNanoseconds)
        self.number = number
        self.loop = loop
        self.diagnostics = diagnostics
        self.send = send
    }

    /// Greets the client at the end of the turn, or before its first answer: the response to its request is sent first.
    func begin() {
        loop.atEndOfTurn(self)
    }

    /// Answers a message if a rule matches.
    /// - Returns: Whether the message was answered.
    func answers(_ payload: RawSpan) -> Bool {
        var isAnswered = false
        pipeline.clockOffset = loop.clockOffset
        pipeline.received(payload, as: .text, at: loop.nowNanoseconds) { _, _, role, _ in isAnswered = role == .answered
        }
        endTurn()
        return isAnswered
    }
}

extension ClientReplies: EndOfTurnWork {
    /// Sends first messages and answers.
    func endTurn() {
        while let effect = pipeline.next() {
            switch effect {
            case .send(let payload, _, _): send(payload.span.bytes)
            case .unanswered(let error):
                diagnostics.error("a message of client \(number) was not answered (--answer): \(error)")
            case .notGreeted(let error):
                diagnostics.error("client \(number) was not greeted (--first-message): \(error)")
            // There is neither an application protocol nor a login.
            default: break
            }
        }
    }
}
