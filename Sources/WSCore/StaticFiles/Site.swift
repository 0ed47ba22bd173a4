/// What a server has for browsers beside its WebSockets: pages of the program, files, and words of help.
public struct Site: WebResponder {
    private let policy: ServerPolicy
    private let pages: [WebPage]
    /// The files; nil: there are none.
    let files: FileTree?

    /// Makes a site.
    /// - Parameters:
    ///   - policy: The server's policy: where its WebSockets are, and the fields that answers have besides their own.
    ///   - pages: Pages that are part of the program; one for `/` takes the place of the words of help,
    ///     and others go before files.
    ///   - files: The files of all other paths; nil: there are none.
    public init(policy: ServerPolicy, pages: [WebPage] = [], files: FileTree? = nil) {
        self.policy = policy
        self.pages = pages
        self.files = files
    }

    /// The answer to a request.
    public func response(to request: RequestHead) -> WebResponse {
        var response = ownResponse(to: request)
        response.complete(with: policy.extraFields)
        return response
    }

    private func ownResponse(to request: RequestHead) -> WebResponse {
        guard request.method == "GET" || request.method == "HEAD" else {
            // RFC 9110 §15.5.6: the answer says which methods there are.
            let allow = HeaderField(wellFormedName: "Allow", value: "GET, HEAD")
            return WebResponse(status: 405, text: "Use the method GET or HEAD.", fields: [allow])
        }
        if let page = pages.first(where: { $0.path == request.path }) {
            return WebResponse(status: 200, fields: page.fields, content: .bytes(page.bytes))
        }
        if let files { return response(to: request, from: files) ?? missing(request) }
        return request.path == "/" ? WebResponse(text: help(for: request)) : missing(request)
    }

    /// The answer where there is neither page nor file. With files, a path that is not that of the WebSockets alone is
    /// more likely a file that is looked for in vain.
    private func missing(_ request: RequestHead) -> WebResponse {
        guard policy.path == nil ? files == nil : policy.hasWebSockets(at: request) else {
            return WebResponse(status: 404, text: "There is nothing at this path.")
        }
        return WebResponse(.upgradeRequired(request, policy: policy))
    }

    /// What somebody reads who opens the server in a browser.
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

/// Answers requests that ask for no WebSocket.
public protocol WebResponder: Sendable {
    /// The answer to a request, which is good HTTP and may be answered as far as host and authorization are concerned.
    func response(to request: RequestHead) -> WebResponse
}

/// A page that is part of the program, and the path it is found at.
public struct WebPage: Sendable {
    /// The path, as it comes in a request target.
    public let path: String
    /// The fields of the answer that say what the page is and may do: Content-Type, and others such as
    /// Content-Security-Policy.
    public let fields: [HeaderField]
    /// The page.
    public let bytes: [UInt8]

    /// Takes the parts of a page; `mediaType` becomes its Content-Type.
    public init(path: String, mediaType: String, fields: [HeaderField] = [], bytes: [UInt8]) {
        self.path = path
        self.fields = [HeaderField(wellFormedName: "Content-Type", value: mediaType)] + fields
        self.bytes = bytes
    }
}
