import TestSupport
import Testing

@testable import WSCore

@Suite struct HandshakeRefusalTests {
    private static let request = RequestHead(method: "GET", target: "/", fields: HTTPFields())

    private static func fields(_ status: Int, policy: ServerPolicy) -> [String] {
        HandshakeRefusal.rejection(of: request, with: status, because: "no", policy: policy).fields.map(\.line)
    }

    @Test(
        "a chosen status comes with the fields that HTTP requires for it",
        arguments: [
            (401, ["WWW-Authenticate: Basic realm=\"wsx\"\r\n"]), (405, ["Allow: \r\n"]),
            (407, ["Proxy-Authenticate: Basic realm=\"wsx\"\r\n"]),
            (426, ["Upgrade: websocket\r\n", "Sec-WebSocket-Version: 13\r\n"]), (404, []), (503, []),
        ])
    func demanded(status: Int, lines: [String]) throws {
        expectEqual(Self.fields(status, policy: try ServerPolicy()), lines)
    }

    @Test("the policy's fields override required fields, with all their values")
    func ownFields() throws {
        let policy = try ServerPolicy(
            extraFields: ["www-authenticate: Negotiate", "WWW-Authenticate: NTLM"].map { try HeaderField(parsing: $0) })
        expectEqual(
            Self.fields(401, policy: policy), ["www-authenticate: Negotiate\r\n", "WWW-Authenticate: NTLM\r\n"])
        expectEqual(Self.fields(426, policy: policy).count, 4)
    }

    @Test("a 401 challenge matches the configured secrets")
    func challenges() throws {
        let policy = try ServerPolicy(access: AccessPolicy(tokens: [BearerToken("t")]))
        expectEqual(Self.fields(401, policy: policy), ["WWW-Authenticate: Bearer realm=\"wsx\"\r\n"])
    }
}
