import Formats
import WSCore

extension ApplicationProtocol.Endpoint {
    /// Completes the path and query of a URL with what the protocol expects. Query parameters of the URL win.
    ///
    ///     /            → /socket.io/?EIO=4&transport=websocket
    ///     /socket?t=1  → /socket/websocket?t=1&vsn=2.0.0
    ///
    /// - Parameter target: The path, and the query after a question mark if there is one.
    package func requestTarget(completing target: String) -> String {
        let (typedPath, typedQuery) = Self.split(target)
        var path = typedPath
        if path.isEmpty || path == "/", let ownPath = self.path { path = ownPath }
        if let pathSuffix, !path.hasSuffix(pathSuffix) {
            path = (path.hasSuffix("/") ? String(path.dropLast()) : path) + pathSuffix
        }
        var parameters = typedQuery.isEmpty ? [] : [typedQuery]
        let names = Self.names(of: typedQuery)
        parameters += query.filter { !names.contains($0.name) }.map { "\($0.name)=\($0.value)" }
        return path + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
    }

    /// The first query parameter with which a target asks for another version or transport than the protocol's:
    /// `EIO=3`, and `EIO=4`, which sessions speak. Nil: there is none.
    package func unspokenParameter(in target: String) -> (asked: String, spoken: String)? {
        let parts = Self.split(target).query.split(separator: "&").map(String.init)
        let names = parts.map { String($0.prefix { $0 != "=" }) }
        var spoken = query
        if self == .undetected {
            spoken =
                ApplicationProtocol.all.first { one in
                    !one.endpoint.query.isEmpty && one.endpoint.query.allSatisfy { names.contains($0.name) }
                }?.version(askedBy: target).endpoint.query ?? []
        }
        if let negotiation { spoken.append((negotiation.queryName, negotiation.queryValue)) }
        for (part, name) in zip(parts, names) {
            guard let (_, value) = spoken.first(where: { $0.name == name }), part != "\(name)=\(value)" else {
                continue
            }
            return (part, "\(name)=\(value)")
        }
        return nil
    }

    /// Whether a URL has the first query parameter, which names the version.
    func isAsked(by url: String) -> Bool {
        let query = Self.split(url).query.prefix { $0 != "#" }
        return self.query.first.map { query.split(separator: "&").contains("\($0.name)=\($0.value)") } ?? false
    }

    fileprivate static func split(_ target: String) -> (path: String, query: String) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return (parts[0], parts.count > 1 ? parts[1] : "")
    }

    fileprivate static func names(of query: String) -> [String] {
        query.split(separator: "&").compactMap { $0.split(separator: "=", omittingEmptySubsequences: false).first }
            .map(String.init)
    }
}

extension ApplicationProtocol.Negotiation {
    /// The target of the POST request for the target of the WebSocket.
    package func requestTarget(for target: String) -> String {
        let (path, query) = ApplicationProtocol.Endpoint.split(target)
        let base = path.hasSuffix("/") ? String(path.dropLast()) : path
        return base + pathSuffix + "?" + (query.isEmpty ? "" : query + "&") + "\(queryName)=\(queryValue)"
    }
}

// MARK: Detection

extension ApplicationProtocol {
    /// Finds the protocol of a connection for `--protocol auto`, or returns `nil` if it cannot be detected.
    /// - Parameters:
    ///   - url: The URL of the connection.
    ///   - subprotocol: The subprotocol that the server selected.
    package static func detected(url: WebSocketURL, subprotocol: String?) -> ApplicationProtocol? {
        if let subprotocol, let found = all.first(where: { $0.endpoint.subprotocols.contains(subprotocol) }) {
            return found
        }
        if isDevTools(url) { return devTools }
        let names = Endpoint.names(of: Endpoint.split(url.requestTarget).query)
        return all.first { one in
            !one.endpoint.query.isEmpty && one.endpoint.query.allSatisfy { names.contains($0.name) }
        }?.version(askedBy: url.requestTarget)
    }

    /// Whether a URL is that of DevTools: /devtools/page/ID and /devtools/browser/ID in Chromium, and only a UUID in the
    /// inspectors of Node and Deno, on this machine. Deno's begins with /ws/.
    package static func isDevTools(_ url: WebSocketURL) -> Bool {
        let target = url.requestTarget
        if target.hasPrefix("/devtools/") { return true }
        return url.isLoopback && isUUID(target.dropFirst(target.hasPrefix("/ws/") ? 4 : 1))
    }

    /// Whether a URL is that of WebDriver BiDi: /session/ID, where Selenium Grid appends /se/bidi, and /session on this
    /// machine.
    package static func isBiDi(_ url: WebSocketURL) -> Bool {
        let path = Endpoint.split(url.requestTarget).path
        if path == "/session" { return url.isLoopback }
        return path.hasPrefix("/session/") && isUUID(path.dropFirst(9).prefix { $0 != "/" })
    }

    private static func isUUID(_ text: Substring) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.utf8.count) == [8, 4, 4, 4, 12] && parts.joined().allSatisfy(\.isHexDigit)
    }

    /// Finds the protocol of a connection by its first message, which the server sent unasked, or returns `nil` if it
    /// could belong to any.
    package static func detected(firstMessage payload: RawSpan, as kind: MessageKind) -> ApplicationProtocol? {
        guard kind == .text else { return nil }
        if payload.byteCount > 1, payload.bytes[0] == UInt8(ascii: "0"),
            let members = JSONMembers(Array(payload.bytes.dropFirst())), members.has("sid"),
            members.has("pingInterval")
        {
            return socketIO
        }
        guard let members = JSONMembers(payload) else { return nil }
        if members.string("type") == "welcome" { return actionCable }
        if members.string("jsonrpc") == "2.0" { return jsonRPC }
        return nil
    }
}
