import TestSupport
import Testing

@testable import WSCore

@Suite struct NetrcTests {
    private func login(_ text: String, for host: String) throws -> String? {
        let entry = try Netrc(parsing: Array(text.utf8)).entry(for: host)
        return entry.map { "\($0.login ?? "-"):\($0.password ?? "-")" }
    }

    @Test(
        "The words of an entry may be on one line or on several",
        arguments: [
            "machine h login me password secret", "machine h\n  login me\n\tpassword secret\n",
            "machine\nh\r\nlogin\nme\r\npassword\nsecret", "machine h password secret account x login me",
            "machine h user me passwd secret",
        ])
    func forms(text: String) throws {
        try expectEqual(login(text, for: "h"), "me:secret")
        try expectEqual(login(text, for: "H"), "me:secret")
        try expectNil(login(text, for: "hh"))
    }

    @Test("The first entry with a login counts, and the default entry applies to other hosts")
    func order() throws {
        let text = """
            default login other password d
            machine a password only
            machine a login me password 1
            machine a login you password 2
            machine [::1] login local
            """
        try expectEqual(login(text, for: "a"), "me:1")
        try expectEqual(login(text, for: "b"), "other:d")
        try expectEqual(login(text, for: "::1"), "local:-")
        try expectNil(login("", for: "a"))
    }

    @Test("A user in the URL gets that user's password, or one without a user")
    func users() throws {
        let netrc = try Netrc(
            parsing: Array(
                """
                machine a login u1 password p1 machine a login u2 password p2
                machine b password shared
                default login u1 password d
                """.utf8))
        expectEqual(netrc.entry(for: "a", user: "u2")?.password, "p2")
        expectNil(netrc.entry(for: "a", user: "u3"))
        expectEqual(netrc.entry(for: "b", user: "u3")?.password, "shared")
        expectEqual(netrc.entry(for: "c", user: "u1")?.password, "d")
        // The caller reports it.
        expectEqual(netrc.entry(for: "b").map { $0.login == nil }, true)
    }

    @Test("A value in double quotes may contain spaces and escapes")
    func quotes() throws {
        try expectEqual(login(#"machine "h" login "m e" password "a\"b\\c\td\ne\q""#, for: "h"), "m e:a\"b\\c\td\neq")
        try expectEqual(login(#"machine h login m"e password """#, for: "h"), "m\"e:")
    }

    @Test("Comments and macros are ignored")
    func comments() throws {
        let text = """
            # machine h login wrong password wrong
            machine h # a comment
            login me password #secret # another one
            macdef init
            machine h login macro

            machine g login you password x
            macdef end
            cd /
            """
        try expectEqual(login(text, for: "h"), "me:#secret")
        try expectEqual(login(text, for: "g"), "you:x")
        try expectNil(login(text, for: "end"))
    }

    @Test(
        "An error has the number of its line",
        arguments: [
            ("machine h login me password two words", 1, .unknownWord), ("\nprotocol https", 2, .unknownWord),
            ("# x\nlogin me", 2, .noMachine("login")), ("machine h\nlogin", 2, .missingValue("login")),
            ("machine", 1, .missingValue("machine")), ("machine h login me\npassword \"a\nb", 2, .unclosedQuote),
            ("macdef m\nx\n\n\nfoo", 5, .unknownWord),
        ] as [(String, Int, NetrcError.Reason)])
    func errors(text: String, line: Int, reason: NetrcError.Reason) {
        let error = #expect(throws: NetrcError.self) { try Netrc(parsing: Array(text.utf8)) }
        expectEqual(error, NetrcError(line: line, reason: reason))
    }

    @Test("A value that is not UTF-8 is an error")
    func invalidText() {
        let error = #expect(throws: NetrcError.self) { try Netrc(parsing: Array("machine h login ".utf8) + [0xFF]) }
        expectEqual(error, NetrcError(line: 1, reason: .notText))
    }
}
