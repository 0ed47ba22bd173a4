/// The beginning of a tunnel of an HTTP proxy: finds out what the client speaks, unless it is not examined, and connects to the
/// server.
///
///      200 ──► first bytes ─┬─ TLS ──► Connector ──► TLS with the client, and then requests
///                           ├─ a method ──► requests
///                           └─ anything else ──┐
///      not examined ───────────────────────────┴► Connector ──► Tunnel
internal final class TunnelOpening {
    /// What follows. The client does not read.
    enum Outcome {
        /// The client has begun TLS, and the server has been connected if it can be verified.
        case secured(Result<PreparedConnection, ConnectError>)
        /// The client probably speaks HTTP.
        case plain
        /// The server is connected, for bytes that are not examined.
        case connected(any ByteStream, firstBytes: [UInt8])
        /// The server cannot be reached, for bytes that are not examined.
        case failed(ConnectError)
        /// The client has left, or sent too little in time; nil for a client that has left and sent nothing.
        case abandoned(HandshakeRefusal?)
    }

    /// What a client speaks in its tunnel.
    private enum Content {
        case tls, http, other
    }

    private let request: RequestHead
    private let client: any ByteStream
    /// What the client has sent in the tunnel.
    private(set) var firstBytes: [UInt8]
    private var settings: Connector.Settings
    private let resources: ConnectorResources
    /// Checks whether the client is still there while it waits.
    private let watch: DeadPeerDetector
    private var connector: Connector?
    /// Whether CONNECT has been answered.
    private(set) var hasAnswered = false
    /// The rest of the answer.
    private var output = ByteBuffer()
    private var timer: Timer?
    private var completion: ((TunnelOpening, Outcome) -> Void)?

    /// - Parameters:
    ///   - firstBytes: The bytes that arrived after the CONNECT request.
    ///   - settings: How to connect to the server with TLS.
    init(
        _ request: RequestHead, on client: any ByteStream, firstBytes: [UInt8], by settings: Connector.Settings,
        _ resources: ConnectorResources, watch: DeadPeerDetector, completion: @escaping (TunnelOpening, Outcome) -> Void
    ) {
        self.request = request
        self.client = client
        self.firstBytes = firstBytes
        self.settings = settings
        self.resources = resources
        self.watch = watch
        self.completion = completion
    }

    /// Starts with the answer, or with the connection to the server.
    /// - Parameter timeout: The time limit for the client's first bytes; nil not to examine them.
    func start(examiningWithin timeout: Duration?) {
        client.delegate = self
        guard let timeout else { return connect(for: .other) }
        let timer = Timer(on: client.loop) { [unowned self] in
            let remedy = "leave the host out of --intercept if the server speaks first"
            abandon(408, "The client has sent no request in its tunnel; \(remedy).")
        }
        timer.start(after: timeout)
        self.timer = timer
        hasAnswered = true
        output.append(Self.answer.span.bytes)
        proceed()
    }

    /// Closes both streams. The completion is not called.
    func cancel() {
        stop()
        client.close()
    }

    private func stop() {
        completion = nil
        timer = nil
        connector?.cancel()
        watch.remove(self)
    }

    private func finish(_ outcome: Outcome) {
        guard let completion else { return }
        stop()
        client.stopReading()
        completion(self, outcome)
    }

    /// Writes the answer, and decides when the first bytes have arrived.
    private func proceed() {
        guard completion != nil, connector == nil else { return }
        guard (try? client.write(&output)) != nil else { return leave() }
        guard output.isEmpty else { return client.stopReading() }
        switch Self.content(of: firstBytes) {
        case nil: client.startReading()
        case .http?: finish(.plain)
        case let content?: connect(for: content)
        }
    }

    private func connect(for content: Content) {
        timer = nil
        client.stopReading()
        settings.isTunnel = content == .other
        let connector = Connector(settings, resources: resources, on: client.loop) { [unowned self] result in
            guard case .failure(let error) = result else { return }
            finish(content == .tls ? .secured(.failure(error)) : .failed(error))
        }
        connector.didConnect = { [unowned self] stream, serverBytes in
            finish(
                content == .tls
                    ? .secured(.success(PreparedConnection(stream, peer: self.connector?.peer ?? "")))
                    : .connected(stream, firstBytes: serverBytes))
        }
        self.connector = connector
        watch.add(self)
        connector.start()
    }

    private func leave() {
        // Browsers open spare tunnels.
        if connector == nil, firstBytes.isEmpty { return finish(.abandoned(nil)) }
        abandon(HandshakeRefusal.clientLeftStatus, "The client left before its tunnel was open.")
    }

    private func abandon(_ status: Int, _ reason: String) {
        finish(.abandoned(HandshakeRefusal(status: status, reason: reason, request: request)))
    }

    /// What the first bytes begin; nil if there are too few to tell.
    private static func content(of bytes: [UInt8]) -> Content? {
        // RFC 8446 §5.1: a handshake record, and the major version 3.
        if bytes.first == 0x16 { return bytes.count < 2 ? nil : bytes[1] == 3 ? .tls : .other }
        // RFC 9112 §3: a method, and a blank. Other protocols begin with a letter, too: `SSH-2.0-OpenSSH`.
        let method = bytes.prefix { ASCII.isLetter($0) || $0 == UInt8(ascii: "-") }
        guard let next = bytes.dropFirst(method.count).first else { return method.count > 32 ? .other : nil }
        return next == ASCII.space && !method.isEmpty ? .http : .other
    }

    /// RFC 9110 §9.3.6: a 2xx response to CONNECT has no content.
    static let answer = Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8)
}

extension TunnelOpening: ByteStreamDelegate {
    func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {
        bytes.bytes.withUnsafeBytes { firstBytes += $0 }
        proceed()
    }

    func streamDidReachEnd(_ stream: any ByteStream) { leave() }
    func streamDidDrain(_ stream: any ByteStream) { proceed() }
    func stream(_ stream: any ByteStream, didFailToRead error: StreamError) { leave() }
    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) { leave() }
}

extension TunnelOpening: PeerWatched {
    /// Cancels the connection to the server if the client has left.
    func lookAfterPeer(probing isProbing: Bool) {
        switch client.peerPresence {
        case .present: break
        // A client may end its side after what it sends, except in the handshake of TLS.
        case .hasEnded where settings.isTunnel && (!firstBytes.isEmpty || client.hasUnreadBytes): break
        case .hasEnded, .isGone: leave()
        }
    }
}

/// How a request arrives in a tunnel that is intercepted. An object, because few requests have one.
final class Intercepted {
    let origin: TunnelOrigin
    /// The connection to the server, or the reason why there is none; nil if none was tried.
    let server: Result<PreparedConnection, ConnectError>?

    init(origin: TunnelOrigin, server: Result<PreparedConnection, ConnectError>?) {
        self.origin = origin
        self.server = server
    }

    var prepared: PreparedConnection? { try? server?.get() }
    var failure: ConnectError? { if case .failure(let error)? = server { error } else { nil } }
}
