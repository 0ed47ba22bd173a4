import TestSupport
import Testing

@testable import WSCore

@Suite struct CookieStoreTests {
    static func url(_ text: String) throws -> WebSocketURL { try WebSocketURL(parsing: text) }

    /// The Cookie value of a request for `url` after `source` has set one cookie.
    static func sent(_ setCookie: String, from source: String, to url: String, at now: Int = 0) throws -> String {
        var store = CookieStore()
        store.receive(setCookie: setCookie, from: try Self.url(source), at: 0)
        return store.pairs(for: try Self.url(url), at: now).joined(separator: "; ")
    }

    @Test("all Set-Cookie fields of any response are stored")
    func response() throws {
        var store = CookieStore()
        let fields = try ["Set-Cookie: a=1", "set-cookie: b=2; HttpOnly; SameSite=Strict", "Cookie: c=3"].map {
            try HeaderField(parsing: $0)
        }
        for status in [101, 302, 403] {
            store.receive(
                ResponseHead(status: status, reason: "", fields: HTTPFields(fields)), from: try Self.url("ws://h/"),
                at: 0)
        }
        expectEqual(store.pairs(for: try Self.url("ws://h/"), at: 0), ["a=1", "b=2"])
    }

    static let scopeCases: [(String, String, String, Bool)] = [
        // Host-only: the same host, any port, both schemes.
        ("a=1", "ws://h.example/", "ws://h.example/", true), ("a=1", "ws://h.example/", "ws://h.example:81/", true),
        ("a=1", "ws://h.example/", "wss://h.example/", true),
        ("a=1", "ws://h.example/", "ws://x.h.example/", false),
        ("a=1", "ws://h.example/", "ws://example/", false),
        ("a=1; domain=", "ws://h.example/", "ws://x.h.example/", false),
        // Domain: the suffix rule of §5.1.3.
        ("a=1; Domain=h.example", "ws://h.example/", "ws://x.h.example/", true),
        ("a=1; Domain=.H.Example", "ws://x.h.example/", "ws://h.example/", true),
        ("a=1; Domain=h.example", "ws://y.h.example/", "ws://x.y.h.example/", true),
        ("a=1; Domain=h.example", "ws://h.example/", "ws://xh.example/", false),
        ("a=1; Domain=x.h.example", "ws://h.example/", "ws://x.h.example/", false),
        ("a=1; Domain=other.example", "ws://h.example/", "ws://h.example/", false),
        ("a=1; Domain=xh.example", "ws://h.example/", "ws://h.example/", false),
        ("a=1; Domain=example", "ws://h.example/", "ws://h.example/", false),
        ("a=1; Domain=example.", "ws://h.example./", "ws://h.example./", false),
        ("a=1; Domain=..h.example", "ws://h.example/", "ws://h.example/", false),
        ("a=1; Domain=x.example; Domain=h.example", "ws://h.example/", "ws://h.example/", true),
        // A name without a dot and an address may name themselves, and stay host-only.
        ("a=1; Domain=localhost", "ws://localhost/", "ws://localhost:9/", true),
        ("a=1; Domain=localhost", "ws://localhost/", "ws://x.localhost/", false),
        ("a=1; Domain=1.2.3.4", "ws://1.2.3.4/", "ws://1.2.3.4/", true),
        ("a=1; Domain=2.3.4", "ws://1.2.3.4/", "ws://1.2.3.4/", false),
        ("a=1; Domain=3.4", "ws://1.2.3.4/", "ws://9.9.3.4/", false),
        ("a=1", "ws://[::1]/", "ws://[::1]:8/", true), ("a=1", "ws://[::1]/", "ws://[::2]/", false),
        // Each Unix domain socket is a separate host.
        ("a=1", "ws+unix:/a", "ws+unix:/a:/x", true), ("a=1", "ws+unix:/a", "ws+unix:/b", false),
        ("a=1", "ws+unix:/a", "ws://localhost/", false), ("a=1", "ws://localhost/", "ws+unix:/a", false),
        ("a=1; Domain=localhost", "ws+unix:/a", "ws+unix:/a", false), ("a=1", "echo:", "echo:", false),
        // Path: §5.1.4.
        ("a=1", "ws://h/x/y", "ws://h/x", true), ("a=1", "ws://h/x/y?z=/q", "ws://h/x/z", true),
        ("a=1", "ws://h/x/y", "ws://h/xy", false), ("a=1", "ws://h/x/y", "ws://h/", false),
        ("a=1", "ws://h/x", "ws://h/", true), ("a=1; Path=/b", "ws://h/x", "ws://h/b/c", true),
        ("a=1; Path=/b/", "ws://h/x", "ws://h/b", false), ("a=1; Path=/b/", "ws://h/x", "ws://h/b/?q", true),
        ("a=1; Path=/b", "ws://h/x", "ws://h/bc", false), ("a=1; Path=b", "ws://h/x/y", "ws://h/x/", true),
        ("a=1; Path=/b; Path=", "ws://h/x/y", "ws://h/x/", true), ("a=1; Path=/b", "ws://h/x", "ws://h/b?q", true),
        // Secure: set and sent only over TLS.
        ("a=1; Secure", "wss://h/", "wss://h/", true), ("a=1; secure=no", "wss://h/", "ws://h/", false),
        ("a=1; Secure", "ws://h/", "wss://h/", false),
        // The prefixes of RFC 6265bis §4.1.3.
        ("__Secure-a=1; Secure", "wss://h/", "wss://h/", true), ("__Secure-a=1", "wss://h/", "wss://h/", false),
        ("__secure-a=1", "wss://h/", "wss://h/", false),
        ("__Host-a=1; Secure; Path=/", "wss://h/", "wss://h/", true),
        ("__Host-a=1; Secure", "wss://h/", "wss://h/", false),
        ("__Host-a=1; Path=/", "wss://h/", "wss://h/", false),
        ("__Host-a=1; Secure; Path=/; Domain=h.example", "wss://h.example/", "wss://h.example/", false),
        ("__Host-a=1; Secure; Path=/x", "wss://h/x", "wss://h/x", false),
    ]

