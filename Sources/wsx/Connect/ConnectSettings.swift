import WSCore

/// What the arguments of `wsx connect` mean: URL parsed, files read, request composed.
struct ConnectSettings {
    /// What was typed, for all that means what it says.
    let arguments: ConnectArguments
    /// Where to connect to.
    let url: WebSocketURL
    /// What to ask for there.
    let request: ClientRequest
    /// What is sent as soon as the connection is open, in order.
    let messages: [(payload: [UInt8], kind: MessageKind)]
    /// The close frame that this end sends.
    let closeFrame: CloseFrame
    /// Whether the lines to be sent are typed into a REPL.
    let isRepl: Bool
    /// Whether they come through a pipe, or from a file.
    let readsPipe: Bool

    /// Works the arguments out, or throws ``Failure/badArgument(what:why:)``.
    init(_ arguments: ConnectArguments) throws(Failure) {
        self.arguments = arguments
        do throws(URLError) {
            url = try WebSocketURL(parsing: arguments.url)
        } catch {
            throw .badArgument(what: "URL '\(escapingControls(arguments.url))'", why: "\(error)")
        }
        guard !url.isSecure else {
            throw .badArgument(what: "URL '\(url)'", why: "this version has no TLS; use a ws:// URL")
        }
        request = try Self.request(arguments, url: url)
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
        case .tcp(let host, let port):
            let family: SocketAddress.Family? =
                switch arguments.addressFamily {
                case .any: nil
                case .ipv4: .ipv4
                case .ipv6: .ipv6
                }
            return .tcp(host: host, port: port, family: family)
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

    private static func request(_ arguments: ConnectArguments, url: WebSocketURL) throws(Failure) -> ClientRequest {
        let fields = try HeaderFiles.fields(arguments.headers)
        let credentials = try arguments.auth.map { (auth) throws(Failure) in try Self.credentials(auth) }
        do throws(ClientRequestError) {
            return try ClientRequest(
                url: url, subprotocols: arguments.subprotocols, origin: arguments.origin, host: arguments.host,
                userAgent: arguments.userAgent ?? "wsx/\(version)", credentials: credentials,
                extensionOffers: arguments.deflate.map { [$0.offer] } ?? [], extraFields: fields)
        } catch {
            throw .badArgument(what: "the request", why: "\(error)")
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
