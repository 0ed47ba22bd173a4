import Testing
import WSCore

@testable import wsx

@Suite struct ReplLineTests {
    @Test(
        "a line is a message or a command",
        arguments: [
            ("hello", .message(Array("hello".utf8))),
            ("", .message([])),
            (" /ping", .message(Array(" /ping".utf8))),
            ("//path", .message(Array("/path".utf8))),
            ("//", .message(Array("/".utf8))),
            ("/ping", .ping([])),
            ("/ping ", .ping([])),
            ("/ping are you there", .ping(Array("are you there".utf8))),
            ("/ping  two spaces", .ping(Array(" two spaces".utf8))),
            ("/pong x", .pong(Array("x".utf8))),
            ("/close", .close(CloseFrame(code: .normalClosure))),
            ("/close 4000", .close(CloseFrame(code: CloseCode(rawValue: 4000)))),
            ("/close 1001 see you later", .close(CloseFrame(code: .goingAway, reason: "see you later"))),
            ("/help", .help),
            ("/quit", .quit),
        ] as [(String, ReplLine)])
    func lines(line: String, expected: ReplLine) {
        #expect(ReplLine(Array(line.utf8)) == expected)
    }

    @Test(
        "what cannot be carried out says why",
        arguments: [
            ("/", "unknown command '/'; /help lists the commands; // sends it"),
            ("/pnig", "unknown command '/pnig'; did you mean '/ping'?"),
            ("/etc/passwd", "unknown command '/etc/passwd'; /help lists the commands; //etc/passwd sends it"),
            (
                "/close soon",
                "/close: 'soon' is no code that may be sent; 1000 through 1003, 1007 through 1011 and 3000 through 4999 may"
            ),
            (
                "/close 70000",
                "/close: '70000' is no code that may be sent; 1000 through 1003, 1007 through 1011 and 3000 through 4999 may"
            ),
            (
                "/close 1006",
                "/close: '1006' is no code that may be sent; 1000 through 1003, 1007 through 1011 and 3000 through 4999 may"
            ),
            ("/ping " + String(repeating: "x", count: 126), "/ping: the text is longer than 125 bytes"),
            ("/close 1000 " + String(repeating: "x", count: 124), "/close: the reason is longer than 123 bytes"),
        ])
    func mistakes(line: String, why: String) {
        #expect(ReplLine(Array(line.utf8)) == .mistake(why))
    }

    @Test("the longest texts that fit are taken")
    func longest() {
        let ping = [UInt8](repeating: 0x78, count: 125)
        #expect(ReplLine(Array("/ping ".utf8) + ping) == .ping(ping))
        let reason = String(repeating: "x", count: 123)
        #expect(
            ReplLine(Array("/close 1000 \(reason)".utf8)) == .close(CloseFrame(code: .normalClosure, reason: reason)))
    }

    @Test("bytes that are no UTF-8 are left to whoever sends them, and a hostile name is shown escaped")
    func hostile() {
        #expect(ReplLine([0xFF, 0xFE]) == .message([0xFF, 0xFE]))
        #expect(ReplLine([0x2F, 0x70, 0x69, 0x6E, 0x67, 0x20, 0xFF]) == .ping([0xFF]))
        guard case .mistake(let why) = ReplLine(Array("/\u{1B}[2J".utf8)) else { return #expect(Bool(false)) }
        #expect(why.unicodeScalars.allSatisfy { !$0.isInvisible })
    }

    @Test("the help lists every command, and how to send what looks like one")
    func help() {
        for command in ReplLine.commands { #expect(ReplLine.helpText.contains("\(command.usage)  ")) }
        #expect(ReplLine.helpText.hasSuffix("//TEXT sends /TEXT.\n"))
    }
}
