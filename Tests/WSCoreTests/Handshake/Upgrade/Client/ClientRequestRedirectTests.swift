import TestSupport
import Testing

@testable import WSCore

@Suite struct ClientRequestRedirectTests {
    static let secretFields = ["Authorization", "Cookie", "Proxy-Authorization"]

    static func response(_ status: Int = 302, _ locations: String...) -> ResponseHead {
        ResponseHead(
            status: status, reason: "",
            fields: HTTPFields(locations.map { HeaderField(wellFormedName: "Location", value: $0) }))
    }

    /// A request with every kind of field, and with secrets given in every way.
    static func fullRequest(_ url: String = "wss://u:p@one.example/a/b?c") throws -> ClientRequest {
        try ClientRequest(
            url: WebSocketURL(parsing: url), subprotocols: ["chat"], origin: "https://page.example",
            host: "virtual.example", userAgent: "wsx/1", extensionOffers: [ExtensionOffer(name: "x")],
            extraFields: [
                HeaderField(parsing: "cOOKIE: a=b"), HeaderField(parsing: "proxy-authorization: Basic c2VjcmV0"),
                HeaderField(parsing: "X-Trace: 7"),
            ])
    }

    static func follow(_ request: ClientRequest, _ location: String) throws -> ClientRequest {
        try #require(try request.redirected(by: response(302, location), RedirectPolicy(maximum: 20)))
    }

    @Test(
        "redirects are followed for the statuses of RFC 9110 §15.4 with a Location, and no others",
        arguments: [301, 302, 303, 307, 308], [101, 200, 300, 304, 305, 306, 309, 401])
    func statuses(redirect: Int, other: Int) throws {
        let request = try ClientRequest(url: WebSocketURL(parsing: "ws://h/a"))
        let next = try request.redirected(by: Self.response(redirect, "/b"), RedirectPolicy(maximum: 1))
        expectEqual(next?.url.description, "ws://h/b")
        expectEqual(next?.redirectCount, 1)
        try expectNil(request.redirected(by: Self.response(other, "/b"), RedirectPolicy(maximum: 1)))
    }

    @Test(
        "a redirect to the same origin keeps all fields",
        arguments: ["/x", "x", "?y", "wss://one.example/x", "https://ONE.example:443/x", "//one.example/"])
    func sameOrigin(location: String) throws {
        let request = try Self.fullRequest()
        let next = try Self.follow(request, location)
        expectTrue(next.url.isSameOrigin(as: request.url))
        expectEqual(next.fields.map(\.value).sorted(), request.fields.map(\.value).sorted())
        expectEqual(next.fields.first?.line, "Host: virtual.example\r\n")
        expectEqual(next.fields.first(named: "Authorization"), "Basic dTpw")
    }

    static let otherOriginCases: [String] = [
        "wss://one.example:8443/", "wss://two.example/", "wss://sub.one.example/", "wss://example/",
        "https://one.example.two.example/", "//one.example:444/x", "wss://one.example./", "wss://127.0.0.1/",
    ]

    @Test(
        "a redirect to another port, host, subdomain, or scheme drops credentials and the user's Host",
        arguments: Self.otherOriginCases)
    func otherOrigin(location: String) throws {
        let next = try Self.follow(Self.fullRequest(), location)
        expectEqual(Self.secretFields.flatMap { next.fields.all(named: $0) }, [])
        expectEqual(next.loginUse, .none)
        expectEqual(next.fields.all(named: "Host"), [next.url.hostField])
        expectEqual(next.fields.first?.name, "Host")
        expectEqual(next.fields.first(named: "Origin"), "https://page.example")
        expectEqual(next.fields.first(named: "User-Agent"), "wsx/1")
        expectEqual(next.fields.first(named: "Sec-WebSocket-Extensions"), "x")
        #expect(!next.fields.contains(named: "X-Trace") && !next.fields.contains(named: "Sec-WebSocket-Protocol"))
        #expect(next.subprotocols == [] && next.extensionOffers.map(\.name) == ["x"])
        let text = ClientRequestTests.text(next)
        for secret in ["dTpw", "a=b", "c2VjcmV0", "virtual"] { expectFalse(text.contains(secret)) }
    }

