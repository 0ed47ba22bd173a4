import TestSupport
import Testing

@testable import WSCore

@Suite struct ProxyChoiceTests {
    /// Returns the selected proxy and its source as text, or "none".
    static func chosen(
        proxy: String? = nil, noProxy: String? = nil, _ variables: [String: String] = [:], isSecure: Bool = true,
        host: String = "example.com", port: UInt16 = 443
    ) throws -> String {
        let choice = try ProxyChoice(proxy: proxy, noProxy: noProxy) { variables[$0] }
        guard let chosen = try choice.proxy(isSecure: isSecure, host: host, port: port) else { return "none" }
        return "\(chosen.proxy.host) of \(chosen.variable ?? "--proxy")"
    }

    @Test("without options and variables, there is no proxy")
    func none() throws {
        try expectEqual(Self.chosen(), "none")
        try expectEqual(Self.chosen(isSecure: false), "none")
    }

    @Test("variables take precedence in curl's order")
    func order() throws {
        let secure = ["wss_proxy", "WSS_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        let plain = ["ws_proxy", "WS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY"]
        var variables = ["HTTP_PROXY": "http://never"]
        for name in Set(secure + plain) {
            variables[name] = "http://" + name.map { $0 == "_" ? "-" : String($0) }.joined() + "-is-set"
        }
        for (isSecure, names) in [(true, secure), (false, plain)] {
            var left = variables
            for name in names {
                let host = name.lowercased().map { $0 == "_" ? "-" : String($0) }.joined() + "-is-set"
                try expectEqual(Self.chosen(left, isSecure: isSecure), "\(host) of \(name)")
                // An empty variable is ignored, like an unset one.
                left[name] = isSecure ? "" : nil
            }
            try expectEqual(Self.chosen(left, isSecure: isSecure), "none")
        }
    }

    @Test("HTTP_PROXY in upper case is ignored, because clients of a CGI program can set it")
    func capitals() throws {
        try expectEqual(Self.chosen(["HTTP_PROXY": "http://evil"], isSecure: false), "none")
    }

    @Test("--proxy overrides all variables, and an empty value disables proxies")
    func option() throws {
        let variables = ["https_proxy": "http://a", "http_proxy": "http://a", "all_proxy": "http://a"]
        for isSecure in [true, false] {
            try expectEqual(Self.chosen(proxy: "http://b", variables, isSecure: isSecure), "b of --proxy")
            try expectEqual(Self.chosen(proxy: "", variables, isSecure: isSecure), "none")
        }
    }

    @Test("--no-proxy overrides no_proxy, which overrides NO_PROXY, and all apply to --proxy, too")
    func exceptions() throws {
        for (proxy, source) in [(nil, "https_proxy"), ("http://p", "--proxy")] {
            func chosen(noProxy: String? = nil, _ variables: [String: String]) throws -> String {
                let proxies = ["https_proxy": "http://p"]
                return try Self.chosen(proxy: proxy, noProxy: noProxy, proxies.merging(variables) { $1 })
            }
            try expectEqual(chosen(["no_proxy": "example.com"]), "none")
            try expectEqual(chosen(["NO_PROXY": "example.com"]), "none")
            try expectEqual(chosen(["no_proxy": "", "NO_PROXY": "example.com"]), "none")
            try expectEqual(chosen(["no_proxy": "other", "NO_PROXY": "example.com"]), "p of \(source)")
            try expectEqual(chosen(noProxy: "", ["no_proxy": "*"]), "p of \(source)")
            try expectEqual(chosen(noProxy: "example.com:443", [:]), "none")
            try expectEqual(chosen(noProxy: "example.com:80", [:]), "p of \(source)")
        }
    }

    @Test(
        "local addresses use the proxy unless they are listed",
        arguments: ["localhost", "127.0.0.1", "::1"])
    func loopback(host: String) throws {
        try expectEqual(Self.chosen(["all_proxy": "p"], host: host), "p of all_proxy")
        try expectEqual(Self.chosen(["all_proxy": "p", "no_proxy": "localhost,127.0.0.0/8,::1"], host: host), "none")
    }

    @Test("an invalid --proxy fails immediately, and an invalid variable fails by name when it is used")
    func errors() throws {
        #expect(throws: ProxyURLError.unsupportedScheme("socks4")) { try ProxyChoice(proxy: "socks4://p") { _ in nil } }
        let variables = ["https_proxy": "socks4://user:secret@p", "http_proxy": "p", "no_proxy": "direct"]
        let error = ProxyChoiceError(variable: "https_proxy", reason: .unsupportedScheme("socks4"))
        #expect(throws: error) { try Self.chosen(variables) }
        #expect(error.description.hasPrefix("environment variable https_proxy: \"socks4\" is not supported; "))
        try expectEqual(Self.chosen(variables, isSecure: false), "p of http_proxy")
        try expectEqual(Self.chosen(variables, host: "direct"), "none")
    }
}
