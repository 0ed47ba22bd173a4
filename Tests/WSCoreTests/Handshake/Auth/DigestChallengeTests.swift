import TestSupport
import Testing

@testable import WSCore

@Suite struct DigestChallengeTests {
    /// The answer to the first Digest challenge in a field.
    static func answer(
        _ field: String, user: String = "Mufasa", password: String = "Circle of Life",
        target: String = "/dir/index.html",
        clientNonce: String = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
    ) throws -> String? {
        let challenge = AuthenticationChallenge.parse([field]).lazy.compactMap(DigestChallenge.init).first
        return try challenge?.authorization(
            for: Credentials(user: user, password: password), method: "GET", target: target, clientNonce: clientNonce)
    }

    static func parameters(_ answer: String?) -> AuthenticationChallenge? {
        answer.flatMap { AuthenticationChallenge.parse([$0]).first }
    }

    static func challenge(_ rest: String) -> String {
        """
        Digest realm="http-auth@example.org", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", \
        opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", \(rest)
        """
    }

    @Test(
        "Answers are those of RFC 7616 §3.9.1, and for the session variants those of another implementation",
        arguments: [
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
            ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
            ("MD5-sess", "e783283f46242139c486a698fec7211d"),
            ("SHA-256-sess", "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"),
        ])
    func examples(algorithm: String, response: String) throws {
        let field = Self.challenge("qop=\"auth, auth-int\", algorithm=\(algorithm)")
        try expectEqual(
            Self.answer(field),
            """
            Digest username="Mufasa", realm="http-auth@example.org", \
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", uri="/dir/index.html", \
            cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", nc=00000001, qop=auth, response="\(response)", \
            opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", algorithm=\(algorithm)
            """)
    }

    // RFC 7616 §3.9.2 has values of a truncated SHA-512 (erratum 4897). These are of Python's sha512_256.
    @Test("A user name is hashed if the server asks for it, and is UTF-8 (RFC 7616 §3.4.4, §4)")
    func hashedUser() throws {
        let field = """
            Digest realm="api@example.org", qop="auth", algorithm=sha-512-256, userhash=true, charset=UTF-8, \
            nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS"
            """
        let answer = Self.parameters(
            try Self.answer(
                field, user: "J\u{E4}s\u{F8}n Doe", password: "Secret, or not?", target: "/doe.json",
                clientNonce: "NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm"))
        expectEqual(answer?["username"], "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b")
        expectEqual(answer?["response"], "7a4e1192babbba02e91182d2895bfdbf7adafc6e48d4e517ca301974843d840c")
        #expect(answer?["userhash"] == "true" && answer?["algorithm"] == "SHA-512-256")
    }

    @Test("Without qop and algorithm, the answer is that of RFC 2069 §2.4 (erratum 749)")
    func withoutProtection() throws {
        let field = "Digest realm=\"testrealm@host.com\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\""
        try expectEqual(
            Self.answer(field, password: "CircleOfLife"),
            """
            Digest username="Mufasa", realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", \
            uri="/dir/index.html", response="1949323746fe6a43ef61f9606e7febea"
            """)
    }

    @Test("Quotes, backslashes, and commas are unescaped for the hash, and escaped in the answer (RFC 9110 §5.6.4)")
    func escapes() throws {
        let field = #"Digest realm="a, \"b\" \\c", nonce="x\"y", qop=auth, opaque="1, 2""#
        let answer = try #require(try Self.answer(field, user: #"do\e""#, target: "/?\""))
        #expect(answer.hasPrefix(#"Digest username="do\\e\"", realm="a, \"b\" \\c", nonce="x\"y", uri="/?\"", "#))
        expectEqual(Self.parameters(answer)?["opaque"], "1, 2")
        let secret = try #require(Digest.hexadecimal(Array(#"do\e":a, "b" \c:Circle of Life"#.utf8), by: "MD5"))
        let request = try #require(Digest.hexadecimal(Array("GET:/?\"".utf8), by: "MD5"))
        let nonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
        let text = "\(secret):x\"y:00000001:\(nonce):auth:\(request)"
        expectEqual(Self.parameters(answer)?["response"], Digest.hexadecimal(Array(text.utf8), by: "MD5"))
    }

    @Test(
        "Names and tokens may have any case, and tokens may be quoted",
        arguments: ["dIGEST NONCE=n, QOP=\"AUTH-INT,AUTH\", ALGORITHM=\"sha-256\"", "digest nonce=\"n\" , qop = Auth"])
    func anyCase(field: String) throws {
        expectEqual(Self.parameters(try Self.answer(field))?["qop"], "auth")
    }

    static let unusableCases: [String] = [
        "", "Digest", "Digest realm=x", "Digest realm=\"x, nonce=n", "Basic realm=x, nonce=n", "Digest abcd==",
        "Digest nonce=n, algorithm=SHA-1", "Digest nonce=n, qop=auth-int",
        "Digest nonce=n, qop=\"\"", "Digest nonce=n, algorithm=MD5-sess", "nonce=n",
    ]

    @Test(
        "A challenge that is incomplete, or requires what is not supported, has no answer",
        arguments: Self.unusableCases)
    func unusable(field: String) throws {
        try expectNil(Self.answer(field))
    }

    @Test("An unknown hash is nil, and leaves no error for the next call of OpenSSL")
    func unknownHash() {
        expectNil(Digest.hexadecimal([], by: "NOHASH"))
        expectEqual(OpenSSLErrors.takeAll(), [])
    }
}
