import Conversation
import WSCore

/// A fake application protocol. The first word of a received message says what happens:
///
///     welcome           the server is ready
///     event TEXT        an event
///     reply KEY TEXT    the reply to a request; `error KEY TEXT` is an error
///     ping              a hidden event, answered with `pong`
///     refusal, notice   an event with this role
///     refuse, lost      the end of the connection
///
/// Other messages are not understood. Lines are sent as `KEY:LINE`, without a key for `silent`; `bad` is not sent.
final class ScriptedSession: ProtocolSession {
    private var nextKey = 1
    private(set) var deadline: UInt64?
    /// The time between heartbeats in nanoseconds, or `nil` for none.
    private let interval: UInt64?

    init(interval: UInt64? = nil) {
        self.interval = interval
    }

    func connectionOpened(subprotocol: String?, at now: UInt64, _ output: inout ProtocolOutput) {
        output.append(.send(Array("login".utf8), .text))
        deadline = interval.map { now + $0 }
    }

    func received(_ payload: RawSpan, as kind: MessageKind, at now: UInt64, _ output: inout ProtocolOutput) {
        let words = payload.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            .split(separator: " ", maxSplits: 2).map { String($0) }
        let text = Array((words.last ?? "").utf8)
        switch words.first {
        case "welcome": output.append(.ready)
        case "event": output.append(.event(ProtocolEvent(.event(), name: "news", payload: text)))
        case "reply": output.append(.event(ProtocolEvent(.reply(words[1], isError: false), payload: text)))
        case "error": output.append(.event(ProtocolEvent(.reply(words[1], isError: true), payload: text)))
        case "ping":
            output.append(.event(ProtocolEvent(.hidden, name: "ping")))
            output.append(.send(Array("pong".utf8), .text))
        case "refusal": output.append(.event(ProtocolEvent(.refusal, name: "no", payload: text)))
        case "notice": output.append(.event(ProtocolEvent(.notice, name: "yes")))
        case "refuse": output.append(.failure("wrong token"))
        case "lost": output.append(.disconnect("silence"))
        default: output.append(.unknown(reason: "no word"))
        }
    }

    func send(
        _ line: RawSpan, wantsReply: Bool, at now: UInt64, _ output: inout ProtocolOutput
    ) throws(ProtocolInputError) -> ProtocolEvent.ReplyKey? {
        let text = line.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        guard !text.hasPrefix("bad") else { throw ProtocolInputError("write something good") }
        guard wantsReply, !text.hasPrefix("silent") else {
            output.append(.send(Array(text.utf8), .text))
            return nil
        }
        defer { nextKey += 1 }
        output.append(.send(Array("\(nextKey):\(text)".utf8), .text))
        return "\(nextKey)"
    }

    func timePassed(at now: UInt64, _ output: inout ProtocolOutput) {
        output.append(.send(Array("beat".utf8), .text))
        deadline = interval.map { now + $0 }
    }
}
