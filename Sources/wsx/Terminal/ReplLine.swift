import WSCore

/// A line typed into the REPL.
enum ReplLine: Equatable {
    /// A message to be sent.
    case message([UInt8])
    case ping([UInt8])
    case pong([UInt8])
    case close(CloseFrame)
    case help
    case quit
    /// A command that cannot be carried out, and why.
    case mistake(String)

    /// The commands: what to type, and what it does.
    static let commands: [(usage: String, summary: String)] = [
        ("/ping [TEXT]", "send a ping"),
        ("/pong [TEXT]", "send a pong that answers no ping"),
        ("/close [CODE [REASON]]", "begin the closing handshake"),
        ("/help", "list the commands"),
        ("/quit", "close the connection and leave, like Ctrl-D"),
    ]

    /// Reads a line: one that begins with a slash is a command, with two slashes a message that begins with one.
    init(_ line: [UInt8]) {
        guard line.first == UInt8(ascii: "/") else {
            self = .message(line)
            return
        }
        let rest = Array(line.dropFirst())
        guard rest.first != UInt8(ascii: "/") else {
            self = .message(rest)
            return
        }
        let words = rest.split(separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(decoding: words[0], as: UTF8.self)
        let argument = words.count > 1 ? Array(words[1]) : []
        switch name {
        case "ping": self = Self.control(argument, of: name) { .ping($0) }
        case "pong": self = Self.control(argument, of: name) { .pong($0) }
        case "close": self = Self.close(String(decoding: argument, as: UTF8.self))
        case "help": self = .help
        case "quit": self = .quit
        default: self = .mistake(Self.unknown(name))
        }
    }

    /// The text that `/help` shows.
    static var helpText: String {
        let width = commands.map(\.usage.count).max() ?? 0
        let lines = commands.map { command in
            let padding = String(repeating: " ", count: width - command.usage.count + 2)
            return command.usage + padding + command.summary + "\n"
        }
        return lines.joined() + "Anything else is sent as a message; //TEXT sends /TEXT.\n"
    }

    private static func control(_ payload: [UInt8], of name: String, _ make: ([UInt8]) -> ReplLine) -> ReplLine {
        guard payload.count <= FrameHeader.maximumControlPayloadBytes else {
            return .mistake("/\(name): the text is longer than 125 bytes")
        }
        return make(payload)
    }

    private static func close(_ argument: String) -> ReplLine {
        guard !argument.isEmpty else { return .close(CloseFrame(code: .normalClosure)) }
        let words = argument.split(separator: " ", maxSplits: 1)
        let word = words.first.map(String.init) ?? ""
        let code: CloseCode
        do throws(ValueProblem) {
            code = CloseCode(rawValue: try CloseCodeValue.parse(word))
        } catch {
            return .mistake(
                "/close: '\(escapingControls(word))' is no code that may be sent; 1000 through 1003, 1007 through 1011 and 3000 through 4999 may"
            )
        }
        let reason = words.count > 1 ? String(words[1]) : ""
        guard reason.utf8.count <= CloseFrame.maximumReasonBytes else {
            return .mistake("/close: the reason is longer than \(CloseFrame.maximumReasonBytes) bytes")
        }
        return .close(CloseFrame(code: code, reason: reason))
    }

    private static func unknown(_ name: String) -> String {
        let names = commands.map { String($0.usage.dropFirst().prefix { $0 != " " }) }
        let nearest = EditDistance.nearest(to: name, among: names)
        let shown = escapingControls(name)
        let hint = nearest.map { "did you mean '/\($0)'?" } ?? "/help lists the commands; //\(shown) sends it"
        return "unknown command '/\(shown)'; \(hint)"
    }
}
