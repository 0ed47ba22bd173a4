import Formats
import Testing
import WSCore

@testable import UserInterface

@Suite struct PromptLineTests {
    @Test(
        "A line is a message or a command",
        arguments: [
            ("hello", .message(Array("hello".utf8))),
            ("", .empty),
            (#"/send """#, .action(.shared(.send([])))),
            ("/send  a ", .action(.shared(.send(Array(" a ".utf8))))),
            (" /ping", .message(Array(" /ping".utf8))),
            ("//path", .message(Array("/path".utf8))),
            ("//", .message(Array("/".utf8))),
            ("/ping", .action(.shared(.ping([])))),
            ("/ping ", .action(.shared(.ping([])))),
            ("/ping are you there", .action(.shared(.ping(Array("are you there".utf8))))),
            ("/ping  two spaces", .action(.shared(.ping(Array(" two spaces".utf8))))),
            ("/pong x", .action(.shared(.pong(Array("x".utf8))))),
            ("/close", .action(.shared(.close(CloseFrame(code: .normalClosure))))),
            ("/close 4000", .action(.shared(.close(CloseFrame(code: CloseCode(rawValue: 4000)))))),
            (
                "/close 1001 see you later",
                .action(.shared(.close(CloseFrame(code: .goingAway, reason: "see you later"))))
            ),
            ("/quit\nfoo", .mistake("/quit: unexpected text 'foo'; usage: /quit")),
            ("/send\na\nb", .action(.shared(.send(Array("a\nb".utf8))))),
            ("/help", .action(.shared(.view(.help(topic: nil))))),
            ("/help  close ", .action(.shared(.view(.help(topic: "close"))))),
            ("/quit", .action(.shared(.quit))),
            ("/binary hex 00 FF", .action(.binary([0, 255]))),
            ("/binary base64 _-8", .action(.binary([0xFF, 0xEF]))),
            ("/file binary a b ", .action(.file(path: "a b", .binary))),
            ("/file text", .mistake("/file: the file name is missing; usage: /file [text|binary] FILE")),
            ("/file a b", .action(.file(path: "a b", nil))),
            ("/repeat 5k 20ms", .action(.repeatMessage(count: 5000, interval: .milliseconds(20)))),
            ("/call", .action(.call(nil))),
            ("/call sub a=1 b=", .action(.call(try? MessageCall(["sub", "a=1", "b="])))),
            (
                #"/call sub a="x \"y\" \\" b={"c":"d"}"#,
                .action(.call(try? MessageCall(["sub", #"a=x "y" \"#, #"b={"c":"d"}"#])))
            ),
            (
                "/call sub a",
                .mistake(
                    "/call: 'sub' is a saved message, so expected NAME=VALUE after it, but got 'a'; usage: /call [NAME [KEY=VALUE...]]"
                )
            ),
            (#"/call sub a="b"#, .mistake("/call: a quote is not closed; usage: /call [NAME [KEY=VALUE...]]")),
            ("/call sub a=1 a=2", .mistake("/call: 'a' has two values; usage: /call [NAME [KEY=VALUE...]]")),
            ("/decode", .action(.decode(nil))),
            ("/decode off", .action(.decode([]))),
            ("/decode gzip  msgpack", .action(.decode([.gzip, .messagePack]))),
            ("/record", .action(.shared(.record(path: nil)))),
            ("/connect :1", .action(.connect(url: ":1"))),
            ("/info x", .mistake("/info: unexpected text 'x'; usage: /info")),
            ("/edit", .action(.shared(.view(.edit(.lastLine))))),
            ("/edit 12", .action(.shared(.view(.edit(.line(number: 12)))))),
            ("/edit a text", .action(.shared(.view(.edit(.text(Array("a text".utf8))))))),
            ("/history", .action(.shared(.view(.history(.latest(20)))))),
            ("/history 5", .action(.shared(.view(.history(.latest(5)))))),
            ("/history ^a", .action(.shared(.view(.history(.matching("^a")))))),
            ("/reconnect", .action(.reconnect)),
            ("/retry", .action(.retry)),
            ("/drop", .action(.drop)),
            ("/show", .action(.shared(.view(.show(number: nil))))),
            ("/show 17", .action(.shared(.view(.show(number: 17))))),
            ("/17", .action(.shared(.view(.show(number: 17))))),
            ("/tail", .action(.shared(.view(.tail(count: 10))))),
            ("/tail 3", .action(.shared(.view(.tail(count: 3))))),
            ("/pause", .action(.shared(.view(.pause)))),
            ("/pick", .action(.shared(.view(.selection(nil))))),
            ("/where", .action(.shared(.view(.condition(nil))))),
            ("/status off", .action(.shared(.view(.status(false))))),
            ("/filter", .action(.shared(.view(.filter(nil))))),
            ("/filter a b|c ", .action(.shared(.view(.filter("a b|c"))))),
            ("/find a b|c", .action(.shared(.view(.find("a b|c"))))),
            ("/find", .action(.shared(.view(.find(nil))))),
            ("/save my file", .action(.shared(.view(.save(path: "my file", number: nil))))),
            ("/save my file 3", .action(.shared(.view(.save(path: "my file", number: 3))))),
            ("/save 3", .action(.shared(.view(.save(path: "3", number: nil))))),
            ("/diff", .action(.shared(.view(.changes(nil))))),
            ("/diff on", .action(.shared(.view(.changes(true))))),
            ("/pretty", .action(.shared(.view(.pretty(nil))))),
            ("/pretty on", .action(.shared(.view(.pretty(.full))))),
            ("/pretty off", .action(.shared(.view(.pretty(.off))))),
            ("/time", .action(.shared(.view(.time(nil))))),
            ("/time utc", .action(.shared(.view(.time(.utc))))),
        ] as [(String, PromptLine<ConnectAction>)])
    func lines(line: String, expected: PromptLine<ConnectAction>) {
        #expect(Self.read(Array(line.utf8)) == expected)
    }

    @Test(
        "The error for an invalid command states the reason and the usage",
        arguments: [
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
                "/decode: expected auto, msgpack, cbor, json, zlib-stream, gzip, deflate, text, or off, but got 'exec:jq'; usage: /decode [CODEC...|off]"
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
        #expect(Self.read(Array(line.utf8)) == .mistake(why))
    }

    @Test("Texts of the maximum length are accepted")
    func longest() {
        let ping = [UInt8](repeating: 0x78, count: 125)
        #expect(Self.read(Array("/ping ".utf8) + ping) == .action(.shared(.ping(ping))))
        let reason = String(repeating: "x", count: 123)
        #expect(
            Self.read(Array("/close 1000 \(reason)".utf8))
                == .action(.shared(.close(CloseFrame(code: .normalClosure, reason: reason)))))
    }

    @Test("Invalid UTF-8 is left to the caller, and control characters in a name are escaped")
    func hostile() {
        #expect(Self.read([0xFF, 0xFE]) == .message([0xFF, 0xFE]))
        #expect(Self.read([0x2F, 0x70, 0x69, 0x6E, 0x67, 0x20, 0xFF]) == .action(.shared(.ping([0xFF]))))
        guard case .mistake(let why) = Self.read(Array("/\u{1B}[2J".utf8)) else { return #expect(Bool(false)) }
        #expect(why.unicodeScalars.allSatisfy { !$0.isInvisible })
    }

    @Test("A command of another prompt is unknown")
    func others() {
        let unknown = PromptHelp.unknown("reconnect", among: PromptCommandTable.listen.map(\.description))
        #expect(PromptLine(Array("/reconnect".utf8), commands: PromptCommandTable.listen) == .mistake(unknown))
        #expect(PromptLine(Array("/clients".utf8), commands: PromptCommandTable.listen) == .action(.clients))
        #expect(PromptLine(Array("/quit".utf8), commands: PromptCommandTable.listen) == .action(.shared(.quit)))
    }

    private static func read(_ line: [UInt8]) -> PromptLine<ConnectAction> {
        PromptLine(line, commands: PromptCommandTable.connect)
    }
}
