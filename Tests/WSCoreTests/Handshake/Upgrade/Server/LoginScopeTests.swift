import TestSupport
import Testing

@testable import WSCore

@Suite("LoginScope decides which servers get a login") struct LoginScopeTests {
    @Test(
        "The login for a host goes to any port with TLS, and in the clear only to this machine",
        arguments: [
            ("api.example", "https://api.example/", true), ("api.example", "wss://API.example.:8443/x", true),
            ("api.example", "http://api.example/", false), ("api.example", "https://other.example/", false),
            ("localhost", "ws://localhost:8080/", true), ("127.0.0.2", "http://127.0.0.2/", true),
        ])
    func host(_ host: String, url: String, isIncluded: Bool) throws {
        let scope = LoginScope.host(try #require(HostPattern(host)))
        let parsed = try WebSocketURL(parsing: url)
        expectEqual(scope.includes(parsed), isIncluded)
        #expect(!scope.includes(nil))
    }

    @Test("A request without a URL of its own gets the login of a gateway to one server")
    func all() {
        #expect(LoginScope.all.includes(nil) && !LoginScope.none.includes(nil))
    }
}
