import TestSupport
import Testing

@testable import WSCore

@Suite struct ClientLoginTests {
    static let digest = "Digest realm=r, nonce=n1, qop=auth"
    static let stale = "Digest realm=r, nonce=n2, qop=auth, stale=TRUE"

    /// The schemes, algorithms, and nonces of the answers to responses, each with its fields; `-` for none.
    static func answers(_ responses: [[String]], by method: AuthenticationMethod) throws -> [String] {
        var login = try ClientLogin(Credentials(user: "me", password: "secret"), by: method)
        return responses.map { values in
            guard login.answer(values, method: "GET", target: "/", random: Array(0..<16)),
                let answer = AuthenticationChallenge.parse([login.authorization ?? ""]).first
            else { return "-" }
            return [answer.scheme, answer["algorithm"], answer["nonce"]].compactMap(\.self).joined(separator: " ")
        }
    }

    @Test("Only Basic authentication is sent without a challenge, and it answers none")
    func withoutChallenge() throws {
        let credentials = try Credentials(user: "me", password: "secret")
        expectEqual(ClientLogin(credentials, by: .basic).authorization, credentials.basicAuthorization)
        for method in [AuthenticationMethod.digest, .strongest] {
            expectNil(ClientLogin(credentials, by: method).authorization)
        }
        try expectEqual(Self.answers([[Self.digest], ["Basic"]], by: .basic), ["-", "-"])
    }

    @Test(
        "The strongest scheme and algorithm is chosen, of one field or of several",
        arguments: [
            (["Basic realm=x, " + digest], "Digest n1"), (["Basic", "NTLM", digest], "Digest n1"),
            (["Digest nonce=a", "Digest nonce=b, algorithm=SHA-256"], "Digest SHA-256 b"),
            (["Digest nonce=a, algorithm=MD5, Digest nonce=b, algorithm=SHA-512-256, Basic"], "Digest SHA-512-256 b"),
            (["Digest nonce=a, algorithm=SHA-256", "Digest nonce=b, algorithm=SHA-512-256"], "Digest SHA-256 a"),
            (["Digest nonce=a, algorithm=SHA-3, Digest nonce=b"], "Digest b"),
        ])
    func strongest(values: [String], answer: String) throws {
        for method in [AuthenticationMethod.digest, .strongest] {
            try expectEqual(Self.answers([values], by: method), [answer])
        }
    }

    @Test("Basic is only an answer by the strongest scheme, and only without a usable challenge of Digest")
    func basic() throws {
        for values in [["basic realm=x"], ["Digest nonce=n, qop=auth-int", "Basic"]] {
            try expectEqual(Self.answers([values, values], by: .strongest), ["Basic", "-"])
            try expectEqual(Self.answers([values, values], by: .digest), ["-", "-"])
        }
        try expectEqual(Self.answers([["Negotiate, Bearer"], []], by: .strongest), ["-", "-"])
    }

    @Test("A rejected answer is not repeated, except once for a stale nonce (RFC 7616 §3.3)")
    func stale() throws {
        for method in [AuthenticationMethod.digest, .strongest] {
            try expectEqual(Self.answers([[Self.digest], [Self.digest]], by: method), ["Digest n1", "-"])
            try expectEqual(
                Self.answers([[Self.digest], [Self.stale], [Self.stale]], by: method), ["Digest n1", "Digest n2", "-"])
            try expectEqual(Self.answers([[Self.digest], ["Basic"]], by: method), ["Digest n1", "-"])
        }
    }
}
