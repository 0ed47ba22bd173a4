import TestSupport
import Testing

@testable import WSCore

@Suite struct AWSSignerTests {
    /// 2015-08-30 12:36:00 UTC
    private static let time = 1_440_938_160
    private static let secretKey = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"

    private static func signer(token: String? = nil) throws -> AWSSigner {
        AWSSigner(
            credentials: try AWSCredentials(accessKeyID: "AKIDEXAMPLE", secretKey: secretKey, sessionToken: token),
            region: "us-east-1", service: "service")
    }

    /// The Authorization field for a request to example.amazonaws.com.
    private static func authorization(
        _ target: String, _ fields: [HeaderField] = [], token: String? = nil, method: String = "GET"
    ) throws -> String? {
        let host = HeaderField(wellFormedName: "Host", value: "example.amazonaws.com")
        return try signer(token: token).fields(signing: method, target, [host] + fields, at: time).last?.value
    }

    private static func signature(_ target: String) throws -> Substring? {
        try authorization(target)?.suffix(64)
    }

    private static let unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    private static let ofRoot = "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"

    static let targetsCases: [(String, String, String)] = [
        ("get-vanilla", "/", ofRoot),
        ("get-unreserved", "/\(unreserved)", "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
        ("get-utf8", "/ሴ", "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
        (
            "get-vanilla-empty-query-key", "/?Param1=value1",
            "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"
        ),
        (
            "get-vanilla-query-order-encoded", "/?Param-3=Value3&Param=Value2&%E1%88%B4=Value1",
            "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac"
        ),
        (
            "get-vanilla-query-order-key-case", "/?Param2=value2&Param1=value1",
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
        ),
        (
            "get-vanilla-query-order-key", "/?Param1=value2&Param1=Value1",
            "eedbc4e291e521cf13422ffca22be7d2eb8146eecf653089df300a15b2382bd1"
        ),
        (
            "get-vanilla-query-order-value", "/?Param1=value2&Param1=value1",
            "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694"
        ),
        (
            "get-vanilla-query-unreserved", "/?\(unreserved)=\(unreserved)",
            "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"
        ),
        (
            "get-vanilla-utf8-query", "/?ሴ=bar", "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"
        ),
        ("get-relative", "/example/..", ofRoot), ("get-relative-relative", "/example1/example2/../..", ofRoot),
        ("get-slash", "//", ofRoot), ("get-slash-dot-slash", "/./", ofRoot),
        (
            "get-slash-pointless-dot", "/./example",
            "ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5"
        ),
        ("get-slashes", "//example//", "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84"),
        ("get-space", "/example space/", "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"),
        (
            "get-special-character", "/example/$delete",
            "a853c9b21b528b19643d00910d35b83a10c366a10833ceefb45edd6c80e40f27"
        ),
    ]

    @Test("Requests have the signatures of AWS's test suite for Signature Version 4", arguments: Self.targetsCases)
    func targets(name: String, target: String, signature: String) throws {
        try expectEqual(
            Self.authorization(target),
            """
            AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, \
            SignedHeaders=host;x-amz-date, Signature=\(signature)
            """)
    }

    @Test(
        "Header fields have the signatures of AWS's test suite for Signature Version 4",
        arguments: [
            (
                "get-header-key-duplicate",
                [("My-Header1", "value2"), ("My-Header1", "value2"), ("My-Header1", "value1")],
                "host;my-header1;x-amz-date", "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"
            ),
            (
                "get-header-value-order",
                [
                    ("My-Header1", "value4"), ("My-Header1", "value1"), ("My-Header1", "value3"),
                    ("My-Header1", "value2"),
                ],
                "host;my-header1;x-amz-date", "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"
            ),
            (
                "get-header-value-trim", [("My-Header1", " value1"), ("My-Header2", #" "a   b   c""#)],
                "host;my-header1;my-header2;x-amz-date",
                "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"
            ),
        ])
    func headers(name: String, fields: [(String, String)], names: String, signature: String) throws {
        let fields = fields.map { HeaderField(wellFormedName: $0.0, value: $0.1) }
        try expectEqual(
            Self.authorization("/", fields)?.hasSuffix("SignedHeaders=\(names), Signature=\(signature)"), true)
    }

    @Test("A session token is sent and signed, and a negotiation has another method")
    func tokens() throws {
        // get-vanilla-with-session-token
        let token = "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267"
        try expectEqual(
            Self.authorization("/", token: token)?.hasSuffix(
                """
                SignedHeaders=host;x-amz-date;x-amz-security-token, \
                Signature=07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8
                """), true)
        // post-vanilla
        try expectEqual(
            Self.authorization("/", method: "POST")?.hasSuffix(
                "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"), true)
    }

    @Test("Parameters are signed in their encoded form, with a sign, and a path is encoded once more")
    func encoding() throws {
        try expectEqual(Self.signature("/?t=a:b/c"), Self.signature("/?t=a%3ab%2Fc"))
        try expectEqual(Self.signature("/?a&b=1"), Self.signature("/?b=1&&a="))
        try expectEqual(Self.signature("/?"), Self.signature("/"))
        try expectNotEqual(Self.signature("/arn:aws"), Self.signature("/arn%3Aaws"))
        try expectNotEqual(Self.signature("/a/"), Self.signature("/a"))
    }

    // MARK: Requests

    private static func request(_ url: String, token: String? = nil) throws -> ClientRequest {
        try ClientRequest(
            url: try WebSocketURL(parsing: url), signer: try signer(token: token),
            extraFields: [HeaderField(name: "X-Amz-Meta", value: "m"), HeaderField(name: "X-Own", value: "o")])
    }

    @Test("A request is signed with Host and its own fields of AWS, in place of a user and password in the URL")
    func request() throws {
        let request = try Self.request("ws://me:pw@h/p", token: "T").signed(at: Self.time)
        let authorization = request.fields.all(named: "Authorization")
        expectEqual(authorization.count, 1)
        #expect(authorization[0].contains("=host;x-amz-date;x-amz-meta;x-amz-security-token, "))
        expectEqual(request.fields.first(named: "X-Amz-Date"), "20150830T123600Z")
        expectEqual(request.fields.first(named: "X-Amz-Security-Token"), "T")
    }

    @Test("A request that is signed again has one signature, which is that of a new request")
    func signedAgain() throws {
        let request = try Self.request("ws://h/p", token: "T")
        let again = request.signed(at: 0).signed(at: Self.time)
        expectEqual(again.fields, request.signed(at: Self.time).fields)
    }

    @Test("A redirect to another origin is neither signed nor has the token, even if the user trusts it")
    func redirects() throws {
        let request = try Self.request("wss://h/p", token: "T").signed(at: 0)
        let same = request.redirected(to: try WebSocketURL(parsing: "wss://h/q")).signed(at: Self.time)
        try expectEqual(same.fields, Self.request("wss://h/q", token: "T").signed(at: Self.time).fields)
        let other = try WebSocketURL(parsing: "wss://other/q")
        let back = try WebSocketURL(parsing: "wss://h/p")
        for isTrusted in [false, true] {
            let next = request.redirected(to: other, keepsSecrets: isTrusted)
            for next in [next, next.redirected(to: back, keepsSecrets: isTrusted)] {
                let fields = next.signed(at: Self.time).fields
                expectFalse(fields.contains { AWSSigner.fieldNames.contains($0.name) })
                expectEqual(fields.contains(named: "X-Own"), isTrusted)
            }
        }
    }

    @Test("A bearer token replaces the signature")
    func bearer() throws {
        let request = try Self.request("ws://h/").signed(at: 0).authorized(by: try BearerToken("t"))
        expectEqual(request.signed(at: Self.time).fields.all(named: "Authorization"), ["Bearer t"])
    }
}
