import TestSupport
import Testing

@testable import WSCore

@Suite("An HTTP proxy takes requests for the servers that clients name") struct ProxyTargetTests {
    private static let targets: [(text: String, host: String?, port: UInt16)] = [
        ("Example.COM:443", "example.com", 443), ("a_b.example.:80", "a_b.example.", 80),
        ("192.0.2.1:8080", "192.0.2.1", 8080), ("[2001:DB8::1]:1", "2001:db8::1", 1),
        ("xn--mnchen-3ya.example:443", "xn--mnchen-3ya.example", 443),
        ("example.com", nil, 0), ("example.com:", nil, 0), ("example.com:0", nil, 0), ("example.com:65536", nil, 0),
        ("*.example:443", nil, 0), ("a..b:443", nil, 0), (".a:443", nil, 0), (".:443", nil, 0), (":443", nil, 0),
        ("a%2eb:443", nil, 0), ("a%00:443", nil, 0), ("u@a:443", nil, 0), ("a:443/", nil, 0),
        ("[::1%25lo]:443", nil, 0),
        ("::1:443", nil, 0), ("münchen.example:443", nil, 0), ("a,b:443", nil, 0),
    ]

    @Test("The target of CONNECT is a host and a port (RFC 9110 §9.3.6)") func connectTargets() {
        for (text, host, port) in Self.targets {
            let target = ProxyTarget(connecting: text)
            if target?.host != host || (host != nil && target?.port != port) { Issue.record("\(text)") }
        }
    }

    private static let access = AccessPolicy(
        credentials: [try? Credentials(user: "me", password: "pw")].compactMap(\.self))

    private static func proxied(
        _ method: String, _ target: String, _ lines: [String] = [], in tunnel: TunnelOrigin? = nil,
        access: AccessPolicy = .open
    ) throws -> RequestHead {
        let request = RequestHead(
            method: method, target: target, fields: HTTPFields(try lines.map { try HeaderField(parsing: $0) }))
        return try request.proxied(through: tunnel, access: access)
    }

    private static func status(_ body: () throws -> RequestHead) -> Int? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? HandshakeRefusal)?.status
        }
    }

    @Test("The target of an absolute request replaces Host (RFC 9112 §3.2.2), and its login goes no further")
    func absoluteRequests() throws {
        let login = "Proxy-Authorization: Basic bWU6cHc="
        let request = try Self.proxied(
            "GET", "http://Example.com:8080/a?b", ["Host: other", login], access: Self.access)
        #expect(request.fields.all(named: "Host") == ["example.com:8080"])
        #expect(!request.fields.contains(named: "Proxy-Authorization"))
        #expect(request.targetURL?.text == "ws://example.com:8080/a?b")
    }

    private static let refused: [(method: String, target: String, lines: [String], status: Int)] = [
        ("GET", "/", [], 400), ("OPTIONS", "*", [], 400), ("GET", "http://*.a/", [], 400),
        ("GET", "http://u@a/", [], 400),
        ("GET", "http://a/", ["Host: a", "Host: b"], 400), ("CONNECT", "a", [], 400),
        ("CONNECT", "a:1", ["Content-Length: 1"], 400), ("CONNECT", "a:1", ["Transfer-Encoding: chunked"], 400),
    ]

    @Test("Other requests are refused") func refusals() {
        for (method, target, lines, status) in Self.refused {
            if Self.status({ try Self.proxied(method, target, lines) }) != status {
                Issue.record("\(method) \(target)")
            }
        }
        for lines in [[], ["Proxy-Authorization: Basic bWU6"], ["Authorization: Basic bWU6cHc="]] {
            #expect(Self.status { try Self.proxied("CONNECT", "a:1", lines, access: Self.access) } == 407)
        }
    }

    @Test("Requests in a tunnel go where the tunnel leads") func tunneledRequests() throws {
        let tunnel = TunnelOrigin(target: try #require(ProxyTarget(connecting: "[::1]:443")), isSecure: true)
        let request = try Self.proxied("GET", "/a?b", ["Host: virtual"], in: tunnel)
        #expect(request.target == "https://[::1]/a?b" && request.fields.only(named: "Host") == "virtual")
        #expect(try Self.proxied("OPTIONS", "*", in: tunnel).targetURL?.requestTarget == "*")
        #expect(try Self.proxied("GET", "wss://[::1]:443/", in: tunnel).target == "wss://[::1]:443/")
        for (method, target) in [
            ("GET", "http://[::1]:443/"), ("GET", "https://[::1]:444/"), ("GET", "*"), ("CONNECT", "[::1]:443"),
            ("CONNECT", "https://[::1]/"),
        ] {
            if Self.status({ try Self.proxied(method, target, in: tunnel) }) != 400 {
                Issue.record("\(method) \(target)")
            }
        }
    }

    private static let patterns: [(pattern: String, matching: [String], others: [String])] = [
        ("api.example", ["api.example", "api.example."], ["a.api.example", "api.example.org"]),
        ("*.Example", ["a.example", "a.b.example."], ["example"]), ("*", ["a", "::1", "127.0.0.1"], []),
        ("a*c", ["ac", "abc", "a.c"], ["abcd"]), ("::1", ["::1"], ["::2"]), ("[::1]", ["::1"], []),
        ("münchen.example", ["xn--mnchen-3ya.example"], []),
    ]

    private static let noPatterns = [
        "", "a:80", "*:80", "a/b", "u@a", "ü*.example", "[::1]:80", "a b", "*,localhost", "{x}*", "..*", "[::*", "%61*",
        "%61", "a..b", ".a",
    ]

    @Test("A pattern matches hosts without case, port, and final dot") func hostPatterns() throws {
        for (text, matching, others) in Self.patterns {
            let pattern = try #require(HostPattern(text))
            if !matching.allSatisfy(pattern.matches) || others.contains(where: pattern.matches) {
                Issue.record("\(text)")
            }
        }
        for text in Self.noPatterns where HostPattern(text) != nil { Issue.record("\(text)") }
        #expect(HostPattern("API.example.")?.host == "api.example" && HostPattern("*.a")?.host == nil)
    }
}