    // MARK: Challenges

    static func challengedRequest(_ url: String = "wss://u:p@one.example/a?b") throws -> ClientRequest {
        let request = try ClientRequest(url: WebSocketURL(parsing: url), authentication: .digest)
        let fields = [HeaderField(wellFormedName: "WWW-Authenticate", value: "Digest nonce=n, qop=auth")]
        let response = ResponseHead(status: 401, reason: "", fields: HTTPFields(fields))
        return try #require(request.answering(response, random: Array(0..<16)))
    }

    @Test(
        "The answer to a challenge names the target, and is not sent after a redirect, which the server may challenge")
    func answer() throws {
        let request = try Self.challengedRequest()
        expectEqual(request.fields.first(named: "Authorization")?.contains("uri=\"/a?b\""), true)
        expectEqual(request.loginUse, .sent(scheme: "Digest"))
        let next = try Self.follow(request, "/x")
        #expect(next.loginUse == .withheld(.digest) && next.fieldsDropped(by: next) == [])
        expectEqual(next.login, ClientLogin(try Credentials(user: "u", password: "p"), by: .digest))
        expectEqual(next.negotiation(at: next.url).login, next.login)
    }

    @Test("A login that waits for a challenge stays with its origin, and is named if a redirect drops it")
    func answerToOtherOrigin() throws {
        let first = try ClientRequest(
            url: WebSocketURL(parsing: "wss://u:p@one.example/"), authentication: .strongest)
        for request in [first, try Self.challengedRequest()] {
            let next = try Self.follow(request, "wss://two.example/")
            #expect(next.loginUse == .none && request.fieldsDropped(by: next) == ["Authorization"])
            try expectEqual(Self.follow(next, "wss://one.example/").loginUse, .none)
            let trusted = try #require(
                try request.redirected(
                    by: Self.response(302, "wss://two.example/"), RedirectPolicy(maximum: 1, isTrusted: true)))
            #expect(trusted.login?.authorization == nil && !trusted.fields.contains(named: "Authorization"))
            expectEqual(trusted.login?.credentials, request.login?.credentials)
            expectEqual(request.fieldsDropped(by: trusted), [])
        }
    }

    @Test("The login of a redirect's URL waits for a challenge, too, and a token replaces a login")
    func loginOfRedirect() throws {
        let next = try Self.follow(Self.challengedRequest(), "wss://x:y@two.example/")
        #expect(next.loginUse == .withheld(.digest) && next.login?.credentials.user == "x")
        expectFalse(ClientRequestTests.text(next).contains("Authorization"))
        let token = next.authorized(by: try BearerToken("t"))
        #expect(token.login == nil && token.loginUse == .sent(scheme: "Bearer"))
        let own = try ClientRequest(
            url: next.url, authentication: .digest, extraFields: [HeaderField(parsing: "authorization: x")])
        #expect(own.login == nil && own.fields.first(named: "Authorization") == "x")
    }

    @Test("A redirect from ws to wss on the same host keeps all fields if both ports are the default")
    func upgradeToTLS() throws {
        let request = try Self.fullRequest("ws://u:p@one.example/")
        let next = try Self.follow(request, "wss://one.example/")
        expectTrue(next.url.isSecure)
        expectEqual(next.fields.map(\.value).sorted(), request.fields.map(\.value).sorted())
        for (from, to) in [
            ("ws://one.example:8080/", "wss://one.example/"), ("ws://one.example/", "wss://one.example:8443/"),
            ("ws://one.example:8080/", "wss://one.example:8080/"), ("ws://one.example/", "wss://www.one.example/"),
            ("ws://one.example:443/", "wss://one.example/"), ("ws://one.example/", "wss://one.example:80/"),
        ] {
            let next = try Self.follow(ClientRequest(url: WebSocketURL(parsing: from), extraFields: Self.login), to)
            expectEqual(next.loginUse, .none, "\(from) to \(to)")
        }
        let insecure = try WebSocketURL(parsing: "ws://one.example/")
        expectFalse(insecure.mayReceiveSecrets(of: next.url))
    }

    static let login = [HeaderField(wellFormedName: "Authorization", value: "Bearer t")]

    static let onlyKnownFieldsFollowCases: [String] = [
        "X-Login", "CB-ACCESS-SIGN", "DPoP", "X-App-Key", "X-CSRF", "X-Trace", "From", "Referer", "Via",
        "Forwarded", "X-Forwarded-For", "Sec-WebSocket-Protocol", "Cookie2", "X", "Signature-Input", "Accept-Token",
        "Accept-Charset",
    ]

    @Test(
        "Only fields that describe the client follow a redirect to another origin, whatever the others are called",
        arguments: Self.onlyKnownFieldsFollowCases)
    func onlyKnownFieldsFollow(name: String) throws {
        let request = try ClientRequest(
            url: WebSocketURL(parsing: "ws://one.example/"),
            extraFields: [HeaderField(parsing: "\(name): geheim"), HeaderField(parsing: "Accept-Language: de")])
        try expectEqual(Self.follow(request, "/x").fields.first(named: name), "geheim")
        let next = try Self.follow(request, "ws://two.example/")
        let follows = name == "Accept-Charset"
        expectEqual(next.fields.contains(named: name), follows)
        expectEqual(next.fields.first(named: "Accept-Language"), "de")
        expectEqual(request.fieldsDropped(by: next), (follows ? [] : [name]))
        let trusted = try #require(
            try request.redirected(
                by: Self.response(302, "ws://two.example/"), RedirectPolicy(maximum: 1, isTrusted: true)))
        expectEqual(trusted.fields.first(named: name), "geheim")
        expectEqual(request.fieldsDropped(by: trusted), [])
    }

    @Test("Subprotocols follow a redirect to another origin only if they are the same for everybody")
    func publicSubprotocols() throws {
        let url = try WebSocketURL(parsing: "ws://one.example/")
        let request = try ClientRequest(url: url, subprotocols: ["mqtt"], hasPublicSubprotocols: true)
        let next = try Self.follow(request, "ws://two.example/")
        #expect(next.subprotocols == ["mqtt"] && next.fields.first(named: "Sec-WebSocket-Protocol") == "mqtt")
        expectEqual(request.fieldsDropped(by: next), [])
    }

    @Test("A trusted redirect keeps all fields except the user's own Host")
    func trusted() throws {
        let request = try Self.fullRequest()
        let next = try #require(
            try request.redirected(
                by: Self.response(302, "wss://two.example/"), RedirectPolicy(maximum: 1, isTrusted: true)))
        expectEqual(next.fields.first?.line, "Host: two.example\r\n")
        expectEqual(next.fields.dropFirst().map(\.value).sorted(), request.fields.dropFirst().map(\.value).sorted())
        expectEqual(next.subprotocols, ["chat"])
    }

    @Test("Messages with secrets do not follow a redirect to another origin, unless it is trusted")
    func secretMessages() throws {
        let request = try ClientRequest(url: WebSocketURL(parsing: "ws://one.example/"))
        var policy = RedirectPolicy(maximum: 1, secretMessages: ["--first-message", "--param auth"])
        let target = try WebSocketURL(parsing: "ws://two.example/")
        let error = RedirectError.wouldSendSecrets(target, of: policy.secretMessages)
        #expect(throws: error) { try request.redirected(by: Self.response(302, "ws://two.example/"), policy) }
        #expect(error.description.contains("--first-message, --param auth"))
        try expectNotNil(request.redirected(by: Self.response(302, "/x"), policy))
        try expectNotNil(request.redirected(by: Self.response(302, "wss://one.example/x"), policy))
        policy.isTrusted = true
        try expectEqual(request.redirected(by: Self.response(302, "ws://two.example/"), policy)?.url, target)
    }

    @Test("credentials from options are sent only to their origin, like those in the URL")
    func optionCredentials() throws {
        let url = try WebSocketURL(parsing: "ws://one.example/")
        let requests = [
            try ClientRequest(url: url, credentials: Credentials(user: "u", password: "p")),
            try ClientRequest(url: url, extraFields: [HeaderField(parsing: "AUTHORIZATION: Bearer t")]),
        ]
        for request in requests {
            expectNotEqual(request.loginUse, .none)
            try expectEqual(Self.follow(request, "/x").fields.all(named: "Authorization").count, 1)
            try expectEqual(Self.follow(request, "ws://two.example/").fields.all(named: "Authorization"), [])
        }
    }

    @Test("credentials are not restored when another origin redirects back")
    func thereAndBack() throws {
        let away = try Self.follow(Self.fullRequest(), "wss://two.example/")
        let back = try Self.follow(away, "wss://one.example/transfer?to=two")
        expectEqual(back.redirectCount, 2)
        expectEqual(Self.secretFields.flatMap { back.fields.all(named: $0) }, [])
        expectEqual(back.fields.first(named: "Host"), "one.example")
    }

    @Test("credentials in a Location apply only to its origin, and do not replace given ones")
    func userInfoInLocation() throws {
        let away = try Self.follow(Self.fullRequest(), "wss://a:b@two.example/x")
        expectEqual(away.fields.all(named: "Authorization"), ["Basic YTpi"])
        try expectEqual(Self.follow(away, "/y").fields.all(named: "Authorization"), ["Basic YTpi"])
        try expectEqual(Self.follow(away, "wss://two.example/y").fields.all(named: "Authorization"), ["Basic YTpi"])
        try expectEqual(Self.follow(away, "wss://three.example/").fields.all(named: "Authorization"), [])
        try expectEqual(Self.follow(away, "wss://one.example/").fields.all(named: "Authorization"), [])
        let own = try Self.follow(Self.fullRequest(), "wss://a:b@one.example/x")
        expectEqual(own.fields.all(named: "Authorization"), ["Basic dTpw"])
    }

    @Test("wss is never redirected to ws (RFC 6455 §10.6)", arguments: ["ws://one.example/", "http://two.example/"])
    func downgrade(location: String) throws {
        let target = try WebSocketURL(parsing: location)
        #expect(throws: RedirectError.wouldDropEncryption(target)) { try Self.follow(Self.fullRequest(), location) }
        expectEqual(
            RedirectError.wouldDropEncryption(target).description,
            "a redirect from wss:// to ws:// would drop the encryption; connect to \(target) directly")
    }

    @Test("a redirect without a Location, or with two, is rejected (RFC 9110 §10.2.2)")
    func locations() throws {
        let request = try Self.fullRequest()
        func outcome(_ response: ResponseHead) -> RedirectError? {
            do throws(RedirectError) {
                _ = try request.redirected(by: response, RedirectPolicy(maximum: 9))
                return nil
            } catch {
                return error
            }
        }
        expectEqual(outcome(Self.response(307)), .missingLocation(status: 307))
        expectEqual(outcome(Self.response(301, "")), .missingLocation(status: 301))
        expectNil(outcome(Self.response(301, "/a", "/a")))
        expectEqual(outcome(Self.response(301, "/a", "/b")), .severalLocations(["/a", "/b"]))
        expectEqual(outcome(Self.response(301, "/a b")), .invalidLocation("/a b", .space))
        expectEqual(outcome(Self.response(301, "wss://")), .invalidLocation("wss://", .emptyHost))
        for scheme in ["file", "ftp", "echo", "ws+unix", "javascript"] {
            expectEqual(outcome(Self.response(301, "\(scheme):/x")), .forbiddenScheme(scheme))
        }
    }

    @Test("the number of redirects is limited, which ends redirect loops")
    func bound() throws {
        var request = try ClientRequest(url: WebSocketURL(parsing: "ws://h/"))
        let response = Self.response(302, "/")
        for _ in 0..<3 { request = try #require(try request.redirected(by: response, RedirectPolicy(maximum: 3))) }
        #expect(throws: RedirectError.tooMany(maximum: 3)) {
            try request.redirected(by: response, RedirectPolicy(maximum: 3))
        }
        let none = try ClientRequest(url: WebSocketURL(parsing: "ws://h/"))
        #expect(throws: RedirectError.tooMany(maximum: 0)) {
            try none.redirected(by: response, RedirectPolicy(maximum: 0))
        }
    }

    @Test("a server behind a Unix domain socket can redirect only to itself, by its Host")
    func unixSocket() throws {
        let request = try ClientRequest(url: WebSocketURL(parsing: "ws+unix:/run/a.sock:/x"))
        try expectEqual(Self.follow(request, "/y").url.description, "ws+unix:/run/a.sock:/y")
        try expectEqual(Self.follow(request, "http://localhost/y?z").url.description, "ws+unix:/run/a.sock:/y?z")
        for location in ["ws://localhost:81/", "wss://localhost/", "//example.com/", "http://127.0.0.1/"] {
            let target = try request.url.resolving(location: location)
            #expect(throws: RedirectError.leavesSocket(target)) { try Self.follow(request, location) }
        }
        let named = try ClientRequest(url: WebSocketURL(parsing: "ws+unix:/run/a.sock"), host: "App.example")
        try expectEqual(Self.follow(named, "http://app.example/z").url.description, "ws+unix:/run/a.sock:/z")
        try expectEqual(Self.follow(named, "/z").fields.first(named: "Host"), "App.example")
    }

    @Test("a Location with an internationalized host leads to its ASCII form")
    func internationalLocation() throws {
        let next = try Self.follow(Self.fullRequest(), "https://münchen.example/ü")
        expectEqual(next.url.description, "wss://xn--mnchen-3ya.example/%C3%BC")
        expectEqual(next.fields.first(named: "Host"), "xn--mnchen-3ya.example")
    }

    @Test("redirect errors are one short line and safe to print")
    func descriptions() throws {
        // As long as a head may be.
        let url = try WebSocketURL(parsing: "ws://h/" + String(repeating: "x", count: 60_000))
        let errors: [RedirectError] = [
            .missingLocation(status: 302), .severalLocations(["a\u{1B}[2J", "b"]), .invalidLocation("\n", .empty),
            .forbiddenScheme("x\r"), .wouldDropEncryption(url), .leavesSocket(url),
            .wouldSendSecrets(url, of: ["--answer"]),
            .tooMany(maximum: 0), .tooMany(maximum: 1), .tooMany(maximum: 2),
        ]
        for error in errors {
            expectFalse(error.description.unicodeScalars.contains { $0.isInvisible })
            #expect(error.description.contains("; ") && error.description.utf8.count < 400)
        }
        expectEqual(Set(errors.map(\.description)).count, errors.count)
    }

    @Test("stored cookies follow the user's own, are replaced by name, and are not kept by redirects")
    func cookies() throws {
        var store = CookieStore()
        let url = try WebSocketURL(parsing: "ws://h/")
        store.receive(setCookie: "a=stored", from: url, at: 0)
        store.receive(setCookie: "b=stored", from: url, at: 0)
        let own = try ClientRequest(
            url: url, extraFields: [HeaderField(parsing: "Cookie: x=1;a = own"), HeaderField(parsing: "cookie: y=2")])
        let sent = own.withCookies(from: store, at: 0)
        expectEqual(sent.fields.all(named: "Cookie"), ["x=1;a = own; y=2; b=stored"])
        expectEqual(sent.withCookies(from: store, at: 0).fields, sent.fields)
        expectEqual(sent.withCookies(from: CookieStore(), at: 0).fields, own.fields)
        expectEqual(sent.redirected(to: url).fields.all(named: "Cookie"), ["x=1;a = own", "y=2"])
        let other = sent.redirected(to: try WebSocketURL(parsing: "ws://other/"))
        expectEqual(other.fields.all(named: "Cookie"), [])
        expectEqual(other.withCookies(from: store, at: 0).fields.all(named: "Cookie"), [])
        let back = other.redirected(to: url).withCookies(from: store, at: 0)
        expectEqual(back.fields.all(named: "Cookie"), ["a=stored; b=stored"])
    }

}
