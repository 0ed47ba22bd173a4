import Testing

@testable import WSCore

/// TLS layers for both roles, with a certificate for localhost that the client trusts.
struct TLSLayers {
    let client: TLSLayer
    let server: TLSLayer
    let source: TLSCertificateSource

    init(
        client change: (inout TLSClientSettings) -> Void = { _ in },
        server changeServer: (inout TLSServerSettings) -> Void = { _ in }
    ) throws {
        source = try TLSCertificateSource.selfSigned(names: [], nowSeconds: WallTime.now.seconds)
        var settings = TLSClientSettings()
        settings.trust = .certificates(source.chain)
        change(&settings)
        client = try TLSLayer(client: settings)
        var serverSettings = TLSServerSettings(certificate: source)
        changeServer(&serverSettings)
        server = try TLSLayer(server: serverSettings)
    }

    /// Creates the client's end of a stream, without starting it.
    func makeClient(on stream: any ByteStream, name: String = "localhost") -> TLSEnd {
        let session = TLSSession(client: client.context, name: .name(name), sessionKey: "key")
        return TLSEnd(stream, session, client)
    }

    /// Creates the server's end of a stream, without starting it.
    func makeServer(on stream: any ByteStream) -> TLSEnd {
        TLSEnd(stream, TLSSession(server: server.context), server)
    }
}

/// A TLS stream, a recorder of its events, and the output waiting to be written.
final class TLSEnd {
    let stream: TLSStream
    let session: TLSSession
    /// The underlying stream.
    let below: any ByteStream
    let recorder = StreamRecorder()
    /// The output waiting to be written.
    var waiting = ByteBuffer()
    var waitingBytes: Int { waiting.count }
    /// The maximum number of bytes in flight so far.
    private(set) var peakInFlightBytes = 0
    private let handshake: Handshake

    private final class Handshake {
        var results: [Result<TLSSummary, StreamError>] = []
    }

    init(_ below: any ByteStream, _ session: TLSSession, _ layer: TLSLayer) {
        self.below = below
        self.session = session
        let handshake = Handshake()
        self.handshake = handshake
        stream = TLSStream(below, session: session, layer: layer) { handshake.results.append($0) }
        stream.delegate = recorder
        recorder.didChange = { [unowned self] _ in writeWaiting() }
    }

    /// The number of times the handshake has ended.
    var completionCount: Int { handshake.results.count }

    var isEstablished: Bool {
        if case .success? = handshake.results.first { true } else { false }
    }

    /// The TLS error that ended the handshake, if any.
    var handshakeError: TLSError? {
        if case .failure(.protection(let error as TLSError))? = handshake.results.first { error } else { nil }
    }

    /// Writes all of `bytes`, continuing each time the stream has drained.
    func send(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { waiting.append($0.bytes) }
        writeWaiting()
    }

    func writeWaiting() {
        do {
            try stream.write(&waiting)
        } catch {
            recorder.writeError = IOError(of: error)
        }
        peakInFlightBytes = max(peakInFlightBytes, stream.inFlightBytes)
    }

    /// Closes the stream and removes the test's action.
    func close() {
        recorder.didChange = { _ in }
        stream.close()
    }
}

/// Calls `body` with two ends of an established TLS connection.
func withTLSPair(
    _ transport: Transport = .socketPair, _ body: (EventLoop, TLSEnd, TLSEnd) throws -> Void
) throws {
    try withLoop { loop in
        let (near, far) = try makeStreamPair(transport, on: loop)
        let (client, server) = try secure(near, far, TLSLayers(), on: loop)
        try body(loop, client, server)
        client.close()
        server.close()
        loop.runOnce()
    }
}

/// Sets up TLS between two streams and waits for both handshakes.
func secure(
    _ near: any ByteStream, _ far: any ByteStream, _ layers: TLSLayers, on loop: EventLoop
) throws -> (TLSEnd, TLSEnd) {
    let client = layers.makeClient(on: near)
    let server = layers.makeServer(on: far)
    server.stream.start()
    client.stream.start()
    loop.run { client.completionCount > 0 && server.completionCount > 0 }
    try #require(client.isEstablished && server.isEstablished)
    return (client, server)
}
