import WSCore

/// What the arguments of `wsx connect` mean: URL parsed, files read, request composed.
struct ConnectSettings {
    /// What was typed, for all that means what it says.
    let arguments: ConnectArguments
    /// Where to connect to.
    let url: WebSocketURL
    /// What to ask for there.
    let request: ClientRequest
    /// How the stream is opened.
    let network: NetworkSettings
    /// What is sent as soon as the connection is open, in order.
    let messages: [(payload: [UInt8], kind: MessageKind)]
    /// The close frame that this end sends.
    let closeFrame: CloseFrame
    /// Whether the lines to be sent are typed into a REPL.
    let isRepl: Bool
    /// Whether they come through a pipe, or from a file.
    let readsPipe: Bool

    /// Works the arguments out, or throws ``Failure/badArgument(what:why:)``; `environment` looks variables up.
    init(_ arguments: ConnectArguments, environment: @escaping (String) -> String? = { _ in nil }) throws(Failure) {
        self.arguments = arguments
        do throws(URLError) {
            url = try WebSocketURL(parsing: arguments.url)
        } catch {
            throw .badArgument(what: "URL '\(escapingControls(arguments.url))'", why: "\(error)")
        }
        guard !url.isSecure else {
            throw .badArgument(what: "URL '\(url)'", why: "this version has no TLS; use a ws:// URL")
        }
        request = try Self.request(arguments, url: url, secrets: Secrets(environment: environment))
        network = try NetworkSettings(arguments)
        messages = try Self.messages(arguments)
        closeFrame = CloseFrame(
            code: CloseCode(rawValue: arguments.closeCode), reason: arguments.closeReason)
        let readsInput = arguments.readsInput && (messages.isEmpty || arguments.isInteractive)
        let isTyped = StandardDescriptors.isTerminal(StandardDescriptors.input) && arguments.input == .lines
        isRepl = readsInput && isTyped
        readsPipe = readsInput && !isTyped
    }

    /// Where the stream leads, except for the embedded server.
    var destination: Connector.Settings.Destination? {
        if let path = arguments.unixSocket { return .unix(path: path) }
        switch url.endpoint {
        case .unix(let path): return .unix(path: path)
        case .tcp(let host, let port): return .tcp(host: host, port: port)
        case .embeddedEcho: return nil
        }
    }

    /// What is accepted from the peer, and how the connection is closed.
    var connection: Connection<ConnectRun>.Settings {
        Connection.Settings(
            role: .client,
            limits: Limits(
                maximumMessageBytes: arguments.maximumMessageBytes, maximumFragments: arguments.maximumFragments),
            fragmentBytes: arguments.fragmentBytes, closeTimeout: arguments.closeTimeout)
    }

    /// The kind of the messages that are sent.
    var kind: MessageKind { arguments.payload.kind(for: arguments.input) }

    private static func request(
        _ arguments: ConnectArguments, url: WebSocketURL, secrets: Secrets
    ) throws(Failure) -> ClientRequest {
        var fields = try HeaderFiles.fields(arguments.headers)
        let credentials = try arguments.auth.map { (auth) throws(Failure) in
            try Self.credentials(try secrets.value(of: auth, for: "--auth"))
        }
        if let bearer = arguments.bearer {
            fields.append(try Self.bearerField(try secrets.value(of: bearer, for: "--bearer")))
        }
        for cookie in arguments.cookies {
            try Self.add(cookie: try secrets.value(of: cookie, for: "--cookie"), to: &fields)
        }
        do throws(ClientRequestError) {
            return try ClientRequest(
                url: url, subprotocols: arguments.subprotocols, origin: arguments.origin, host: arguments.host,
                userAgent: arguments.userAgent ?? "wsx/\(version)", credentials: credentials,
                extensionOffers: arguments.deflate.map { [$0.offer] } ?? [], extraFields: fields)
        } catch {
            throw .badArgument(what: "the request", why: "\(error)")
        }
    }

    private static func bearerField(_ token: String) throws(Failure) -> HeaderField {
        // RFC 6750 §2.1: letters, digits and a few signs; servers are known to use others, but none a space.
        guard !token.isEmpty, token.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw .badArgument(what: "--bearer", why: "a token is not empty and consists of visible ASCII characters")
        }
        return try field("Authorization", "Bearer \(token)", for: "--bearer")
    }

    /// RFC 6265 §5.4: a request has one Cookie field at most.
    private static func add(cookie: String, to fields: inout [HeaderField]) throws(Failure) {
        guard let sign = cookie.utf8.firstIndex(of: UInt8(ascii: "=")), sign > cookie.startIndex else {
            throw .badArgument(what: "--cookie", why: "there is no name and '='; write name=value")
        }
        let earlier = fields.filter { $0.isNamed("Cookie") }.map(\.value)
        fields.removeAll { $0.isNamed("Cookie") }
        fields.append(try field("Cookie", (earlier + [cookie]).joined(separator: "; "), for: "--cookie"))
    }

    private static func field(_ name: String, _ value: String, for option: String) throws(Failure) -> HeaderField {
        do throws(HeaderFieldError) {
            return try HeaderField(name: name, value: value)
        } catch {
            throw .badArgument(what: option, why: "\(error)")
        }
    }

    private static func credentials(_ auth: String) throws(Failure) -> Credentials {
        guard let colon = auth.firstIndex(of: ":") else {
            throw .badArgument(what: "--auth", why: "there is no password; write USER:PASSWORD")
        }
        do throws(CredentialsError) {
            return try Credentials(user: String(auth[..<colon]), password: String(auth[auth.index(after: colon)...]))
        } catch {
            throw .badArgument(what: "--auth", why: "\(error)")
        }
    }

    private static func messages(
        _ arguments: ConnectArguments
    ) throws(Failure) -> [(payload: [UInt8], kind: MessageKind)] {
        let kind: MessageKind = arguments.payload == .binary ? .binary : .text
        var messages = arguments.messages.map { (payload: Array($0.utf8), kind: kind) }
        if let path = arguments.file {
            let contents = try HeaderFiles.contents(of: path == "-" ? "/dev/stdin" : path, for: "--file")
            let isText = contents.withUnsafeBytes { UTF8Validator.isValid($0.bytes) }
            guard kind == .binary || isText else {
                throw .badInput(
                    what: "--file \(escapingControls(path))", why: "it is not UTF-8 text; send it with --binary")
            }
            messages.append((contents, kind))
        }
        return messages
    }
}

extension PayloadKind {
    /// The kind of the messages that input in a format is sent as.
    func kind(for format: InputFormat) -> MessageKind {
        switch self {
        case .text: .text
        case .binary: .binary
        case .automatic: format == .chunks ? .binary : .text
        }
    }
}
