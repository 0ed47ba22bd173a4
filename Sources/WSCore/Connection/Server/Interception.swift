/// The beginning of a tunnel that an HTTP proxy intercepts: answers CONNECT, and finds out what the client speaks.
///
///      200 ──► first bytes ─┬─ TLS ──► Connector to the server ──► TLS with the client, and then requests
///                           ├─ a letter ──► requests
///                           └─ anything else ──► Tunnel
internal final class Interception {
    /// What follows. Reading has stopped.
    enum Outcome {
        /// The client has begun TLS, and the server has been connected if it can be verified.
        case secured(Result<PreparedConnection, ConnectError>)
        /// The client probably speaks HTTP.
        case plain
        /// The client speaks something else.
        case foreign
        /// The client has left, or sent nothing in time.
        case abandoned(reason: String?)
    }

    private let client: any ByteStream
    /// What the client has sent in the tunnel.
    private var firstBytes: [UInt8]
    private let settings: Connector.Settings
    private let resources: ConnectorResources
    private var connector: Connector?
    private var output = ByteBuffer()
    private var timer: Timer?
    private var completion: ((Outcome, _ firstBytes: [UInt8]) -> Void)?

    /// - Parameters:
    ///   - firstBytes: The bytes that arrived after the CONNECT request.
    ///   - settings: How to connect to the server with TLS.
    init(
        _ client: any ByteStream, firstBytes: [UInt8], by settings: Connector.Settings, _ resources: ConnectorResources
    ) {
        self.client = client
        self.firstBytes = firstBytes
        self.settings = settings
        self.resources = resources
    }

    /// Answers the client.
    /// - Parameter timeout: The time limit for its first bytes.
    func start(timeout: Duration, completion: @escaping (Outcome, [UInt8]) -> Void) {
        self.completion = completion
        client.delegate = self
        let timer = Timer(on: client.loop) { [unowned self] in
            finish(
                .abandoned(
                    reason:
                        "The client has sent nothing in its tunnel; leave the host out of --intercept if the server speaks first."
                ))
        }
        timer.start(after: timeout)
        self.timer = timer
        output.append(Self.answer.span.bytes)
        client.startReading()
        proceed()
    }

    /// Closes both streams. The completion is not called.
    func cancel() {
        completion = nil
        timer = nil
        connector?.cancel()
        client.close()
    }

    private func finish(_ outcome: Outcome) {
        guard let completion else { return }
        self.completion = nil
        timer = nil
        client.stopReading()
        completion(outcome, firstBytes)
    }

    /// Writes the answer, and decides when the first bytes have arrived.
    private func proceed() {
        guard completion != nil, connector == nil else { return }
        guard (try? client.write(&output)) != nil else { return finish(.abandoned(reason: nil)) }
        guard output.isEmpty else { return firstBytes.count > 1 ? client.stopReading() : () }
        guard let first = firstBytes.first else { return }
        // RFC 8446 §5.1: a handshake record, and the major version 3.
        if first == 0x16 {
            if firstBytes.count > 1 { firstBytes[1] == 3 ? connect() : finish(.foreign) }
        } else {
            finish(ASCII.isLetter(first) ? .plain : .foreign)
        }
    }

    private func connect() {
        timer = nil
        client.stopReading()
        let connector = Connector(settings, resources: resources, on: client.loop) { [unowned self] result in
            if case .failure(let error) = result { finish(.secured(.failure(error))) }
        }
        connector.didConnect = { [unowned self] stream, _ in
            finish(.secured(.success(PreparedConnection(stream, peer: connector.peer ?? ""))))
        }
        self.connector = connector
        connector.start()
    }

    /// RFC 9110 §9.3.6: a 2xx response to CONNECT has no content.
    static let answer = Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8)
}

extension Interception: ByteStreamDelegate {
    func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {
        bytes.bytes.withUnsafeBytes { firstBytes += $0 }
        proceed()
    }

    func streamDidReachEnd(_ stream: any ByteStream) { finish(.abandoned(reason: nil)) }
    func streamDidDrain(_ stream: any ByteStream) { proceed() }
    func stream(_ stream: any ByteStream, didFailToRead error: StreamError) { finish(.abandoned(reason: nil)) }
    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) { finish(.abandoned(reason: nil)) }
}

/// How a request arrives in a tunnel that is intercepted.
struct Intercepted {
    let origin: TunnelOrigin
    /// The connection to the server, or the reason why there is none; nil if none was tried.
    let server: Result<PreparedConnection, ConnectError>?

    var prepared: PreparedConnection? { try? server?.get() }
    var failure: ConnectError? { if case .failure(let error)? = server { error } else { nil } }
}
