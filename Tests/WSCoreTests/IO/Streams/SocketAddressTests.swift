import TestSupport
import Testing

@testable import WSCore

@Suite struct SocketAddressTests {
    @Test("a numeric IPv4 address has a port, a family, and a description")
    func ipv4() throws {
        let address = try #require(SocketAddress(numeric: "192.0.2.7", port: 8080))
        expectEqual(address.family, .ipv4)
        expectEqual(address.port, 8080)
        expectEqual(address.host, "192.0.2.7")
        expectEqual("\(address)", "192.0.2.7:8080")
    }

    @Test(
        "an IPv6 address is formatted in its shortest form and in brackets",
        arguments: [
            ("::1", "[::1]:65535"), ("2001:DB8:0:0::1", "[2001:db8::1]:65535"),
            ("::ffff:192.0.2.1", "[::ffff:192.0.2.1]:65535"),
        ])
    func ipv6(text: String, description: String) throws {
        let address = try #require(SocketAddress(numeric: text, port: 65535))
        expectEqual(address.family, .ipv6)
        expectEqual(address.port, 65535)
        expectEqual("\(address)", description)
    }

    @Test("an IPv6 address can have a zone")
    func zone() throws {
        let text = "fe80::1%lo"
        let address = try #require(SocketAddress(numeric: text, port: 1))
        expectEqual(address.family, .ipv6)
        expectEqual(address.host, text)
        expectEqual("\(address)", "[\(text)]:1")
        expectEqual(address.withPort(2).host, text)
        expectEqual(SocketAddress(numeric: "fe80::1%1", port: 1)?.host, text)
    }

    @Test("an unknown zone is distinguished from an invalid address")
    func unknownZone() {
        for zone in ["none", "4294967295", "4294967296", "-1"] {
            expectNil(SocketAddress(numeric: "fe80::1%\(zone)", port: 1))
            expectEqual(SocketAddress.unknownZone(of: "fe80::1%\(zone)"), zone)
        }
        for text in ["fe80::1", "fe80::1%1", "name%none", "127.0.0.1%none", "%", "::1%%1%", ""] {
            let expected = text == "::1%%1%" ? "%1%" : nil
            expectEqual(SocketAddress.unknownZone(of: text), expected, "\(text)")
        }
    }

    @Test("RFC 4291 §2.5.6: only link-local addresses without a zone need one")
    func needsZone() {
        for (text, expected) in [
            ("fe80::1", true), ("febf::1", true), ("fec0::1", false), ("fe80::1%1", false), ("::1", false),
            ("254.128.0.1", false),
        ] {
            expectEqual(SocketAddress(numeric: text, port: 1)?.needsZone, expected, "\(text)")
        }
    }

    static let notNumericCases: [String] = [
        "", "localhost", "127.1", "127.0.0.1.", "256.0.0.1", "1.2.3", "[::1]", ":::", "::1::", "0x7f.0.0.1",
        "127.0.0.1 ", "12345::",
    ]

    @Test("names and malformed addresses are not numeric addresses", arguments: Self.notNumericCases)
    func notNumeric(text: String) {
        expectNil(SocketAddress(numeric: text, port: 80))
    }

    @Test("the port can be changed in both families", arguments: ["127.0.0.1", "::1"])
    func withPort(text: String) throws {
        let address = try #require(SocketAddress(numeric: text, port: 1))
        expectEqual(address.withPort(443).port, 443)
        expectEqual(address.withPort(443).host, text)
    }
}
