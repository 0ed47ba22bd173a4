/// The HTTP content of a server next to its WebSockets: built-in pages, files, and a help text.
package struct Site: WebResponder {
    private let policy: ServerPolicy
    private let pages: [WebPage]
    /// The files, or `nil` if there are none.
    let files: FileTree?
    private let acceptsPosts: Bool

    /// Creates a site.
    /// - Parameters:
    ///   - policy: The server's policy, with the WebSocket path and the additional response fields.
    ///   - pages: The built-in pages. They take precedence over files, and a page for `/` replaces the help text.
    ///   - files: The files for all other paths, or `nil`.
    ///   - acceptsPosts: Whether the server itself answers POST requests.
    package init(
        policy: ServerPolicy, pages: [WebPage] = [], files: FileTree? = nil, acceptsPosts: Bool = false
    ) {
        self.policy = policy
        self.pages = pages
        self.files = files
        self.acceptsPosts = acceptsPosts
    }

    /// The response to a request.
    package func response(to request: RequestHead, cache: SiteCache = SiteCache()) -> WebResponse {
        var response = ownResponse(to: request, cache: cache)
        response.complete(with: policy.extraFields)
        return response
    }

    private func ownResponse(to request: RequestHead, cache: SiteCache) -> WebResponse {
        guard request.method == "GET" || request.method == "HEAD" else {
            // RFC 9110 §15.5.6: a 405 response lists the supported methods.
            let allow = HeaderField(wellFormedName: "Allow", value: acceptsPosts ? "GET, HEAD, POST" : "GET, HEAD")
            return WebResponse(
                status: 405, text: acceptsPosts ? "Use the method GET, HEAD, or POST." : "Use the method GET or HEAD.",
                fields: [allow])
        }
        if let page = pages.first(where: { $0.path == request.path }) {
            return WebResponse(status: 200, fields: page.fields, content: .bytes(page.bytes))
        }
        if let files { return response(to: request, from: files, cache: cache) ?? missing(request) }
        return request.path == "/" ? WebResponse(text: help(for: request)) : missing(request)
    }

    /// The response for a path without a page or file. If the site has files, and WebSockets at every path, the request
    /// is more likely for a missing file.
    private func missing(_ request: RequestHead) -> WebResponse {
        guard policy.path == nil ? files == nil : policy.hasWebSockets(at: request) else {
            return WebResponse(status: 404, text: "There is nothing at this path.")
        }
        return WebResponse(.upgradeRequired(request, policy: policy))
    }

    /// The help text for browsers.
    private func help(for request: RequestHead) -> String {
        let url = policy.url(for: request)
        return """
            This is a WebSocket server: wsx listen.

            Connect to it from a terminal:

                wsx connect \(url)

            or from a web page:

                new WebSocket("\(url)")
            """
    }
}

/// Responds to requests that do not ask for a WebSocket.
package protocol WebResponder: Sendable {
    /// The response to a request. The request is valid HTTP, and its host and credentials have been checked.
    /// - Parameter cache: What the responses of the loop share.
    func response(to request: RequestHead, cache: SiteCache) -> WebResponse
}

/// A page built into the program.
package struct WebPage: Sendable {
    /// The path, as in a request target.
    package let path: String
    /// The fields that describe the page: Content-Type, and others such as Content-Security-Policy.
    package let fields: [HeaderField]
    /// The contents of the page.
    package let bytes: [UInt8]

    /// Creates a page. `mediaType` becomes its Content-Type.
    package init(path: String, mediaType: String, fields: [HeaderField] = [], bytes: [UInt8]) {
        self.path = path
        self.fields = [HeaderField(wellFormedName: "Content-Type", value: mediaType)] + fields
        self.bytes = bytes
    }
}
