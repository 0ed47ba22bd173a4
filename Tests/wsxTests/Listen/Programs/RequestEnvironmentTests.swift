import Testing

@testable import Listen
@testable import UserInterface
@testable import WSCore

@Suite struct RequestEnvironmentTests {
    @Test("RFC 3875 §4.1: the variables describe the server, the request, and both addresses")
    func basics() throws {
        let variables = try Self.variables(target: "/a%20b?c=%20d", fields: [("Host", "Example.org:81")])
        #expect(
            variables == [
                "GATEWAY_INTERFACE": "CGI/1.1", "SERVER_SOFTWARE": "wsx/\(version)", "SERVER_PROTOCOL": "HTTP/1.1",
                "SERVER_NAME": "example.org", "SERVER_PORT": "8080", "REQUEST_METHOD": "GET",
                "REQUEST_URI": "/a%20b?c=%20d", "SCRIPT_NAME": "", "PATH_INFO": "/a b", "QUERY_STRING": "c=%20d",
                "REMOTE_ADDR": "::1", "REMOTE_HOST": "::1", "REMOTE_PORT": "5000", "WSX_CLIENT": "3",
                "HTTP_HOST": "Example.org:81",
            ])
    }

    @Test("Variables for absent facts are not set")
    func optional() throws {
        let socket = try Self.variables(address: nil, port: nil, fields: [("Host", "h:81")])
        #expect(socket["REMOTE_ADDR"] == nil && socket["REMOTE_HOST"] == nil && socket["REMOTE_PORT"] == nil)
        #expect(socket["SERVER_PORT"] == "81")
        #expect(try Self.variables(address: nil, port: nil)["SERVER_PORT"] == "80")
        let secure = try Self.variables(port: nil, tls: Self.tls)
        #expect(secure["HTTPS"] == "on")
        #expect(secure["SERVER_PORT"] == "443")
        #expect(try Self.variables(subprotocol: "chat")["WSX_SUBPROTOCOL"] == "chat")
        #expect(try Self.variables(target: "/")["QUERY_STRING"] == "")
    }

    @Test(
        "The host is that of the target or else of Host; an IPv6 address has brackets",
        arguments: [
            ("/", "[::1]:81", "[::1]"), ("http://other/x", "h", "other"), ("/", "", nil), ("/", "a b", nil),
        ] as [(String, String, String?)])
    func serverName(target: String, host: String, expected: String?) throws {
        #expect(try Self.variables(target: target, fields: [("Host", host)])["SERVER_NAME"] == expected)
    }

    @Test("A target in absolute form is reported like any other")
    func absoluteForm() throws {
        let variables = try Self.variables(target: "http://h:1/a?b")
        #expect(variables["REQUEST_URI"] == "/a?b")
        #expect(variables["PATH_INFO"] == "/a")
    }

    @Test("Fields with the same name form a list, cookies with semicolons")
    func lists() throws {
        let variables = try Self.variables(fields: [
            ("X-A", "1"), ("Cookie", "a=1"), ("x-a", "2"), ("cookie", "b=2"), ("X-a", ""),
        ])
        #expect(variables["HTTP_X_A"] == "1, 2, ")
        #expect(variables["HTTP_COOKIE"] == "a=1; b=2")
    }

    @Test(
        "A field is not confused with a similar name with hyphens, and some are withheld",
        arguments: [
            ("X-Name", "HTTP_X_NAME"), ("x2", "HTTP_X2"), ("X_Name", nil), ("X.Name", nil), ("X-Näme", nil),
            ("a=b", nil),
            ("Proxy", nil), ("PROXY", nil), ("Authorization", nil), ("proxy-authorization", nil),
            ("Content-Length", nil), ("Content-Type", nil), ("Proxy-Connection", "HTTP_PROXY_CONNECTION"),
        ] as [(String, String?)])
    func names(field: String, variable: String?) {
        #expect(RequestEnvironment.variable(ofField: field) == variable)
    }

    @Test(
        "Potentially dangerous values are left out",
        arguments: ["() { :;}; touch x", "() {", "a\tb", "a\u{1B}[31m", "a\u{7F}", "a\u{9B}31m", "a\0"])
    func dangerous(value: String) throws {
        let variables = try Self.variables(fields: [("X-A", value), ("X-B", "b")], wellFormed: true)
        #expect(variables["HTTP_X_A"] == nil)
        #expect(variables["HTTP_X_B"] == "b")
    }

    @Test(
        "Values that only resemble dangerous ones are kept",
        arguments: ["(){", " () {", "x() { :;}", "$(touch x)", "`x`", "--flag", "ä"])
    func harmless(value: String) throws {
        #expect(try Self.variables(fields: [("X-A", value)], wellFormed: true)["HTTP_X_A"] == value)
    }

    @Test("Invalid UTF-8 is passed byte for byte, next to valid text")
    func opaqueValues() throws {
        var request = Array("GET /%FF%c3%a4 HTTP/1.1\r\nHost: h\r\nX-A: M".utf8)
        request += [0xFC] + Array("ller\r\nX-A: ä\r\nX-B: ".utf8) + [0xFF, 0x9B] + Array("\r\n\r\n".utf8)
        var handshake = ServerHandshake(policy: try ServerPolicy(checksHostAndOrigin: false))
        guard case .request(let head, _) = try handshake.receive(request.span.bytes) else {
            Issue.record("the request is not complete")
            return
        }
        let variables = Self.environment(of: head).variables
        #expect(variables["HTTP_X_A"] == [0x4D, 0xFC] + Array("ller, ä".utf8))
        #expect(variables["HTTP_X_B"] == [0xFF, 0x9B])
        #expect(variables["PATH_INFO"] == [0x2F, 0xFF, 0xC3, 0xA4])
        #expect(variables["REQUEST_URI"] == Array("/%FF%c3%a4".utf8))
    }

    @Test("The login is passed without its secret, and the Authorization field is not")
    func logins() throws {
        let fields = [("Remote-User", "root"), ("Auth-Type", "Basic"), ("Authorization", "Basic eDp5")]
        let basic = try Self.variables(login: .basic(user: "ö"), fields: fields)
        #expect(basic["AUTH_TYPE"] == "Basic")
        #expect(basic["REMOTE_USER"] == "ö")
        #expect(try Self.variables(login: .basic(user: ""))["REMOTE_USER"] == "")
        let bearer = try Self.variables(login: .bearer, fields: fields)
        #expect(bearer["AUTH_TYPE"] == "Bearer")
        #expect(bearer["REMOTE_USER"] == nil)
        let nobody = try Self.variables(fields: fields)
        #expect(nobody["AUTH_TYPE"] == nil && nobody["REMOTE_USER"] == nil)
    }

    @Test(
        "A malformed path, or one with control characters, has no PATH_INFO",
        arguments: ["/%00", "/%0a", "/%C2%9B", "/%FF%00", "/%", "/%4", "/%zz"])
    func badPath(path: String) throws {
        let variables = try Self.variables(target: path)
        #expect(variables["PATH_INFO"] == nil)
        #expect(variables["REQUEST_URI"] == path)
    }

    private static let tls = TLSSummary(
        version: "TLS 1.3", cipher: "c", applicationProtocol: nil, isResumed: false, isVerified: false,
        peerCertificate: nil, clientCertificateWasRequested: false)

    private static func variables(
        target: String = "/", subprotocol: String? = nil, address: String? = "::1", port: UInt16? = 8080,
        tls: TLSSummary? = nil, login: Login? = nil, fields: [(String, String)] = [], wellFormed: Bool = false
    ) throws -> [String: String] {
        let fields = try fields.map { name, value in
            wellFormed ? HeaderField(wellFormedName: name, value: value) : try HeaderField(name: name, value: value)
        }
        return environment(
            of: RequestHead(method: "GET", target: target, fields: HTTPFields(fields)), login: login,
            subprotocol: subprotocol, address: address, port: port, tls: tls
        ).variables.mapValues { String(decoding: $0, as: UTF8.self) }
    }

    private static func environment(
        of request: RequestHead, login: Login? = nil, subprotocol: String? = nil, address: String? = nil,
        port: UInt16? = nil, tls: TLSSummary? = nil
    ) -> RequestEnvironment {
        RequestEnvironment(
            request: request, login: login, subprotocol: subprotocol, client: 3,
            clientAddress: address.flatMap { SocketAddress(numeric: $0, port: 5000) }, serverPort: port, tls: tls)
    }
}
