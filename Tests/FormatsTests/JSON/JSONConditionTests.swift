import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct JSONConditionTests {
    private static let trade = #"{"type":"trade","price":50.5,"size":"2.50","ok":true,"note":null,"by":{"id":7}}"#

    static let metCases: [String] = [
        ".price", ".note", ".by", ".by.id", "!.error", "!.by.name", ".type=trade", ".type==trade",
        #".type="trade""#,
        #".type = "tr\u0061de""#, ".price>50", ".price >= 50.5", ".price<=50.50", ".price<1e2", ".price=505e-1",
        ".price!=50", ".size>2", ".size=2.5", ".size<10", #".size="2.50""#, ".ok=true", ".ok!=false", ".note=null",
        ".by.id=7", "/by/id=7", "/by/id = 7", ".type~^tr", ".type ~ a.e$", ".price~^50", ".ok~true",
        #".by~^\{"id":7\}$"#, ".type>=trade", ".type<trades", ".type>tr", ".type!=quote", ".by!=7", ".note!=0",
        ".type!=5", "  .price  ", ". ~ trade", "! .error",
    ]

    @Test("A condition that a message meets", arguments: Self.metCases)
    func met(condition: String) throws {
        try expectTrue(Self.matches(condition, Self.trade))
    }

    static let unmetCases: [String] = [
        ".error", "!.price", "!.note", ".type=quote", ".type=Trade", ".price<50", ".price>50.5", ".price=50",
        #".price="50.5""#, #".size="2.5""#, ".size>10", ".ok=false", #".ok="true""#, ".note=0", ".by>1", ".error=1",
        ".error!=1", ".error~.", ".type~^rade", ".type>trade", ".type<trade", ".type<5",
        ".ok>false", ".note<1", ".type!=trade", ".price!=50.50",
    ]

    @Test("A condition that a message does not meet", arguments: Self.unmetCases)
    func unmet(condition: String) throws {
        try expectFalse(Self.matches(condition, Self.trade))
    }

    @Test("Text without quotes also matches numbers and literals in strings")
    func unquoted() throws {
        for (condition, text) in [
            (".=5", #""5""#), (".=5", #""5.0""#), (".=true", #""true""#), (".=007", #""007""#), (".=a b", #""a b""#),
            (".=a=b", #""a=b""#),
        ] {
            try expectTrue(Self.matches(condition, text), "\(condition)")
        }
        try expectFalse(Self.matches(".=007", "7"))
        try expectFalse(Self.matches(".=5", #""5 ""#))
        try expectFalse(Self.matches(#".="""#, "null"))
        try expectTrue(Self.matches(#".="""#, #""""#))
    }

    @Test("Numbers keep all their digits")
    func precision() throws {
        try expectFalse(Self.matches(".=9007199254740993", "9007199254740992"))
        try expectTrue(Self.matches(".>9007199254740992", "9007199254740993"))
    }

    @Test("Strings are ordered by their Unicode scalars")
    func scalars() throws {
        try expectTrue(Self.matches(".<b", #""a""#))
        try expectTrue(Self.matches(".<a", #""Z""#))
        try expectTrue(Self.matches(".<🎈", #""\uffee""#))
        try expectTrue(Self.matches(".>e\u{301}", #""\u00e9""#))
    }

    @Test("Of a message that is not JSON, only the absence of a value is true", arguments: ["", "x", #"{"a":1"#])
    func noJSON(text: String) throws {
        for condition in [".a", ".a=1", ".a!=1", ".a~1", "."] { try expectFalse(Self.matches(condition, text)) }
        try expectTrue(Self.matches("!.a", text))
    }

    @Test("A pointer ends at an operator, and ~0 and ~1 are escapes")
    func pointers() throws {
        try expectTrue(Self.matches("/a~1b=1", #"{"a/b":1}"#))
        try expectTrue(Self.matches("/a~0b=1", #"{"a~b":1}"#))
        try expectTrue(Self.matches("/a~x", #"{"a":"xyz"}"#))
        try expectTrue(Self.matches("/a ~1", #"{"a":"123"}"#))
        try expectTrue(Self.matches(#"."a=b"=1"#, #"{"a=b":1}"#))
        try expectTrue(Self.matches(".a~1", #"{"a":"123"}"#))
    }

    static let mistakesCases: [(String, String)] = [
        ("", "expected a path at the end; write a path as in .user.name or /user/name"),
        ("price>5", "expected a path at character 1; write a path as in .user.name or /user/name"),
        (".price 5", "expected an operator at character 8; use =, !=, <, <=, >, >=, or ~"),
        (".a|b", "expected an operator at character 3; use =, !=, <, <=, >, >=, or ~"),
        (".a!5", "expected an operator at character 3; use =, !=, <, <=, >, >=, or ~"),
        (".a.=5", #"expected a name at character 4; quote other names, as in ."a b""#),
        (".a=", #"expected a value at the end; "" is the empty text"#),
        (".a >  ", #"expected a value at the end; "" is the empty text"#),
        (".a=~x", "expected a value at character 4; quote text that begins with an operator"),
        (".a=>5", "expected a value at character 4; quote text that begins with an operator"),
        (".a === 5", "expected a value at character 6; quote text that begins with an operator"),
        (".a='x'", "expected a value at character 4; use double quotes"),
        (
            ".a=[1]",
            "objects and arrays cannot be compared at character 4; compare one of their values, or quote the text"
        ),
        (#".a="x"#, #"expected '"' at the end"#),
        (#".a="x"y"#, #"invalid JSON string at character 7; write '"' as \" in quotes"#),
        (#".a = "\x""#, #"invalid JSON string at character 8; write '"' as \" in quotes"#),
        (".a~", "expected a regular expression at the end"),
        (".a~(", "invalid regular expression: missing closing parenthesis at the end"),
        (".é ~ a**b", "invalid regular expression: quantifier does not follow a repeatable item at character 8"),
        ("!.a=5", "unexpected text after the path at character 4; compare as in .a!=5"),
        ("!/\u{1B}[2J=5", "unexpected text after the path at character 7; compare as in .a!=5"),
        ("!", "expected a path at the end; write a path as in .user.name or /user/name"),
    ]

    @Test("The error for an invalid condition has its position and a remedy", arguments: Self.mistakesCases)
    func mistakes(text: String, message: String) {
        do throws(JSONQueryError) {
            _ = try JSONCondition(text)
            Issue.record("\(text) is a condition")
        } catch {
            expectEqual("\(error)", message)
        }
    }

    private static func matches(_ condition: String, _ text: String) throws -> Bool {
        let filter = try JSONFilter(JSONCondition(condition))
        return Array(text.utf8).withUnsafeBytes { filter.matches($0.bytes) }
    }
}
