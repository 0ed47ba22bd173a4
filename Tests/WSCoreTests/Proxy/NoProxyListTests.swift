import TestSupport
import Testing

@testable import WSCore

@Suite struct NoProxyListTests {
    static let namedCases: [(String, String)] = [
        ("*", "anything.example"), ("a, *", "::1"), ("example.com", "example.com"),
        ("example.com", "www.example.com"),
        (".example.com", "www.example.com"), (".example.com", "example.com"), ("*.example.com", "a.b.example.com"),
        ("EXAMPLE.com", "www.example.COM"), ("example.com.", "example.com"), ("example.com", "example.com."),
        ("a b,,\texample.com", "example.com"), ("localhost", "localhost"), ("com", "example.com"),
        ("10.0.0.1", "10.0.0.1"), ("10.0.0.0/8", "10.255.1.2"), ("10.0.0.7/31", "10.0.0.6"),
        ("0.0.0.0/0", "1.2.3.4"),
        ("10.0.0.1/32", "10.0.0.1"), ("192.168.128.0/17", "192.168.255.1"), ("10.0.0.1.", "10.0.0.1"),
        ("::1", "::1"), ("[::1]", "0:0:0:0:0:0:0:1"), ("2001:DB8::", "2001:db8:0::"),
        ("2001:db8::/32", "2001:db8:ffff::1"), ("[2001:db8::/32]", "2001:db8::1"),
        ("[2001:db8::]/32", "2001:db8::1"),
        ("2001:db8::/33", "2001:db8:7fff::"), ("::/0", "fe80::1%eth0"), ("fe80::1%eth1", "fe80::1%eth0"),
        ("fe80::/10", "febf::1%2"), ("[fe80::1%25eth1]", "fe80::1"),
    ]

    @Test("hosts on the list bypass the proxy", arguments: Self.namedCases)
    func named(list: String, host: String) {
        let list = NoProxyList(parsing: list)
        #expect(list.contains(host: host, port: 443) && list.contains(host: host, port: 1))
    }

    static let notNamedCases: [(String, String)] = [
        ("", "example.com"), (" , ", "example.com"), ("example.com", "notexample.com"),
        ("www.example.com", "example.com"),
        (".", "example.com"), ("*.", "example.com"), ("exam*", "example.com"), ("example", "example.com"),
        ("0.1", "10.0.0.1"), (".1", "10.0.0.1"), ("10.0.0.1", "10.0.0.2"), ("10.0.0.0/8", "11.0.0.0"),
        ("10.0.0.0/9", "10.128.0.0"), ("10.0.0.0/33", "10.0.0.0"), ("10.0.0.0/", "10.0.0.1"),
        ("10.0.0.0/8/8", "10.0.0.0"), ("10.0.0.0/-1", "10.0.0.0"), ("10.0.0.0/+8", "10.0.0.0"),
        ("10.0.0.0/8", "a.example"),
        ("10.0.0.0/99999999999999999999", "10.0.0.0"), ("::/0", "1.2.3.4"), ("0.0.0.0/0", "::1"),
        ("2001:db8::/33", "2001:db8:8000::"), ("::1/129", "::1"), ("[::1", "::1"), ("[::1]x", "::1"),
        ("::ffff:10.0.0.1", "10.0.0.1"), ("example.com/8", "example.com"),
    ]

    @Test("hosts not on the list use the proxy", arguments: Self.notNamedCases)
    func notNamed(list: String, host: String) {
        expectFalse(NoProxyList(parsing: list).contains(host: host, port: 443))
    }

    static let portsCases: [(String, String)] = [
        ("example.com:8443", "www.example.com"), ("*:8443", "any"), ("10.0.0.1:8443", "10.0.0.1"),
        ("[::1]:8443", "::1"),
        ("10.0.0.0/8:8443", "10.0.0.1"), ("[2001:db8::/32]:8443", "2001:db8::1"),
        ("[2001:db8::]/32:8443", "2001:db8::1"), ("example.com.:8443", "example.com"),
    ]

    @Test("an element with a port matches only that port", arguments: Self.portsCases)
    func ports(list: String, host: String) {
        let list = NoProxyList(parsing: list)
        #expect(list.contains(host: host, port: 8443) && !list.contains(host: host, port: 443))
    }

    @Test(
        "an element with an invalid port matches nothing",
        arguments: ["example.com:", "example.com:x", "example.com:65536", "example.com:+1", "example.com:443:443"])
    func badPorts(list: String) {
        let list = NoProxyList(parsing: list)
        #expect(!list.contains(host: "example.com", port: 443) && !list.contains(host: "example.com", port: 1))
    }
}
