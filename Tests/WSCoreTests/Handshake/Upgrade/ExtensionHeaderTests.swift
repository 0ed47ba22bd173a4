import TestSupport
import Testing

@testable import WSCore

@Suite struct ExtensionHeaderTests {
    typealias Parameter = ExtensionOffer.Parameter

    @Test("the grammar of RFC 6455 §9.1 is parsed across fields and with quoted values")
    func parsing() throws {
        let offers = try ExtensionHeader.parse([
            "foo, bar; baz=2", "permessage-deflate ; client_max_window_bits;server_max_window_bits=\"1\\0\" ,, x", "",
        ])
        expectEqual(
            offers,
            [
                ExtensionOffer(name: "foo"),
                ExtensionOffer(name: "bar", parameters: [Parameter("baz", "2")]),
                ExtensionOffer(
                    name: "permessage-deflate",
                    parameters: [Parameter("client_max_window_bits"), Parameter("server_max_window_bits", "10")]),
                ExtensionOffer(name: "x"),
            ])
        try expectEmpty(ExtensionHeader.parse([]))
    }

    @Test("formatted extensions parse to the same extensions")
    func roundTrip() throws {
        let offers = [
            ExtensionOffer(name: "a", parameters: [Parameter("b"), Parameter("c", "d"), Parameter("b", "e")]),
            ExtensionOffer(name: "f"),
        ]
        let value = ExtensionHeader.value(of: offers)
        expectEqual(value, "a; b; c=d; b=e, f")
        try expectEqual(ExtensionHeader.parse([value]), offers)
    }

    static let malformedCases: [String] = [
        "a b", ";", "a;", "a; ;b", "a; b=", "a; b=\"\"", "a; b=\"c d\"", "a; b=\"c", "a; b=\"c\"d", "a=b", "a; =b",
        "\"a\"",
        "a; b=\"\\", "a; b=\u{FC}", "a/b", "a; b==c", "a, ;b",
    ]

    @Test("a value that violates the grammar is rejected", arguments: Self.malformedCases)
    func malformed(value: String) {
        #expect(throws: ExtensionHeaderError(value: value)) { try ExtensionHeader.parse(["ok", value]) }
    }

    @Test("a list without an element is rejected: RFC 9110 §5.6.1", arguments: ["", " , "])
    func empty(value: String) {
        #expect(throws: ExtensionHeaderError(value: value)) { try ExtensionHeader.parse([value]) }
    }
}
