import Conversation
import Formats
import Testing
import WSCore

@testable import UserInterface

@Suite struct PromptArgumentTests {
    @Test("A path may be omitted, and blanks around it are ignored")
    func paths() throws {
        #expect(try Self.argument("").optionalPath() == nil)
        #expect(try Self.argument("  ").optionalPath() == nil)
        #expect(try Self.argument(" .user.name ").optionalPath() == JSONPath(".user.name"))
        #expect(try Self.argument("/user/name").optionalPath() == JSONPath("/user/name"))
        #expect(throws: PromptMistake(#"expected a name at character 4; quote other names, as in ."a b""#)) {
            try Self.argument(".a..b").optionalPath()
        }
    }

    @Test("A condition may be omitted, and blanks around it are ignored")
    func conditions() throws {
        #expect(try Self.argument("").optionalCondition() == nil)
        #expect(try Self.argument(" .price > 50 ").optionalCondition() == JSONCondition(".price > 50"))
        #expect(throws: PromptMistake(#"expected a value at the end; "" is the empty text"#)) {
            try Self.argument(".price >").optionalCondition()
        }
    }

    @Test("A variable has a name of its own, and the location of its value")
    func variables() throws {
        #expect(try Self.argument("sid=.user.id").setVariable() == SetVariableValue.parse("sid=.user.id"))
        for (text, words) in [
            ("sid", "expected NAME=PATH, such as id=.user.id; --param"), ("=.a", "expected NAME=PATH"),
            ("seq=.a", "placeholder with its own meaning"), ("random:1=.a", "placeholder"), ("a=b", "expected"),
        ] {
            let mistake = #expect(throws: PromptMistake.self) { try Self.argument(text).setVariable() }
            #expect(mistake.map { "\($0)" }?.contains(words) == true)
        }
    }

    @Test("A message is sent as typed, and two quotes are the empty one")
    func messages() throws {
        #expect(try Self.argument(" a ").message() == Array(" a ".utf8))
        #expect(try Self.argument(#""" "#).message() == [])
        #expect(try Self.argument("hex 00 FF").binary() == [0, 255])
        #expect(try Self.argument("base64 _-8").binary() == [0xFF, 0xEF])
        let file = try Self.argument("binary a b ").file()
        #expect((file.path, file.1) == ("a b", .binary))
        let other = try Self.argument("a b").file()
        #expect((other.path, other.1) == ("a b", nil))
        let repetition = try Self.argument("5k 20ms").repetition()
        #expect((repetition.count, repetition.interval) == (5000, .milliseconds(20)))
    }

    @Test("A payload of a ping and the reason of a close frame have a maximum length")
    func longest() throws {
        #expect(try Self.argument(" two spaces").controlPayload() == Array(" two spaces".utf8))
        let ping = String(repeating: "x", count: 125)
        #expect(try Self.argument(ping).controlPayload() == Array(ping.utf8))
        let reason = String(repeating: "x", count: 123)
        #expect(
            try Self.argument("1000 \(reason)").closeFrame() == CloseFrame(code: .normalClosure, reason: reason))
        #expect(try Self.argument("").closeFrame() == CloseFrame(code: .normalClosure))
        #expect(try Self.argument("4000").closeFrame() == CloseFrame(code: CloseCode(rawValue: 4000)))
        #expect(
            try Self.argument("1001 see you later").closeFrame()
                == CloseFrame(code: .goingAway, reason: "see you later"))
    }

    @Test("Values of a saved message may be quoted")
    func calls() throws {
        #expect(try Self.argument("").optionalCall() == nil)
        #expect(try Self.argument("sub a=1 b=").optionalCall() == MessageCall(["sub", "a=1", "b="]))
        #expect(
            try Self.argument(#"sub a="x \"y\" \\" b={"c":"d"}"#).optionalCall()
                == MessageCall(["sub", #"a=x "y" \"#, #"b={"c":"d"}"#]))
    }

    @Test("Codecs are listed from the outermost, and off stands for none")
    func codecs() throws {
        #expect(try Self.argument("").optionalCodecs() == nil)
        #expect(try Self.argument("off").optionalCodecs() == [])
        #expect(try Self.argument("gzip  msgpack").optionalCodecs() == [.gzip, .messagePack])
    }

    @Test("A message is named by its number, and a command follows a vertical bar")
    func numbers() throws {
        #expect(try Self.argument("").optionalMessageNumber() == nil)
        #expect(try Self.argument("17").optionalMessageNumber() == 17)
        let piped = try Self.argument("12 | jq .user").messageAndCommand()
        #expect((piped.number, piped.command) == (12, "jq .user"))
        let plain = try Self.argument("17").messageAndCommand()
        #expect((plain.number, plain.command) == (17, nil))
        #expect(try (Self.argument("").tailCount(), Self.argument("3").tailCount()) == (10, 3))
        for (text, path, number) in [("my file", "my file", nil), ("my file 3", "my file", 3), ("3", "3", nil)]
            as [(String, String, Int?)]
        {
            let saving = try Self.argument(text).saving()
            #expect((saving.path, saving.number) == (path, number))
        }
    }

    @Test("Switches and styles may be omitted")
    func switches() throws {
        #expect(try (Self.argument("").optionalSwitch(), Self.argument("on").optionalSwitch()) == (nil, true))
        #expect(try Self.argument("off").optionalSwitch() == false)
        #expect(try Self.argument("").optionalPrettyStyle() == nil)
        #expect(
            try (Self.argument("on").optionalPrettyStyle(), Self.argument("off").optionalPrettyStyle()) == (.full, .off)
        )
        #expect(try (Self.argument("").optionalStyle(), Self.argument("utc").optionalStyle()) == (nil, .utc))
        #expect(Self.argument(" a b|c ").optionalText() == "a b|c")
        #expect(Self.argument(" ").optionalText() == nil)
    }

    @Test("The editor and the history take a number or a text")
    func lines() throws {
        #expect(Self.argument("").editSource() == .lastLine)
        #expect(Self.argument("12").editSource() == .line(number: 12))
        #expect(Self.argument("a text").editSource() == .text(Array("a text".utf8)))
        #expect(try Self.argument("").historyQuery() == .latest(20))
        #expect(try Self.argument("5").historyQuery() == .latest(5))
        #expect(try Self.argument("^a").historyQuery() == .matching("^a"))
    }

    @Test(
        "An origin is a client, a side, or both",
        arguments: [
            ("", nil), ("3", MessageOrigin(client: 3)), ("@3", MessageOrigin(client: 3)),
            ("client", MessageOrigin(side: .client)), ("3 server", MessageOrigin(client: 3, side: .server)),
            ("server @3", MessageOrigin(client: 3, side: .server)),
        ] as [(String, MessageOrigin?)])
    func origins(text: String, origin: MessageOrigin?) throws {
        #expect(try Self.argument(text).optionalOrigin() == origin)
    }

    @Test("Other origins are mistakes", arguments: ["x", "3 4", "0", "client server", "3 client x"])
    func invalidOrigins(text: String) {
        #expect(throws: PromptMistake.self) { try Self.argument(text).optionalOrigin() }
    }

    private static func argument(_ text: String) -> PromptArgument {
        PromptArgument(bytes: Array(text.utf8))
    }
}
