import Formats
import Testing
import WSCore

@testable import Connect
@testable import Listen
@testable import UserInterface

@Suite struct PromptLineTests {
    /// A prompt that records the calls of its commands.
    private final class Recorder {
        var calls: [String] = []
    }

    private static let commands: [PromptCommand<Recorder>] = [
        PromptCommand("ping", "[TEXT]", "send", in: .sending, reading: PromptArgument.controlPayload) {
            $0.calls.append("ping \($1)")
        },
        PromptCommand("show", "[N]", "show", in: .messages, reading: PromptArgument.optionalMessageNumber) {
            $0.calls.append("show \($1 ?? 0)")
        },
        PromptCommand("help", "[COMMAND]", "explain", in: .prompt, reading: PromptArgument.optionalText) {
            $0.calls.append("help \($1 ?? "-")")
        },
        PromptCommand("quit", "leave", in: .prompt) { $0.calls.append("quit") },
    ]

    /// The message of a line, or the call of its command.
    private static func outcome(of line: [UInt8]) -> String {
        switch PromptLine(line, commands: commands) {
        case .message(let bytes): return "message \(bytes)"
        case .empty: return "empty"
        case .mistake(let why): return "mistake \(why)"
        case .call(let call, of: let command):
            let recorder = Recorder()
            call(recorder)
            return recorder.calls.joined() + (command.name == "ping" ? "" : " by /\(command.name)")
        }
    }

    @Test(
        "A line is a message or a command",
        arguments: [
            ("a", "message [97]"), ("", "empty"), (" /a", "message [32, 47, 97]"), ("//a", "message [47, 97]"),
            ("//", "message [47]"), ("/ping", "ping []"), ("/ping ", "ping []"), ("/ping a", "ping [97]"),
            ("/ping  a ", "ping [32, 97, 32]"), ("/ping\na\nb", "ping [97, 10, 98]"), ("/quit", "quit by /quit"),
            ("/exit", "quit by /quit"), ("/q", "quit by /quit"), ("/h", "help - by /help"),
            ("/help  ping ", "help ping by /help"), ("/show 17", "show 17 by /show"), ("/17", "show 17 by /show"),
            ("/show", "show 0 by /show"), ("/show x", "mistake /show: 'x' is not a message number; usage: /show [N]"),
            ("/quit\nfoo", "mistake /quit: unexpected text 'foo'; usage: /quit"),
        ])
    func lines(line: String, expected: String) {
        #expect(Self.outcome(of: Array(line.utf8)) == expected)
    }

