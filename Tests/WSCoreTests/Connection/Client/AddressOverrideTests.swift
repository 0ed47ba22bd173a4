import TestSupport
import Testing

@testable import WSCore

@Suite struct AddressOverrideTests {
    static let matchingCases: [(String, String, [String])] = [
        ("Example.COM:80:192.0.2.1", "example.com", ["192.0.2.1:80"]),
        ("example.com.:80:192.0.2.1", "example.com", ["192.0.2.1:80"]),
        ("example.com:80:192.0.2.1", "example.com.", ["192.0.2.1:80"]),
        ("münchen.example:80:192.0.2.1", "xn--mnchen-3ya.example", ["192.0.2.1:80"]),
        ("h:80:2001:db8::1", "h", ["[2001:db8::1]:80"]),
        ("h:80:[2001:db8::1],192.0.2.1,::1", "h", ["[2001:db8::1]:80", "192.0.2.1:80", "[::1]:80"]),
        ("[::1]:80:192.0.2.1", "::1", ["192.0.2.1:80"]),
        ("*:80:192.0.2.1", "anything", ["192.0.2.1:80"]),
    ]

    @Test("an override applies to its host and port, however the host is written", arguments: Self.matchingCases)
    func matching(text: String, host: String, expected: [String]) throws {
        let overrides = [try AddressOverride(parsing: text)]
        expectEqual(AddressOverride.addresses(for: host, port: 80, in: overrides)?.map(\.description), expected)
        expectNil(AddressOverride.addresses(for: host, port: 81, in: overrides))
    }

    @Test("the last override for a host applies, and one for any host only if none matches")
    func precedence() throws {
        let overrides = try [
            "*:80:192.0.2.1", "h:80:192.0.2.2", "h:80:192.0.2.3", "*:80:192.0.2.4", "h:81:192.0.2.5",
        ].map { try AddressOverride(parsing: $0) }
        func host(_ name: String, _ port: UInt16) -> [String]? {
            AddressOverride.addresses(for: name, port: port, in: overrides)?.map(\.host)
        }
        expectEqual(host("h", 80), ["192.0.2.3"])
        expectEqual(host("other", 80), ["192.0.2.4"])
        expectEqual(host("h", 81), ["192.0.2.5"])
        expectNil(host("other", 81))
        expectNil(AddressOverride.addresses(for: "h", port: 80, in: []))
    }

    @Test(
        "an invalid override is rejected with its cause",
        arguments: [
            ("", .missingPort), ("h", .missingPort), ("h:", .missingPort), ("h::192.0.2.1", .missingPort),
            ("h:80", .missingAddress), ("h:80:", .missingAddress), ("h:80:192.0.2.1,", .missingAddress),
            ("-h:80", .prefix("-")), ("+h:80:192.0.2.1", .prefix("+")),
            ("h:0:192.0.2.1", .host(.invalidPort("0"))), ("h:x:192.0.2.1", .host(.invalidPort("x"))),
            (":80:192.0.2.1", .host(.emptyHost)),
            ("[::1:80:192.0.2.1", .host(.invalidIPv6Address("[::1:80:192.0.2.1"))),
            ("a b:80:192.0.2.1", .host(.invalidHost("a b"))),
            ("h:80:name", .invalidAddress("name")), ("h:80:[192.0.2.1]", .invalidAddress("[192.0.2.1]")),
            ("h:80:fe80::1%none", .unknownZone("none")),
        ] as [(String, AddressOverrideError)])
    func errors(text: String, expected: AddressOverrideError) {
        #expect(throws: expected) { try AddressOverride(parsing: text) }
    }

    @Test("error messages are one line without control characters")
    func words() {
        expectEqual("\(AddressOverrideError.prefix("-"))", "there is no cached address to remove; omit the '-'")
        expectEqual("\(AddressOverrideError.prefix("+"))", "the addresses apply to the whole run anyway; omit the '+'")
        expectEqual(
            "\(AddressOverrideError.invalidAddress("\u{1B}[m"))",
            "\(quoted("\u{1B}[m")) is not an IP address; write one like 192.0.2.1 or [2001:db8::1]")
    }
}
