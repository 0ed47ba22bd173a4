import Formats
import WSCore

/// A typed line of ``StompSession``: `SEND persistent:true /queue/a hello`.
struct StompLine {
    static let commands = [
        "SEND", "SUBSCRIBE", "UNSUBSCRIBE", "ACK", "NACK", "BEGIN", "COMMIT", "ABORT", "DISCONNECT",
    ]

    let command: String
    /// The headers before the destination.
    private(set) var headers: [(name: String, value: String)] = []
    /// The destination, or the argument of other commands.
    private(set) var argument: String?
    private(set) var body: [UInt8] = []

    subscript(name: String) -> String? { headers.first { $0.name == name }?.value }

    init(_ line: RawSpan) throws(ProtocolInputError) {
        var line = TypedLine(line)
        if line.next == UInt8(ascii: "/") || line.next == UInt8(ascii: "\"") {
            command = "SEND"
        } else {
            let word = line.word() ?? ""
            command = word.uppercased()
            guard Self.commands.contains(command) else {
                throw ProtocolInputError("unknown command \(quoted(word)); write: SEND /queue/a hello")
            }
        }
        while argument == nil, line.next != UInt8(ascii: "/"), line.next != UInt8(ascii: "\"") {
            let word = line.nextWord
            guard let colon = word.firstIndex(of: ":"), colon > word.startIndex else { break }
            _ = line.word()
            let (name, value) = (String(word[..<colon]), String(word[word.index(after: colon)...]))
            if name == "destination" { argument = value } else { headers.append((name, value)) }
        }
        if argument == nil, !line.isAtEnd {
            argument = try line.name("the argument", "write \(Self.form(of: command))")
        }
        guard argument != nil || command == "DISCONNECT" else {
            let examples = [
                "ACK": "ACK 7", "NACK": "NACK 7", "BEGIN": "BEGIN tx", "COMMIT": "COMMIT tx", "ABORT": "ABORT tx",
            ]
            throw ProtocolInputError("\(command) needs an argument: \(examples[command] ?? "\(command) /queue/a")")
        }
        body = line.rest
        guard command == "SEND" || body.isEmpty else {
            throw ProtocolInputError(
                "unexpected text after \(quoted(argument ?? "")); headers come first: \(command) NAME:VALUE …")
        }
    }

    private static func form(of command: String) -> String {
        switch command {
        case "SEND": "SEND DESTINATION [BODY], as in: SEND /queue/a hello"
        case "SUBSCRIBE", "UNSUBSCRIBE": "\(command) DESTINATION"
        case "BEGIN", "COMMIT", "ABORT": "\(command) TRANSACTION"
        default: "\(command) ID"
        }
    }
}