    @Test(
        "The error for an invalid command states the reason and the usage",
        arguments: [
            ("/quit\nfoo", "/quit: unexpected text 'foo'; usage: /quit"),
            ("/file text", "/file: the file name is missing; usage: /file [text|binary] FILE"),
            ("/info x", "/info: unexpected text 'x'; usage: /info"),
            ("/connect", "/connect: the URL is missing; usage: /connect URL"),
            (
                "/call sub a",
                "/call: 'sub' is a saved message, so expected NAME=VALUE after it, but got 'a'; usage: /call [NAME [KEY=VALUE...]]"
            ),
            (#"/call sub a="b"#, "/call: a quote is not closed; usage: /call [NAME [KEY=VALUE...]]"),
            ("/call sub a=1 a=2", "/call: 'a' has two values; usage: /call [NAME [KEY=VALUE...]]"),
            ("/", "unknown command '/'; /help lists the commands; // sends it"),
            ("/pnig", "unknown command '/pnig'; did you mean '/ping'?"),
            ("/etc/passwd", "unknown command '/etc/passwd'; /help lists the commands; //etc/passwd sends it"),
            (
                "/close soon",
                "/close: 'soon' is not a close code (1000 to 1003, 1007 to 1014, or 3000 to 4999); usage: /close [CODE [REASON]]"
            ),
            (
                "/close 70000",
                "/close: '70000' is not a close code (1000 to 1003, 1007 to 1014, or 3000 to 4999); usage: /close [CODE [REASON]]"
            ),
            (
                "/close 1006",
                "/close: '1006' is not a close code (1000 to 1003, 1007 to 1014, or 3000 to 4999); usage: /close [CODE [REASON]]"
            ),
            (
                "/repeat often",
                "/repeat: expected a count such as 10 or 5k, and optionally an interval such as 500ms; usage: /repeat N [INTERVAL]"
            ),
            ("/binary ff", "/binary: expected hex or base64 and the bytes; usage: /binary hex|base64 BYTES"),
            ("/binary hex 0g", "/binary: invalid hex at character 2; usage: /binary hex|base64 BYTES"),
            ("/binary hex 0", "/binary: incomplete hex; usage: /binary hex|base64 BYTES"),
            (
                "/history (",
                "/history: invalid regular expression '(': missing closing parenthesis at the end; usage: /history [N|REGEX]"
            ),
            (#"/send"#, #"/send: the text is missing ("" sends an empty message); usage: /send TEXT"#),
            (
                "/decode exec:jq",
                "/decode: expected auto, msgpack, cbor, json, zlib-stream, gzip, deflate, text, lines, split:TEXT, array, length:TYPE, skip:N, protobuf, protobuf:SCHEMA, or off, but got 'exec:jq'; usage: /decode [CODEC...|off]"
            ),
            ("/show it", "/show: 'it' is not a message number; usage: /show [N] [| COMMAND]"),
            ("/show -1", "/show: '-1' is not a message number; usage: /show [N] [| COMMAND]"),
            ("/save", "/save: the file name is missing; usage: /save FILE [N]"),
            ("/diff maybe", "/diff: 'maybe' is neither on nor off; usage: /diff [on|off]"),
            ("/pretty maybe", "/pretty: 'maybe' is not fit, full, or off; usage: /pretty [fit|full|off]"),
            ("/status maybe", "/status: 'maybe' is neither on nor off; usage: /status [on|off]"),
            ("/tail 0", "/tail: '0' is not a number of messages; usage: /tail [N]"),
            ("/time now", "/time: 'now' is not local, utc, relative, or off; usage: /time [local|utc|relative|off]"),
            (
                "/ping " + String(repeating: "x", count: 126),
                "/ping: the text is longer than 125 bytes; usage: /ping [TEXT]"
            ),
            (
                "/close 1000 " + String(repeating: "x", count: 124),
                "/close: the reason is longer than 123 bytes; usage: /close [CODE [REASON]]"
            ),
        ])
    func mistakes(line: String, why: String) {
        #expect(Self.mistake(in: line, ConnectCommands.all) == why)
    }

    @Test("Invalid UTF-8 is left to the caller, and control characters in a name are escaped")
    func hostile() {
        #expect(Self.outcome(of: [0xFF, 0xFE]) == "message [255, 254]")
        #expect(Self.outcome(of: Array("/ping ".utf8) + [0xFF]) == "ping [255]")
        let why = Self.outcome(of: Array("/\u{1B}[2J".utf8))
        #expect(why.hasPrefix("mistake ") && why.unicodeScalars.allSatisfy { !$0.isInvisible })
    }

    @Test("Each prompt has its commands and those of all prompts, in the order of help")
    func commandsOfPrompts() {
        let connect = ConnectCommands.all.map(\.description.name)
        let listen = ListenCommands.all(isRelay: false).map(\.description.name)
        let relay = ListenCommands.all(isRelay: true).map(\.description.name)
        #expect(Set(SharedCommands.all.map(\.description.name)) == Set(connect).intersection(relay))
        #expect(Set(listen).subtracting(connect) == ["clients", "only"])
        #expect(Set(relay).subtracting(listen) == ["to"])
        #expect(
            connect.joined(separator: " ") == """
                send ping pong binary file send-json call set repeat show pipe inspect tail find filter where pick hide \
                pause save pretty decode diff time pings status close reconnect retry drop connect record headers curl \
                info edit history help quit
                """)
        #expect(relay.suffix(8).joined(separator: " ") == "record clients only to edit history help quit")
    }

    @Test("A command of another prompt is unknown")
    func others() {
        let listen = ListenCommands.all(isRelay: false)
        let unknown = PromptHelp.unknown("reconnect", among: listen.map(\.description))
        #expect(Self.mistake(in: "/reconnect", listen) == unknown)
        #expect(Self.mistake(in: "/clients", listen) == nil)
    }

    private static func mistake<Prompt>(in line: String, _ commands: [PromptCommand<Prompt>]) -> String? {
        if case .mistake(let why) = PromptLine(Array(line.utf8), commands: commands) { why } else { nil }
    }
}
