/// The cookies that servers set in their answers to handshakes (RFC 6265), for redirects and reconnects.
///
/// Kept in memory alone, as long as the store lives. There is no list of public suffixes: a Domain needs a dot, so
/// that `co.uk` is taken for a domain as any other. HttpOnly and SameSite are about web pages, and mean nothing here.
public struct CookieStore: Sendable {
    /// The number of cookies that are kept for one domain (RFC 6265 §6.1 asks for 50 at least).
    public static let maximumCookiesOfDomain = 50
    /// The number of cookies that are kept (RFC 6265 §6.1 asks for 3000 at least).
    public static let maximumCookies = 3000
    /// The bytes of a request's Cookie value that stored cookies can make up; servers refuse heads of twice that.
    public static let maximumFieldBytes = 8190

    private var cookies: [Cookie] = []
    private var nextCreation = 0

    /// Makes an empty store.
    public init() {}

    /// The number of cookies, with those that have expired since a response was last received.
    public var count: Int { cookies.count }

    /// Takes the cookies that a response sets, whatever its status.
    ///
    /// `url` is the one the response came from, `now` the time in seconds since the beginning of 1970. What is not
    /// well-formed, not for this server, or already expired is left out, as browsers do.
    public mutating func receive(_ response: ResponseHead, from url: WebSocketURL, at now: Int) {
        for value in response.fields.all(named: "Set-Cookie") { receive(setCookie: value, from: url, at: now) }
    }

    /// Takes the value of one Set-Cookie field; ``receive(_:from:at:)`` says how.
    mutating func receive(setCookie value: String, from url: WebSocketURL, at now: Int) {
        guard let host = CookieHost(of: url), let parsed = SetCookie(parsing: value, at: now),
            let cookie = Cookie(parsed, from: url, host: host, creation: nextCreation)
        else { return }
        guard !isShadowingSecureCookie(cookie, from: url) else { return }
        // RFC 6265 §5.3 step 11: the new one replaces one of its name, domain and path, and keeps its age.
        var creation = nextCreation
        if let index = cookies.firstIndex(where: cookie.isSame(as:)) {
            creation = cookies.remove(at: index).creation
        }
        cookies.removeAll { $0.isExpired(at: now) }
        // RFC 6265 §5.3: to set a cookie that has expired is to delete it.
        guard !cookie.isExpired(at: now) else { return }
        if creation == nextCreation { nextCreation += 1 }
        makeRoom(inDomain: cookie.domain)
        cookies.append(cookie.created(creation))
    }

    /// The cookies to send with a request, as `name=value` in the order in which they are sent.
    ///
    /// Those of names that are excluded are left out, and what goes beyond ``maximumFieldBytes``.
    func pairs(for url: WebSocketURL, excluding names: [String] = [], at now: Int) -> [String] {
        guard let host = CookieHost(of: url) else { return [] }
        let path = CookiePath.path(of: url)
        let matching = cookies.filter { cookie in
            !cookie.isExpired(at: now) && cookie.goes(to: host, path: path, isSecure: url.isSecure)
                && !names.contains { $0.utf8.elementsEqual(cookie.name.utf8) }
        }
        // RFC 6265 §5.4 step 2: longer paths first, and of those of one length the earlier created.
        let ordered = matching.sorted { left, right in
            let (leftCount, rightCount) = (left.path.utf8.count, right.path.utf8.count)
            return leftCount == rightCount ? left.creation < right.creation : leftCount > rightCount
        }
        var byteCount = 0
        return ordered.map { "\($0.name)=\($0.value)" }.prefix { pair in
            byteCount += pair.utf8.count + 2
            return byteCount <= Self.maximumFieldBytes + 2
        }
    }

    /// Whether a server without TLS tries to put a cookie in the place of, or beside, one that came through TLS.
    private func isShadowingSecureCookie(_ cookie: Cookie, from url: WebSocketURL) -> Bool {
        guard !url.isSecure else { return false }
        // RFC 6265bis §5.7: leave secure cookies alone.
        return cookies.contains { other in
            other.isSecure && other.name.utf8.elementsEqual(cookie.name.utf8)
                && (CookieHost.isCovered(other.domain, by: cookie.domain)
                    || CookieHost.isCovered(cookie.domain, by: other.domain))
                && CookiePath.isCovered(cookie.path, by: other.path)
        }
    }

    /// Drops the oldest of a domain, or of all, where one more would be too many (RFC 6265 §5.3).
    private mutating func makeRoom(inDomain domain: String) {
        let ofDomain = cookies.filter { $0.domain == domain }
        if ofDomain.count >= Self.maximumCookiesOfDomain {
            removeOldest(of: ofDomain)
        } else if cookies.count >= Self.maximumCookies {
            removeOldest(of: cookies)
        }
    }

    private mutating func removeOldest(of crowd: [Cookie]) {
        guard let oldest = crowd.map(\.creation).min() else { return }
        cookies.removeAll { $0.creation == oldest }
    }
}
