import Conversation
import Formats
import WSCore

// The words of failures, and of ends that are no failures.

extension Failure {
    /// Why the server cannot listen on an address, and what to try.
    static func words(forListeningOn address: String, _ error: IOError) -> String {
        let isPath = address.hasPrefix("unix:")
        return switch error {
        case .addressInUse where isPath: "\(error); is another server running? If not, delete the socket file"
        case .noSuchFile where isPath:
            "no such directory: \(File.directory(of: String(address.dropFirst("unix:".count)))); create it first"
        case .addressInUse: "\(error); is another server running? Port 0 picks a free port"
        case .addressNotAvailable: "\(error); use an address of this machine"
        // Linux reserves the ports below 1024 by default.
        case .accessDenied: "\(error); use a port above 1023, or a directory that you can write to"
        default: "\(error)"
        }
    }

    /// The option that raises the exceeded limit, as a clause after the error.
    package static func remedy(for error: ProtocolError) -> String {
        switch error {
        case .messageTooBig: "; raise --max-message-size to accept it"
        case .tooManyFragments: "; raise --max-fragments to accept it"
        default: ""
        }
    }

    /// The remedy for a close code, as a clause after its words.
    static func remedy(for frame: CloseFrame) -> String {
        // The code of GraphQL servers, after the HTTP status 406.
        frame.code?.rawValue == 4406
            ? "; a GraphQL server requires another subprotocol: check --subprotocol or --protocol" : ""
    }

    /// The shortest time after which proxies usually drop an idle connection.
    private static let idleLimit = Duration.seconds(10)

    /// The likely cause of the end of a connection after the peer was silent, as a clause.
    static func words(forSilence silence: Duration) -> String {
        guard silence >= idleLimit else { return "" }
        return ", \(Phrase.duration(.seconds(silence.components.seconds))) after its last data; a proxy may drop idle "
            + "connections: use --heartbeat with a shorter interval"
    }

    /// How a wait after the end of the input ended, as a clause.
    static func words(forEndOf linger: Linger) -> String {
        switch linger {
        case .total(let limit):
            " within \(Phrase.duration(limit)) of the end of the input; raise --linger or --timeout to wait longer"
        case let linger where linger.limit == .zero: " at the end of the input (--linger 0)"
        case let linger: "; nothing arrived for \(Phrase.duration(linger.limit ?? .zero)) (--linger)"
        }
    }

    /// The number of requests without a reply: `2 requests were not answered`.
    package static func words(forUnanswered count: Int) -> String {
        "\(Phrase.count(count, "request")) \(count == 1 ? "was" : "were") not answered"
    }

    /// A message, shortened and in printable form.
    package static func words(forMessage payload: [UInt8], as kind: MessageKind) -> String {
        guard kind == .text else { return "a binary message (\(Phrase.count(payload.count, "byte")))" }
        return "the message \(quoted(String(decoding: payload, as: UTF8.self)))"
    }

    /// A line that is given up, in printable form.
    package static func words(forLine line: Line) -> String {
        line.origin == .renewal
            ? "renewing \(quoted(String(decoding: line.payload, as: UTF8.self)))"
            : words(forMessage: line.payload, as: line.kind)
    }

    /// How a connection ended: `closed with 1000`.
    static func words(forEndWith code: CloseCode) -> String {
        switch code {
        case .abnormalClosure: "lost without a close frame"
        case .noStatus: "closed without a code"
        case let code: "closed with \(code.rawValue)"
        }
    }

    /// How a connection ended, and who ended it: `the peer closed it: 4001 "expired"`.
    package static func words(forEnd end: ConnectionEnd) -> String {
        guard let received = end.closing.received, !end.closing.wasStartedHere else {
            let lost = end.closing.received == nil ? end.failure.map { "the connection was lost: \($0)" } : nil
            return lost ?? words(forEndWith: end.code)
        }
        return "the peer closed it: \(words(for: received))"
    }

    /// A received close frame: `4403 (forbidden) "wrong token"`.
    /// - Parameter meaning: The meaning of the code in an application protocol, or `nil` for the usual one.
    static func words(for frame: CloseFrame, meaning: String? = nil) -> String {
        guard let code = frame.code else { return "no code" }
        let meaning = (meaning ?? code.meaning).map { " (\($0))" } ?? ""
        return "\(code.rawValue)\(meaning)" + (frame.reason.isEmpty ? "" : " \(quoted(frame.reason))")
    }

    /// A line followed by a clause, or by a sentence if the line ends with a question.
    package static func joined(_ line: String, _ clause: String) -> String {
        guard line.hasSuffix("?") else { return "\(line); \(clause)" }
        return "\(line) \(clause.prefix(1).uppercased())\(clause.dropFirst())"
    }
}
