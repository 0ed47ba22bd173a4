import TestSupport
import Testing

@testable import CommandLine

/// The format of configuration files.
@Suite struct ConfigurationTests {
    private func parsed(_ text: String) throws -> Configuration {
        try Configuration(parsing: text, path: "/c")
    }

    /// An entry without its line.
    private struct Option: Equatable, CustomStringConvertible {
        let name: String
        let value: String?

        init(_ name: String, _ value: String?) {
            self.name = name
            self.value = value
        }

        init(_ entry: Configuration.Entry) {
            self.init(entry.name, entry.value)
        }

        var description: String { "\(name)=\(value ?? "nil")" }
    }

    @Test("Options before the first section are defaults, and each section is a profile")
    func sections() throws {
        let configuration = try parsed(
            """
            # Defaults
            quiet
            color = never

            [prod]
              url = wss://h/
            header = A: b
            header = C: d
            ; nothing here:
            [empty] # a comment
            """)
        expectEqual(configuration.defaults.map(Option.init), [Option("quiet", nil), Option("color", "never")])
        expectEqual(configuration.profiles.map(\.name), ["prod", "empty"])
        expectEqual(configuration.profiles.map(\.line), [5, 10])
        let prod = try #require(configuration.profile(named: "prod"))
        expectEqual(
            prod.entries.map(Option.init),
            [
                Option("url", "wss://h/"), Option("header", "A: b"), Option("header", "C: d"),
            ])
        expectEqual(prod.entries.map(\.line), [6, 7, 8])
        expectEqual(configuration.profile(named: "empty")?.entries, [])
        expectNil(configuration.profile(named: "other"))
    }

    static let plainValuesCases: [(String, String)] = [
        ("a=b", "b"), ("a = b", "b"), ("\ta\t=\tb c \t", "b c"), ("a = b\r", "b"), ("a =", ""), ("a = =b=", "=b="),
        ("a = b # c ; d", "b # c ; d"), ("a = {\"b\": 1}", "{\"b\": 1}"), ("a = b\"", "b\""), ("a = \\d", "\\d"),
        ("a = ü", "ü"),
    ]

    @Test("A value ends with its line and loses the spaces at its ends", arguments: Self.plainValuesCases)
    func plainValues(line: String, value: String) throws {
        try expectEqual(parsed(line).defaults.map(Option.init), [Option("a", value)])
    }

    @Test(
        "Double quotes keep spaces, and contain quotes and backslashes after a backslash",
        arguments: [
            (#"a = "b""#, "b"), (#"a = " b ""#, " b "), (#"a = """#, ""), (#"a = "\"b\\""#, #""b\"#),
            (##"a = "# b""##, "# b"),
        ])
    func quotedValues(line: String, value: String) throws {
        try expectEqual(parsed(line).defaults.map(Option.init), [Option("a", value)])
    }

    @Test("A byte order mark and empty lines are ignored") func byteOrderMark() throws {
        try expectEqual(parsed("\u{FEFF}\r\n\na = b\n\n").defaults.map(\.line), [3])
        try expectEqual(parsed("").defaults, [])
    }

    @Test(
        "An error has the number of its line",
        arguments: [
            ("a b", .notAnOption), ("= b", .notAnOption), ("header X: y", .notAnOption), ("--", .notAnOption),
            ("--quiet", .hyphens("quiet")), ("-q = true", .hyphens("q")), ("[a", .unclosedSection),
            ("[a] b = c", .textAfterSection), ("[]", .badProfileName("")), ("[a b]", .badProfileName("a b")),
            ("[@a]", .badProfileName("@a")), ("[a:b]", .badProfileName("a:b")),
            ("[one]", .repeatedProfile("one", firstLine: 1)), ("a = \"b", .unclosedQuote),
            ("a = \"b\" c", .textAfterQuote), (#"a = "status":"ready""#, .textAfterQuote),
            (#"a = "\d""#, .unknownEscape), (#"a = "\"#, .unknownEscape), ("a = \0", .nul),
        ] as [(String, ConfigurationError.Reason)])
    func errors(line: String, reason: ConfigurationError.Reason) {
        let error = #expect(throws: ConfigurationError.self) { try parsed("[one]\n\n\(line)\n[two]\n") }
        expectEqual(error, ConfigurationError(path: "/c", line: 3, reason: reason))
    }

    @Test(
        "A word refers to a profile if it is '@' and a valid name",
        arguments: [
            ("@prod", "prod"), ("@a.b-c_1", "a.b-c_1"), ("@", nil), ("prod", nil), ("@h:80", nil), ("@a/b", nil),
            ("@@a", nil), ("@a b", nil), ("@ü", nil),
        ] as [(String, String?)])
    func references(word: String, name: String?) {
        expectEqual(Configuration.profileName(in: word), name)
    }
}
