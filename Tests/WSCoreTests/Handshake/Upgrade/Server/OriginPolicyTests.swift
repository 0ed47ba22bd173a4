import TestSupport
import Testing

@testable import WSCore

@Suite struct OriginPolicyTests {
    @Test(
        "the server's own pages, local pages, and programs may connect (RFC 6455 §10.2)",
        arguments: [
            (nil, "x.example"), ("http://x.example", "x.example"), ("https://x.example", "X.Example"),
            ("https://x.example", "x.example:443"), ("http://x.example:8080", "x.example:8080"),
            ("HTTP://X.example:80", "x.example"),
            ("http://[2001:db8::1]:81", "[2001:DB8::1]:81"), ("http://192.0.2.1", "192.0.2.1"),
            ("http://localhost", "x"), ("http://localhost:3000", "x"), ("https://app.localhost:1", "x"),
            ("http://localhost.", "x"),
            ("http://127.0.0.1:5", "x"), ("http://127.255.0.9", "x"), ("http://[::1]:5", "x"),
        ] as [(String?, String)])
    func allowed(origin: String?, host: String) {
        expectTrue(OriginPolicy.allowsOrigin(origin, host: host, allowed: []))
    }

    static let refusedCases: [(String, String)] = [
        ("null", "localhost"), ("", "localhost"), ("http://evil.example", "localhost"),
        ("http://x.example:81", "x.example"),
        ("http://x.example", "x.example:8080"), ("https://x.example", "x.example:80"),
        ("http://localhost.evil.example", "x"),
        ("http://evil-localhost", "x"), ("http://127.0.0.1.evil.example", "x"), ("http://128.0.0.1", "x"),
        ("http://127.1", "x"),
        ("http://0127.0.0.1", "x"), ("http://[::2]", "x"), ("http://localhost/", "localhost"),
        ("http://a@localhost", "localhost"),
        ("chrome-extension://localhost", "localhost"), ("file://", "localhost"),
        ("http://localhost http://evil", "localhost"),
        ("localhost", "localhost"), ("//localhost", "localhost"), ("http://x\0.example", "x\0.example"),
    ]

    @Test("all other pages are refused", arguments: Self.refusedCases)
    func refused(origin: String, host: String) {
        expectFalse(OriginPolicy.allowsOrigin(origin, host: host, allowed: ["https://other.example"]))
    }

    @Test("a listed origin may connect, with or without its default port")
    func listed() {
        let list = ["https://A.example", "http://b.example:81", "chrome-extension://abc"]
        expectTrue(OriginPolicy.allowsOrigin("https://a.example", host: "h", allowed: list))
        expectTrue(OriginPolicy.allowsOrigin("https://a.example:443", host: "h", allowed: list))
        expectTrue(OriginPolicy.allowsOrigin("http://b.example:81", host: "h", allowed: list))
        expectTrue(OriginPolicy.allowsOrigin("chrome-extension://abc", host: "h", allowed: list))
        expectFalse(OriginPolicy.allowsOrigin("http://a.example", host: "h", allowed: list))
        expectFalse(OriginPolicy.allowsOrigin("https://a.example:444", host: "h", allowed: list))
        expectFalse(OriginPolicy.allowsOrigin("https://sub.a.example", host: "h", allowed: list))
        expectTrue(OriginPolicy.allowsOrigin("null", host: "h", allowed: ["null"]))
        expectTrue(OriginPolicy.allowsOrigin("null", host: "h", allowed: ["*"]))
    }

    static let hostsCases: [(String, Bool)] = [
        ("localhost", true), ("localhost:8080", true), ("a.localhost", true), ("127.0.0.1:80", true),
        ("192.0.2.7", true),
        ("[::1]:80", true), ("[2001:db8::1]", true), ("ok.example", true), ("OK.example:8443", true),
        ("evil.example", false), ("localhost.evil.example", false), ("2130706433", false), ("0x7f.1", false),
        ("", false),
        ("evil.example#localhost", false), ("a b", false), ("::1", false), ("sub.ok.example", false),
    ]

    @Test(
        "Host must be an IP address, localhost, or listed, because DNS could point any other name here",
        arguments: Self.hostsCases)
    func hosts(host: String, isAllowed: Bool) {
        expectEqual(OriginPolicy.allowsHost(host, allowed: ["https://ok.example"]), isAllowed)
        let isValid = (try? HostAndPort(parsing: host)) != nil
        expectEqual(OriginPolicy.allowsHost(host, allowed: ["*"]), isValid)
    }
}
