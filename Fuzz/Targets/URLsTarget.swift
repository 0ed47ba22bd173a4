@testable import WSCore

extension FuzzTarget {
    /// URLs as typed by users, and as given by redirects.
    ///
    /// - A parsed URL survives writing and parsing, except for its user name and password.
    /// - Its shown form contains none of its secrets.
    /// - The target and the Host of a request are visible ASCII, and a server parses them to the same values.
    /// - The target of a redirect can be described too. A relative reference stays at its origin.
    /// - Error messages are one line that is safe to show.
    static let urls = FuzzTarget(name: "urls") { input in
        let text = String(decoding: input, as: UTF8.self)
        do throws(URLError) {
            checkURL(try WebSocketURL(parsing: text))
        } catch {
            expectOneSafeLine(error.description)
        }
        for base in bases {
            do throws(URLError) {
                let target = try base.resolving(location: text)
                checkURL(target)
                let isRelative = URLForm.scheme(of: text) == nil && !text.utf8.starts(with: "//".utf8)
                expect(!isRelative || target.isSameOrigin(as: base), "a relative reference leads to \(target)")
            } catch {
                expectOneSafeLine(error.description)
            }
        }
        checkOrigin(text)
    }

    private static let bases = ["ws://base/a/b?c=d", "wss://user:password@base:8443", "ws+unix:/run/a.sock:/x/y"]
        .compactMap { try? WebSocketURL(parsing: $0) }

    private static func checkURL(_ url: WebSocketURL) {
        let description = url.text
        expectOneSafeLine(description)
        expectOneSafeLine(url.description)
        expect(SecretQuery.values(in: url.description).isEmpty, "\(url) contains a secret")
        guard let again = try? WebSocketURL(parsing: description) else { unexpected("\(description) does not parse") }
        expectEqual(again.isSecure, url.isSecure, "whether \(description) is secure")
        expectEqual(again.endpoint, url.endpoint, "the endpoint of \(description)")
        expectEqual(again.requestTarget, url.requestTarget, "the request target of \(description)")
        expectEqual(again.text, description, "written again")
        expect(again.userInfo == nil, "\(description) has a user name")
        checkRequest(for: url)
    }

    private static func checkRequest(for url: WebSocketURL) {
        guard let request = try? ClientRequest(url: url) else { unexpected("there is no request for \(url)") }
        let bytes = request.head(key: "AAAAAAAAAAAAAAAAAAAAAA==")
        var parser = HTTPHeadParser(.request, limits: HeadLimits(maximumBytes: .max, maximumFields: 16))
        guard let byteCount = try? parser.receive(bytes.span.bytes), let head = parser.requestHead else {
            unexpected("the request for \(url) is not HTTP: \(String(decoding: bytes, as: UTF8.self))")
        }
        expectEqual(byteCount, bytes.count, "the length of the request")
        expectEqual(head.target, url.requestTarget, "the request target")
        expectEqual(head.fields.count, request.fields.count + 1, "the number of fields")
        let host = head.fields.first(named: "Host") ?? ""
        guard let authority = try? HostAndPort(parsing: host) else { unexpected("Host is \(host)") }
        guard case .tcp(let name, let port) = url.endpoint else { return }
        let zone = authority.zone.map { "%\($0)" } ?? ""
        expect(name.hasPrefix(authority.host) && zone.isEmpty, "Host is \(host), not \(name)")
        expectEqual(authority.port ?? (url.isSecure ? 443 : 80), port, "the port in Host")
    }

    private static func checkOrigin(_ text: String) {
        guard let elsewhere = try? HostAndPort(parsing: "elsewhere") else { unexpected("a name is no host") }
        let host = (try? HostAndPort(parsing: text)) ?? elsewhere
        expect(OriginPolicy.allowsOrigin(text, host: host, allowed: ["*"]), "* does not stand for all")
        expect(OriginPolicy.allowsHost(host, allowed: ["*"]), "* does not stand for all")
        guard let origin = WebOrigin(parsing: text) else { return }
        expect(OriginPolicy.allowsOrigin(text, host: elsewhere, allowed: [text]), "\(text) is listed")
        let own = try? HostAndPort(parsing: text.split(separator: "/").last.map(String.init) ?? "")
        expect(own.map { OriginPolicy.allowsHost($0, allowed: [text]) } ?? false, "the host of \(text) is listed")
        expect(!origin.host.isEmpty && origin.host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(origin)")
    }
}
