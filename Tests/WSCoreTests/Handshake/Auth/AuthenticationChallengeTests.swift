import TestSupport
import Testing

@testable import WSCore

@Suite struct AuthenticationChallengeTests {
    typealias Parameter = AuthenticationChallenge.Parameter

    static let impossible = ", which wsx does not support; set the header yourself with -H 'Authorization: ...'"

    @Test("several challenges in several fields are parsed separately (RFC 9110 §11.6.1)")
    func example() {
        let challenges = AuthenticationChallenge.parse([
            "Basic realm=\"simple\", Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\", now\"",
            "Negotiate, NTLM TlRMTVNTUAACAA==, Bearer",
        ])
        expectEqual(
            challenges,
            [
                AuthenticationChallenge(scheme: "Basic", parameters: [Parameter("realm", "simple")]),
                AuthenticationChallenge(
                    scheme: "Newauth",
                    parameters: [
                        Parameter("realm", "apps"), Parameter("type", "1"),
                        Parameter("title", "Login to \"apps\", now"),
                    ]),
                AuthenticationChallenge(scheme: "Negotiate"),
                AuthenticationChallenge(scheme: "NTLM", token: "TlRMTVNTUAACAA=="),
                AuthenticationChallenge(scheme: "Bearer"),
            ])
        #expect(challenges[1].realm == "apps" && challenges[2].realm == nil && challenges[0].isScheme("BASIC"))
    }

    static let lenientCases: [(String, [String])] = [
        ("", []), (",, ,", []), ("=x", []), ("\"a, b\"", []), ("realm=x", []), ("Basic", ["Basic"]),
        (", Basic ,, Bearer,", ["Basic", "Bearer"]), ("Basic realm", ["Basic"]), ("Basic realm=", ["Basic"]),
        ("Basic realm = \"x\" , a = b,c=d", ["Basic"]), ("Basic realm=\"x, Bearer", ["Basic"]),
        ("Basic realm=\"x\\", ["Basic"]), ("Basic realm=\"x\" junk \"a, b\", Bearer", ["Basic", "Bearer"]),
        ("Basic =, Bearer", ["Bearer"]), ("B@d, Bearer", ["B", "Bearer"]), ("Basic\ta=b", ["Basic"]),
    ]

    @Test("text that violates the grammar is skipped", arguments: Self.lenientCases)
    func lenient(value: String, schemes: [String]) {
        expectEqual(AuthenticationChallenge.parse([value]).map(\.scheme), schemes)
    }

    @Test("the number of challenges is limited")
    func bound() {
        let value = String(repeating: "X,", count: 10_000)
        expectEqual(AuthenticationChallenge.parse([value, value]).count, AuthenticationChallenge.maximumCount)
    }

    @Test(
        "the description of a 401 names the wanted schemes and the options for them",
        arguments: [
            (
                [], "; log in with --auth or --bearer",
                "; it rejected the credentials: check --auth, --bearer, or the URL"
            ),
            (
                ["Basic realm=\"x\""], "; it requires Basic (realm \"x\"); log in with --auth",
                "; it requires Basic (realm \"x\") and rejected the credentials; check --auth, --bearer, or the URL"
            ),
            (
                ["bearer"], "; it requires bearer; log in with --bearer",
                "; it requires bearer and rejected the credentials; check --auth, --bearer, or the URL"
            ),
            (
                ["Bearer realm=api", "Basic, Digest realm=\"d\", nonce=\"n\""],
                "; it requires Bearer (realm \"api\") or Basic or Digest (realm \"d\"); log in with --auth or --bearer",
                """
                ; it requires Bearer (realm \"api\") or Basic or Digest (realm \"d\") \
                and rejected the credentials; check --auth, --bearer, or the URL
                """
            ),
            (
                ["Digest realm=\"d\", nonce=\"n\""],
                "; it requires Digest (realm \"d\"); log in with --auth and --digest",
                "; it requires Digest (realm \"d\"); add --digest"
            ),
            (
                ["Negotiate", "NTLM"],
                "; it requires Negotiate or NTLM" + impossible, "; it requires Negotiate or NTLM" + impossible
            ),
            (
                ["Basic realm=\"\u{1B}[2J\u{202E}\""],
                "; it requires Basic (realm \"\\u{1B}[2J\\u{202E}\"); log in with --auth",
                """
                ; it requires Basic (realm \"\\u{1B}[2J\\u{202E}\") and rejected the credentials; check --auth, --bearer, or the URL
                """
            ),
        ])
    func words(values: [String], first: String, again: String) {
        let fields = values.map { HeaderField(wellFormedName: "WWW-Authenticate", value: $0) }
        let head = ResponseHead(status: 401, reason: "", fields: HTTPFields(fields))
        let error = HandshakeError.refused(head, body: [], bodyIsTruncated: false)
        expectEqual(error.description, "the server answered 401 Unauthorized" + first)
        expectEqual(error.description(login: .sent(scheme: "Basic")), "the server answered 401 Unauthorized" + again)
    }

    @Test(
        "the description of a 401 without an answer to its challenge says why",
        arguments: [
            ([], .withheld(.digest), "it names no authentication scheme, which --digest and --anyauth need; omit them"),
            (
                ["Basic"], .withheld(.digest),
                "it requires Basic, but --digest sends no password that way; use --anyauth instead"
            ),
            (["Bearer"], .withheld(.strongest), "it requires Bearer; log in with --bearer"),
            (
                ["Digest nonce=n, qop=auth-int"], .withheld(.strongest),
                "it requires Digest, but with an algorithm or a qop that wsx does not support; see the challenge with -v"
            ),
            (
                ["Digest nonce=n"], .sent(scheme: "Digest"),
                "it requires Digest and rejected the credentials; check --auth, --bearer, or the URL"
            ),
        ] as [([String], ClientLogin.Use, String)])
    func wordsForDigest(values: [String], login: ClientLogin.Use, words: String) {
        let fields = values.map { HeaderField(wellFormedName: "WWW-Authenticate", value: $0) }
        let head = ResponseHead(status: 401, reason: "", fields: HTTPFields(fields))
        let error = HandshakeError.refused(head, body: [], bodyIsTruncated: false)
        expectEqual(error.description(login: login), "the server answered 401 Unauthorized; \(words)")
    }

    @Test("many long challenges are described in one short line")
    func short() {
        let long = String(repeating: "a", count: 5000)
        let challenges = AuthenticationChallenge.parse([
            (0..<9).map { "S\($0)\(long) realm=\"\(long)\"" }.joined(separator: ", ")
        ])
        #expect(AuthenticationChallenge.describe(challenges).utf8.count < 1000)
    }
}