    @Test("a cookie is sent to the hosts and paths of RFC 6265 §5.4", arguments: Self.scopeCases)
    func scope(setCookie: String, source: String, target: String, isSent: Bool) throws {
        try expectEqual(Self.sent(setCookie, from: source, to: target).isEmpty, !isSent)
    }

    static let pairsCases: [(String, String)] = [
        ("a=b", "a=b"), (" a \t= b c ; x", "a=b c"), ("a=b=c", "a=b=c"), ("a=", "a="), ("a=\"b\"", "a=\"b\""),
        ("a=b;", "a=b"), ("a=ü", "a=ü"), ("a", ""), ("=b", ""), ("", ""), (";a=b", ""), ("a=b\u{1}", ""),
        ("a=b; x=\u{7F}", ""), ("a=b\tc", ""), ("a\tb=c", ""),
    ]

    @Test("name and value are parsed by the rules of RFC 6265 §5.2", arguments: Self.pairsCases)
    func pairs(field: String, sent: String) throws {
        try expectEqual(Self.sent(field, from: "ws://h/", to: "ws://h/"), sent)
    }

    static let lifetimeCases: [(String, Int, Bool)] = [
        ("a=1", Int.max - 1, true), ("a=1; Max-Age=10", 9, true), ("a=1; Max-Age=10", 10, false),
        ("a=1; Max-Age=0", 0, false), ("a=1; max-age=-5", 0, false), ("a=1; Max-Age=x", 99, true),
        ("a=1; Max-Age=", 99, true), ("a=1; Max-Age=+5", 99, true), ("a=1; Max-Age=-", 99, true),
        ("a=1; Max-Age=99999999999999999999999", 1 << 60, true),
        ("a=1; Max-Age=9223372036854775807", 1 << 60, true),
        ("a=1; Expires=Thu, 01 Jan 1970 00:00:09 GMT", 8, true),
        ("a=1; Expires=Thu, 01 Jan 1970 00:00:09 GMT", 9, false),
        ("a=1; Expires=Wed, 31 Dec 1969 23:59:59 GMT", 0, false),
        ("a=1; Expires=yesterday", 99, true),
        ("a=1; Max-Age=10; Expires=Thu, 01 Jan 1970 00:00:01 GMT", 9, true),
        ("a=1; Expires=Thu, 01 Jan 1970 00:00:01 GMT; Max-Age=10; Max-Age=5", 9, false),
    ]

    @Test("a cookie expires as Max-Age or otherwise Expires determines (RFC 6265 §5.3)", arguments: Self.lifetimeCases)
    func lifetime(field: String, now: Int, isAlive: Bool) throws {
        try expectEqual(!Self.sent(field, from: "ws://h/", to: "ws://h/", at: now).isEmpty, isAlive)
    }

