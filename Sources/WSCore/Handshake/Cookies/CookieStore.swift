/// The cookies set by handshake responses (RFC 6265) and those of cookie files, for redirects and reconnections.
///
/// There is no public suffix list: a Domain needs a dot, so `co.uk` counts as an ordinary domain. HttpOnly and SameSite
/// concern web pages and are ignored.
package struct CookieStore: Sendable {
    /// The maximum number of cookies per domain (RFC 6265 §6.1 requires at least 50).
    package static let maximumCookiesOfDomain = 50
    /// The maximum number of cookies (RFC 6265 §6.1 requires at least 3000).
    package static let maximumCookies = 3000
    /// The maximum size of stored cookies in a request's Cookie field, in bytes. Servers reject heads of twice that
    /// size.
    package static let maximumFieldBytes = 8190

    private(set) var cookies: [Cookie] = []
    private var nextCreation = 0

    /// Creates an empty store.
    package init() {}

    /// The number of cookies, including those that have expired since the last response.
    package var count: Int { cookies.count }

    /// Stores the cookies of a response, whatever its status.
    ///
    /// Like a browser, it ignores cookies that are malformed, not permitted for this server, or already expired.
    /// - Parameters:
    ///   - response: The response.
    ///   - url: The URL that the response came from.
    ///   - now: The current time, in seconds since 1970-01-01 00:00 UTC.
    package mutating func receive(_ response: ResponseHead, from url: WebSocketURL, at now: Int) {
        for value in response.fields.all(named: "Set-Cookie") { receive(setCookie: value, from: url, at: now) }
    }

    /// Stores the cookie of one Set-Cookie value, like ``receive(_:from:at:)``.
    mutating func receive(setCookie value: String, from url: WebSocketURL, at now: Int) {
        guard let host = CookieHost(of: url), let parsed = SetCookie(parsing: value, at: now),
            let cookie = Cookie(parsed, from: url, host: host)
        else { return }
        guard !isShadowingSecureCookie(cookie, from: url) else { return }
        // RFC 6265 §5.3 step 11: a cookie with the same name, domain, and path is replaced, and keeps its creation
        // time.
        var creation = nextCreation
        if let index = cookies.firstIndex(where: cookie.isSame(as:)) {
            creation = cookies.remove(at: index).creation
        }
        cookies.removeAll { $0.isExpired(at: now) }
        // RFC 6265 §5.3: setting an expired cookie deletes it.
        guard !cookie.isExpired(at: now) else { return }
        if creation == nextCreation { nextCreation += 1 }
        makeRoom(inDomain: cookie.domain)
        cookies.append(cookie.created(creation))
    }

    /// Adds the cookies of a file, except those that have expired. A later cookie replaces an earlier one.
    /// - Parameter now: The current time, in seconds since 1970-01-01 00:00 UTC.
    /// - Returns: The number of cookies that were dropped because of the limits, the oldest first.
    package mutating func add(_ file: CookieFile, at now: Int) -> Int {
        var kept: [Cookie] = []
        var known: Set<[UInt8]> = []
        var countOfDomain: [String: Int] = [:]
        var droppedCount = 0
        // Not one by one, because each addition searches the whole store.
        for cookie in (cookies + file.cookies).reversed() {
            guard known.insert(cookie.identity).inserted, !cookie.isExpired(at: now) else { continue }
            let count = countOfDomain[cookie.domain, default: 0]
            guard kept.count < Self.maximumCookies, count < Self.maximumCookiesOfDomain else {
                droppedCount += 1
                continue
            }
            countOfDomain[cookie.domain] = count + 1
            kept.append(cookie)
        }
        cookies = kept.reversed().enumerated().map { index, cookie in cookie.created(index) }
        nextCreation = cookies.count
        return droppedCount
    }

    /// The cookies to send with a request, as `name=value` in sending order.
    ///
    /// Leaves out cookies with excluded names, and those that exceed ``maximumFieldBytes`` together with the ones
    /// before.
    func pairs(for url: WebSocketURL, excluding names: [String] = [], at now: Int) -> [String] {
        guard let host = CookieHost(of: url) else { return [] }
        let path = CookiePath.path(of: url)
        let matching = cookies.filter { cookie in
            !cookie.isExpired(at: now) && cookie.goes(to: host, path: path, isSecure: url.isSecure)
                && !names.contains { $0.utf8.elementsEqual(cookie.name.utf8) }
        }
        // RFC 6265 §5.4 step 2: longer paths first; for equal lengths, earlier creation first.
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

    /// Whether a server without TLS tries to replace or shadow a cookie that was set over TLS.
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

    /// Removes the oldest cookie of the domain, or of all, if one more would exceed a limit (RFC 6265 §5.3).
    private mutating func makeRoom(inDomain domain: String) {
        let ofDomain = cookies.filter { $0.domain == domain }
        if ofDomain.count >= Self.maximumCookiesOfDomain {
            removeOldest(of: ofDomain)
        } else if cookies.count >= Self.maximumCookies {
            removeOldest(of: cookies)
        }
    }

    private mutating func removeOldest(of candidates: [Cookie]) {
        guard let oldest = candidates.map(\.creation).min() else { return }
        cookies.removeAll { $0.creation == oldest }
    }
}
