/// A cookie file in the format of Netscape, which curl, wget, and browser extensions read and write.
///
/// Each line has seven fields with a tab between them: the domain, whether it covers its subdomains, the path, whether
/// TLS is required, the expiry time in seconds since 1970 (0: the cookie belongs to a session), the name, and the value.
package struct CookieFile: Sendable {
    /// The cookies in the order of the file, including expired ones.
    let cookies: [Cookie]
    /// The number of lines that are neither cookies nor comments. Like curl, the parser ignores them.
    package let malformedLineCount: Int

    /// Whether the file may have this format: it contains a cookie, or nothing but comments.
    package var isPlausible: Bool { !cookies.isEmpty || malformedLineCount == 0 }

    /// Parses a file. Any input is accepted; see ``isPlausible``.
    package init(parsing bytes: [UInt8]) {
        var cookies: [Cookie] = []
        var malformedLineCount = 0
        for var line in bytes.split(separator: UInt8(ascii: "\n")) {
            while line.last == UInt8(ascii: "\r") { line.removeLast() }
            let isHTTPOnly = line.starts(with: Self.httpOnlyPrefix.utf8)
            if isHTTPOnly {
                line = line.dropFirst(Self.httpOnlyPrefix.utf8.count)
            } else if line.first == UInt8(ascii: "#") || ASCII.trimmed(line).isEmpty {
                continue
            }
            if let cookie = Cookie(line: line, isHTTPOnly: isHTTPOnly) {
                cookies.append(cookie)
            } else {
                malformedLineCount += 1
            }
        }
        self.cookies = cookies
        self.malformedLineCount = malformedLineCount
    }

    /// Returns the contents of a file with the cookies of a store that have not expired.
    /// - Parameter now: The current time, in seconds since 1970-01-01 00:00 UTC.
    package static func contents(of store: CookieStore, at now: Int) -> [UInt8] {
        // Python's http.cookiejar requires this first line.
        var text = """
            # Netscape HTTP Cookie File
            # https://curl.se/docs/http-cookies.html
            # This file was written by wsx.


            """
        for cookie in store.cookies where !cookie.isExpired(at: now) {
            // A server may choose a path with tabs, which no request has.
            guard !"\(cookie.domain)\(cookie.path)".utf8.contains(where: ASCII.isControl) else { continue }
            text += cookie.line
        }
        return Array(text.utf8)
    }

    /// Begins the line of a cookie that scripts of web pages may not read. Older programs take it for a comment.
    fileprivate static let httpOnlyPrefix = "#HttpOnly_"
}

extension Cookie {
    /// Parses a line of a cookie file without its end and the prefix for HttpOnly. Returns `nil` if it is malformed.
    fileprivate init?(line: ArraySlice<UInt8>, isHTTPOnly: Bool) {
        // Like curl: of the fields, only the path and the value may be empty or missing.
        guard let text = String(validating: line, as: UTF8.self) else { return nil }
        var fields = text.utf8.split(separator: ASCII.tab).map { String(Substring($0)) }
        if fields.count > 2, Self.flag(fields[2]) != nil { fields.insert("/", at: 2) }
        if fields.count == 6 { fields.append("") }
        guard fields.count == 7, !line.contains(where: { ASCII.isControl($0) && $0 != ASCII.tab }),
            let coversSubdomains = Self.flag(fields[1]), let isSecure = Self.flag(fields[3]),
            let expiry = Self.expiry(fields[4])
        else { return nil }
        let (name, value) = (fields[5], fields[6])
        let (semicolon, sign) = (UInt8(ascii: ";"), UInt8(ascii: "="))
        // In a Cookie field, these would begin another cookie or the value.
        guard !name.utf8.contains(where: { $0 == semicolon || $0 == sign }), !value.utf8.contains(semicolon) else {
            return nil
        }
        // The limits of Set-Cookie.
        guard name.utf8.count + value.utf8.count <= SetCookie.maximumBytes,
            fields[0].utf8.count <= SetCookie.maximumAttributeBytes,
            fields[2].utf8.count <= SetCookie.maximumAttributeBytes
        else { return nil }
        let hasDot = fields[0].utf8.first == UInt8(ascii: ".")
        let written = String(Substring(fields[0].utf8.dropFirst(hasDot ? 1 : 0)))
        // The path of a Unix domain socket is case-sensitive.
        let domain = written.hasPrefix(CookieHost.unixPrefix) ? written : ASCII.lowercased(written)
        // A line that begins with # would be a comment.
        guard let first = domain.utf8.first, !".#".utf8.contains(first) else { return nil }
        let path = fields[2].utf8.first == UInt8(ascii: "/") ? fields[2] : "/"
        let isHostOnly = !coversSubdomains || !CookieHost.mayHaveSubdomains(domain)
        guard Self.isPermitted(name: name, isSecure: isSecure, isForWholeHost: isHostOnly && path == "/") else {
            return nil
        }
        self.init(
            name: name, value: value, domain: domain, isHostOnly: isHostOnly, path: path, isSecure: isSecure,
            expiry: expiry == 0 ? nil : expiry, isHTTPOnly: isHTTPOnly)
    }

    private static func flag(_ text: String) -> Bool? {
        switch ASCII.lowercased(text) {
        case "true": true
        case "false": false
        default: nil
        }
    }

    /// Parses whole seconds. Some browser extensions write a fraction, too.
    private static func expiry(_ text: String) -> Int? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 1 || parts[1].utf8.allSatisfy(ASCII.isDigit) else { return nil }
        return Int(parts[0])
    }

    /// The line of the cookie in a cookie file.
    fileprivate var line: String {
        let flags = [!isHostOnly, isSecure].map { $0 ? "TRUE" : "FALSE" }
        return (isHTTPOnly ? CookieFile.httpOnlyPrefix : "") + (isHostOnly ? "" : ".")
            + "\(domain)\t\(flags[0])\t\(path)\t\(flags[1])\t\(expiry ?? 0)\t\(name)\t\(value)\n"
    }
}
