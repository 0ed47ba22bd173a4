@testable import WSCore

extension FuzzTarget {
    /// Redirects, with one Location per line. The first byte selects the initial URL.
    ///
    /// - No secret of the first request is sent after a redirect to another origin.
    /// - A connection that starts with TLS or on a socket file stays there.
    /// - Every request is valid HTTP, and its Host is that of the URL unless the user has overridden it.
    /// - Error messages are one line that is safe to show.
    static let redirects = FuzzTarget(name: "redirects") { input in
        var choices = ChoiceReader(input)
        guard var request = firstRequest(choices.byte()) else { unexpected("there is no first request") }
        let first = request.url
        var hasLeft = false
        for line in choices.remaining().split(separator: UInt8(ascii: "\n")).prefix(8) {
            let location = HeaderField(wellFormedName: "Location", value: String(decoding: line, as: UTF8.self))
            let response = ResponseHead(status: 302, reason: "", fields: HTTPFields([location]))
            do throws(RedirectError) {
                guard let next = try request.redirected(by: response, RedirectPolicy(maximum: 5)) else {
                    unexpected("302 is a redirect")
                }
                expectEqual(next.redirectCount, request.redirectCount + 1, "the number of redirects")
                request = next
            } catch {
                expectOneSafeLine(error.description)
                continue
            }
            hasLeft = hasLeft || !request.url.mayReceiveSecrets(of: first)
            expect(request.url.isSecure || !first.isSecure, "TLS was dropped at \(request.url)")
            if case .unix = first.endpoint { expect(!hasLeft, "from the socket to \(request.url)") }
            checkRequest(request, hasLeft: hasLeft)
        }
    }

    private static func firstRequest(_ choice: UInt8) -> ClientRequest? {
        let urls = ["wss://user:secret@one.example/a/b?c", "ws://one.example:80", "ws+unix:/run/a.sock:/x"]
        let fields = ["Cookie: k=secret", "Proxy-Authorization: secret", "X-Other: secret"]
            .compactMap { try? HeaderField(parsing: $0) }
        guard let url = try? WebSocketURL(parsing: urls[Int(choice) % urls.count]) else { return nil }
        return try? ClientRequest(url: url, extraFields: fields)
    }

    private static func checkRequest(_ request: ClientRequest, hasLeft: Bool) {
        let bytes = request.head(key: "AAAAAAAAAAAAAAAAAAAAAA==")
        var parser = HTTPHeadParser(.request, limits: HeadLimits(maximumBytes: .max, maximumFields: 16))
        guard (try? parser.receive(bytes.span.bytes)) == bytes.count, let head = parser.requestHead else {
            unexpected("not HTTP: \(String(decoding: bytes, as: UTF8.self))")
        }
        expectEqual(head.fields.all(named: "Host"), [request.url.hostField], "Host")
        let secrets = ["Cookie", "Proxy-Authorization", "X-Other"].flatMap { head.fields.all(named: $0) }
        expectEqual(secrets, hasLeft ? [] : ["k=secret", "secret", "secret"], "secrets at \(request.url)")
        let authorizations = head.fields.all(named: "Authorization")
        expect(authorizations.count <= 1, "Authorization: \(authorizations)")
        guard hasLeft else { return }
        expect(
            authorizations.isEmpty || request.url.userInfo?.basicAuthorization == authorizations[0]
                || authorizations[0] != "Basic dXNlcjpzZWNyZXQ=", "the first server's password at \(request.url)")
    }
}
