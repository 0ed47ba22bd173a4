import Conversation

@testable import UserInterface
@testable import WSCore

extension FuzzTarget {
    /// A proxy URL, a list of exceptions, and a host, one per line, as in options and environment variables.
    ///
    /// - The description of a proxy parses to the same proxy without its login.
    /// - Error messages are one line, safe to show, and never contain a password.
    /// - A list matches a host exactly if one of its elements does, regardless of case.
    /// - The request for a host is a single HTTP head, and its description contains no secret.
    static let proxyChoice = FuzzTarget(name: "proxy-choice") { input in
        let lines = input.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        let proxy = checkURL(lines[0])
        checkSecrecy(lines[0])
        guard lines.count == 3 else { return }
        checkList(lines[1], host: lines[2])
        guard let authority = try? HostAndPort(parsing: lines[2]) else { return }
        checkListing(authority.host)
        if let proxy { checkRequest(to: proxy, host: authority.host) }
        checkVariable(lines[0], list: lines[1], host: authority.host)
    }

    private static func checkURL(_ text: String) -> Proxy? {
        do throws(ProxyURLError) {
            let proxy = try Proxy(parsing: text)
            expectOneSafeLine(proxy.description)
            guard let again = try? Proxy(parsing: proxy.description) else { unexpected("\(proxy) does not parse") }
            expectEqual(again.kind, proxy.kind, "the kind of \(proxy)")
            expectEqual(again.host, proxy.host, "the host of \(proxy)")
            expectEqual(again.port, proxy.port, "the port of \(proxy)")
            expectEqual(again.credentials, nil, "the login of \(proxy)")
            expectEqual(again.description, proxy.description, "described again")
            return proxy
        } catch {
            expectOneSafeLine(error.description)
            return nil
        }
    }

    private static func checkSecrecy(_ text: String) {
        let secret = "Zq7Zq7"
        for prefix in ["", "http://", "socks5:", "socks5h://", "other://"] {
            let url = "\(prefix)user:\(secret)\(text)@proxy"
            do throws(ProxyURLError) {
                let proxy = try Proxy(parsing: url)
                expect(!proxy.description.contains(secret), "\(proxy) shows the password of \(url)")
            } catch {
                expect(!error.description.contains(secret), "the password of \(url) is shown: \(error)")
            }
        }
    }

    private static func checkList(_ text: String, host: String) {
        for port: UInt16 in [80, 443] {
            let isNamed = NoProxyList(parsing: text).contains(host: host, port: port)
            let elements = text.utf8.split { $0 == 0x2C || $0 == 0x20 || $0 == 0x09 }.map { String(Substring($0)) }
            let isNamedByOne = elements.contains { NoProxyList(parsing: $0).contains(host: host, port: port) }
            expectEqual(isNamed, isNamedByOne, "whether \(text) and one of its elements name \(host)")
            let capitals = String(decoding: text.utf8.map(uppercased), as: UTF8.self)
            expectEqual(
                isNamed, NoProxyList(parsing: capitals).contains(host: host, port: port),
                "whether \(text) and \(capitals) name \(host)")
            expect(NoProxyList(parsing: text + " *").contains(host: host, port: port), "* does not stand for all")
        }
    }

    private static func checkListing(_ host: String) {
        // A comma ends an element, and a host of only asterisks and dots is empty after normalization.
        guard !host.utf8.contains(UInt8(ascii: ",")), !host.allSatisfy({ $0 == "*" || $0 == "." }) else { return }
        let bracketed = host.contains(":") ? "[\(host)]" : host
        for element in [host, bracketed, bracketed + ":443"] {
            expect(NoProxyList(parsing: element).contains(host: host, port: 443), "\(element) does not name \(host)")
        }
        expect(!NoProxyList(parsing: bracketed + ":443").contains(host: host, port: 80), "the port makes no difference")
    }

    private static func checkRequest(to proxy: Proxy, host: String) {
        guard let handshake = try? ProxyHandshake(proxy: proxy, host: host, port: 443) else {
            unexpected("\(host) cannot be asked for")
        }
        guard let head = handshake.requestHead else { return }
        let bytes = handshake.start()
        var parser = HTTPHeadParser(.request, limits: HeadLimits(maximumBytes: .max, maximumFields: 4))
        guard let byteCount = try? parser.receive(bytes.span.bytes), let request = parser.requestHead else {
            unexpected("the request is not HTTP: \(head)")
        }
        expectEqual(byteCount, bytes.count, "the length of the request")
        expectEqual(request.method, "CONNECT", "the method")
        expectEqual(request.target, host.contains(":") ? "[\(host)]:443" : "\(host):443", "the target")
        expectEqual(request.fields.first(named: "Host"), request.target, "Host")
        let authorization = request.fields.first(named: "Proxy-Authorization")
        expectEqual(authorization, proxy.credentials?.basicAuthorization, "the login")
        for line in ReportedHead.lines(ofSent: head, without: SecretRecord()) {
            expectOneSafeLine(line)
            if let authorization { expect(!line.contains(authorization), "\(line) shows the password") }
        }
    }

    private static func checkVariable(_ text: String, list: String, host: String) {
        guard let choice = try? ProxyChoice(environment: { $0 == "no_proxy" ? list : $0 == "all_proxy" ? text : nil })
        else { unexpected("variables fail only where they are used") }
        let isNamed = NoProxyList(parsing: list).contains(host: host, port: 443)
        do throws(ProxyChoiceError) {
            let chosen = try choice.proxy(isSecure: true, host: host, port: 443)
            expectEqual(chosen == nil, isNamed || text.isEmpty, "whether no proxy is chosen")
            expect(chosen.map { $0.variable == "all_proxy" } ?? true, "another variable is named")
        } catch {
            expect(!isNamed, "a variable that is not used fails")
            expectOneSafeLine(error.description)
        }
    }

    private static func uppercased(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") ? byte & ~0x20 : byte
    }
}