    @Test("a cookie replaces one with its name, domain, and path in place, and an expired one deletes it")
    func replacement() throws {
        var store = CookieStore()
        let url = try Self.url("ws://h.example/x/")
        for field in ["a=1", "b=2", "a=3", "a=4; Path=/", "a=5; Domain=h.example"] {
            store.receive(setCookie: field, from: url, at: 0)
        }
        expectEqual(store.pairs(for: url, at: 0), ["a=3", "b=2", "a=5", "a=4"])
        store.receive(setCookie: "a=; Max-Age=0", from: url, at: 0)
        expectEqual(store.pairs(for: url, at: 0), ["b=2", "a=5", "a=4"])
        store.receive(setCookie: "nothing=; Max-Age=0", from: url, at: 0)
        expectEqual(store.count, 3)
    }

    @Test("longer paths come first, then earlier cookies (RFC 6265 §5.4)")
    func order() throws {
        var store = CookieStore()
        let url = try Self.url("ws://h/x/y/z")
        for field in ["a=1; Path=/", "b=2; Path=/x/y", "c=3; Path=/x", "d=4; Path=/x/y"] {
            store.receive(setCookie: field, from: url, at: 0)
        }
        expectEqual(store.pairs(for: url, at: 0), ["b=2", "d=4", "c=3", "a=1"])
        expectEqual(store.pairs(for: url, excluding: ["d", "A"], at: 0), ["b=2", "c=3", "a=1"])
    }

    @Test("a server without TLS cannot replace or shadow a cookie set over TLS (RFC 6265bis §5.7)")
    func secureIsLeftAlone() throws {
        var store = CookieStore()
        let secure = try Self.url("wss://h.example/x/y")
        store.receive(setCookie: "a=good; Secure; Path=/x", from: secure, at: 0)
        for field in [
            "a=evil; Path=/x", "a=evil; Path=/x/y", "a=evil; Domain=h.example; Path=/x", "a=; Max-Age=0; Path=/x",
        ] {
            store.receive(setCookie: field, from: try Self.url("ws://h.example/x/y"), at: 0)
        }
        store.receive(
            setCookie: "a=evil; Domain=h.example; Path=/x/y", from: try Self.url("ws://sub.h.example/"), at: 0)
        expectEqual(store.pairs(for: secure, at: 0), ["a=good"])
        store.receive(setCookie: "a=beside; Path=/", from: try Self.url("ws://h.example/"), at: 0)
        expectEqual(store.pairs(for: secure, at: 0), ["a=good", "a=beside"])
    }

    @Test("oversized cookies are dropped, and new cookies evict the oldest")
    func limits() throws {
        let url = try Self.url("ws://h/")
        let largest = "a=" + String(repeating: "x", count: SetCookie.maximumBytes - 1)
        try expectEqual(Self.sent(largest, from: "ws://h/", to: "ws://h/"), largest)
        try expectEqual(Self.sent(largest + "x", from: "ws://h/", to: "ws://h/"), "")
        let longPath = "/" + String(repeating: "p", count: SetCookie.maximumAttributeBytes)
        try expectEqual(Self.sent("a=1; Path=\(longPath)", from: "ws://h/", to: "ws://h/"), "a=1")

        var store = CookieStore()
        for index in 0..<60 { store.receive(setCookie: "c\(index)=1", from: url, at: 0) }
        expectEqual(store.count, CookieStore.maximumCookiesOfDomain)
        expectEqual(store.pairs(for: url, at: 0).first, "c10=1")
        store.receive(setCookie: "c30=2", from: url, at: 0)
        expectEqual(store.pairs(for: url, at: 0).first, "c10=1")
        for host in 0..<76 {
            for index in 0..<40 { store.receive(setCookie: "c\(index)=1", from: try Self.url("ws://h\(host)/"), at: 0) }
        }
        expectEqual(store.count, CookieStore.maximumCookies)
        expectEqual(store.pairs(for: url, at: 0), [])
    }

    @Test("cookies that would make the head too large are omitted, from the end of the order")
    func fieldLimit() throws {
        var store = CookieStore()
        let url = try Self.url("ws://h/")
        for index in 0..<40 {
            store.receive(setCookie: "c\(index)=" + String(repeating: "x", count: 500), from: url, at: 0)
        }
        let value = store.pairs(for: url, at: 0).joined(separator: "; ")
        #expect(value.hasPrefix("c0=") && value.utf8.count <= CookieStore.maximumFieldBytes)
        #expect(value.utf8.count > CookieStore.maximumFieldBytes - 600)
    }
}
