extension WebSocketURL {
    /// Resolves a response's Location field against this URL (RFC 3986 §5.2, RFC 9110 §10.2.2).
    ///
    /// The fragment is dropped. Only the schemes ws, wss, http, and https are allowed. A relative reference keeps the
    /// user name and password.
    /// - Throws: ``URLError``.
    package func resolving(location: String) throws(URLError) -> WebSocketURL {
        let reference = String(Substring(location.utf8.prefix { $0 != UInt8(ascii: "#") }))
        if let scheme = URLForm.scheme(of: reference) {
            // RFC 3986 §4.2: a colon in the first segment always ends a scheme.
            guard URLForm.webSchemes[scheme] != nil else { throw .forbiddenRedirect(scheme: scheme) }
            return try WebSocketURL(parsing: reference)
        }
        if reference.utf8.starts(with: "//".utf8) {
            return try WebSocketURL(parsing: (isSecure ? "wss:" : "ws:") + reference)
        }
        // A relative reference is checked for forbidden characters as part of a URL.
        _ = try WebSocketURL(parsing: "ws://localhost/" + reference)
        return WebSocketURL(
            isSecure: isSecure, endpoint: endpoint,
            requestTarget: mergedTarget(with: try Self.encodePathAndQuery(reference)), userInfo: userInfo)
    }

    /// The request target for a relative reference, which must be ASCII.
    private func mergedTarget(with reference: String) -> String {
        guard let first = reference.utf8.first else { return requestTarget }
        let basePath = String(Substring(requestTarget.utf8.prefix { $0 != UInt8(ascii: "?") }))
        if first == UInt8(ascii: "?") { return basePath + reference }
        let path = reference.utf8.prefix { $0 != UInt8(ascii: "?") }
        let query = String(Substring(reference.utf8.dropFirst(path.count)))
        var absolutePath = String(Substring(path))
        if first != UInt8(ascii: "/"), let slash = basePath.utf8.lastIndex(of: UInt8(ascii: "/")) {
            absolutePath = basePath[...slash] + absolutePath
        }
        return Self.removingDotSegments(absolutePath) + query
    }

    /// RFC 3986 §5.2.4, for a path that begins with a slash.
    private static func removingDotSegments(_ path: String) -> String {
        var kept: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for segment in segments {
            if segment == ".." { _ = kept.popLast() } else if segment != "." { kept.append(segment) }
        }
        if let last = segments.last, last == "." || last == ".." { kept.append("") }
        return "/" + kept.joined(separator: "/")
    }
}
