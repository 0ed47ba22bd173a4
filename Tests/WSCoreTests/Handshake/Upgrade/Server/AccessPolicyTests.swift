import TestSupport
import Testing

@testable import WSCore

@Suite struct AccessPolicyTests {
    static let policy = try? AccessPolicy(
        credentials: [Credentials(user: "me", password: "a:b ü"), Credentials(user: "", password: "x")],
        tokens: [BearerToken("t0ken"), BearerToken("t0ken2")])

    static func basic(_ text: String) -> String { Digest.base64(Array(text.utf8)) }

    @Test(
        "each secret is accepted, with any case of the scheme and any spaces after it (RFC 9110 §11.1)",
        arguments: [
            "Basic \(basic("me:a:b ü"))", "bASIC   \(basic(":x"))", "Bearer t0ken", "BEARER t0ken2", "bearer  t0ken",
        ])
    func admitted(authorization: String) throws {
        try expectNotNil(#require(Self.policy).login(with: authorization))
    }

    @Test(
        "everything else is refused",
        arguments: [
            nil, "", " ", "Basic", "Basic ", "Bearer", "Bearer ", "Bearer t0ke", "Bearer t0ken3", "Bearer T0KEN",
            "Bearer t0ken ", "Bearer t0ken t0ken2", "Bearert0ken", "Bearer\tt0ken", "t0ken", "Digest t0ken",
            "Basic t0ken", "Bearer \(basic("me:a:b ü"))", "Basic \(basic("me:a:b"))", "Basic \(basic("me"))",
            "Basic \(basic("ME:a:b ü"))", "Basic \(basic("me:a:b ü"))=", "Basic ?", "Basic \u{FFFD}",
        ] as [String?])
    func refused(authorization: String?) throws {
        try expectNil(#require(Self.policy).login(with: authorization))
    }

    @Test("the login is that of the matching secret")
    func logins() throws {
        let policy = try #require(Self.policy)
        expectEqual(policy.login(with: "Basic \(Self.basic("me:a:b ü"))"), .basic(user: "me"))
        expectEqual(policy.login(with: "Basic \(Self.basic(":x"))"), .basic(user: ""))
        expectEqual(policy.login(with: "Bearer t0ken"), .bearer)
    }

    @Test("without secrets, every client is admitted")
    func open() {
        expectFalse(AccessPolicy.open.isClosed)
        for authorization in [nil, "", "Bearer x"] { expectNil(AccessPolicy.open.login(with: authorization)) }
        expectEmpty(AccessPolicy.open.challenges(to: nil))
    }

    @Test("challenges match the configured secrets, and report an invalid token (RFC 6750 §3.1)")
    func challenges() throws {
        let basic = #"Basic realm="wsx", charset="UTF-8""#
        let bearer = #"Bearer realm="wsx""#
        func values(_ policy: AccessPolicy, _ authorization: String?) -> [String] {
            let fields = policy.challenges(to: authorization)
            #expect(fields.allSatisfy { $0.name == "WWW-Authenticate" })
            return fields.map(\.value)
        }
        let both = try #require(Self.policy)
        expectEqual(values(both, nil), [basic, bearer])
        expectEqual(values(both, "Basic eA=="), [basic, bearer])
        expectEqual(values(both, "bearer x"), [basic, bearer + #", error="invalid_token""#])
        let basicOnly = AccessPolicy(credentials: [try Credentials(user: "a", password: "b")])
        expectEqual(values(basicOnly, "Bearer x"), [basic])
        expectEqual(values(AccessPolicy(tokens: [try BearerToken("x")]), nil), [bearer])
    }

    @Test("compared digests have the same length for any input, and every byte counts")
    func comparison() {
        for text in ["", "x", String(repeating: "x", count: 5000)] {
            let digest = Digest.sha256(Array(text.utf8))
            expectEqual(digest.count, 32)
            expectTrue(Digest.areEqual(digest, digest))
            for index in digest.indices {
                var other = digest
                other[index] ^= 0x80
                expectFalse(Digest.areEqual(digest, other))
            }
            expectFalse(Digest.areEqual(digest, Array(digest.dropLast())))
        }
        // FIPS 180-4: the SHA-256 hash of "abc".
        expectEqual(Digest.base64(Digest.sha256(Array("abc".utf8))), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
    }

    @Test("a token other than visible ASCII is rejected", arguments: ["", "a b", "a\n", "ü", "a\u{7F}"])
    func badToken(text: String) {
        #expect(throws: BearerTokenError.notVisibleASCII) { _ = try BearerToken(text) }
    }
}
