import COpenSSL

@testable import WSCore

/// A client and a server session connected in memory.
final class TLSPair {
    let client: TLSSession
    let server: TLSSession
    /// The plaintext that each side has decrypted.
    var clientReceived: [UInt8] = []
    var serverReceived: [UInt8] = []
    /// The maximum number of bytes per call of `decrypt`.
    var pieceBytes = Int.max
    private let plaintext: UnsafeMutableRawBufferPointer

    init(
        client: TLSContext, server: TLSContext, name: TLSServerName = .name("localhost"), plaintextBytes: Int = 1 << 16,
        version: HTTPVersion? = .http1
    ) {
        self.client = TLSSession(client: client, name: name, sessionKey: "key", version: version)
        self.server = TLSSession(server: server)
        plaintext = .allocate(byteCount: plaintextBytes, alignment: 16)
    }

    deinit { plaintext.deallocate() }

    /// Runs the handshake until neither side has output.
    func handshake() throws(TLSError) {
        try client.start()
        try settle()
    }

    /// Delivers all output, including the replies to it.
    func settle() throws(TLSError) {
        while !client.output.isEmpty || !server.output.isEmpty {
            try deliver(from: client, to: server, into: &serverReceived)
            try deliver(from: server, to: client, into: &clientReceived)
        }
    }

    func deliverToServer() throws(TLSError) { try deliver(from: client, to: server, into: &serverReceived) }

    func deliverToClient() throws(TLSError) { try deliver(from: server, to: client, into: &clientReceived) }

    private func deliver(
        from sender: TLSSession, to receiver: TLSSession, into received: inout [UInt8]
    ) throws(TLSError) {
        let bytes = sender.output.takeAll()
        var offset = 0
        while offset < bytes.count {
            let result = try bytes.withReadableBytes { (bytes) throws(TLSError) in
                try receiver.decrypt(
                    bytes.extracting(offset..<offset + min(pieceBytes, bytes.byteCount - offset)), into: plaintext)
            }
            received += plaintext[..<result.plaintextBytes]
            offset += result.consumedBytes
        }
    }
}

extension TLSSession {
    func encrypt(_ bytes: [UInt8]) throws(TLSError) { try encrypt(bytes.span.bytes) }

    /// The number of bytes of output.
    var waitingBytes: Int { output.count }

    /// Removes and returns the output.
    func takeOutput() -> [UInt8] {
        output.takeAll().withReadableBytes { bytes in bytes.withUnsafeBytes { Array($0) } }
    }

    /// Decrypts and discards the plaintext.
    func receive(_ bytes: [UInt8]) throws(TLSError) {
        let plaintext = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { plaintext.deallocate() }
        _ = try decrypt(bytes.span.bytes, into: plaintext)
    }
}

/// The error that `body` throws, or `nil`.
func tlsError(_ body: () throws(TLSError) -> Void) -> TLSError? {
    do {
        try body()
        return nil
    } catch {
        return error
    }
}

extension TLSSession {
    /// The server name that a client has sent to this server.
    var requestedServerName: String? {
        SSL_get_servername(handle, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) }
    }

    /// Requests the client's certificate after the handshake (RFC 8446 §4.6.2). Returns false if that is impossible.
    func requestCertificate(isRequired: Bool = true) -> Bool {
        SSL_set_verify(handle, SSL_VERIFY_PEER | (isRequired ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), nil)
        return SSL_verify_client_post_handshake(handle) == 1 && SSL_do_handshake(handle) == 1
    }

    /// Replaces the keys of both sides (RFC 8446 §4.6.3). Returns false if that is impossible.
    func updateKeys() -> Bool { SSL_key_update(handle, SSL_KEY_UPDATE_REQUESTED) == 1 && SSL_do_handshake(handle) == 1 }

    /// Requests a renegotiation from the client. Returns false if that is impossible.
    func renegotiate() -> Bool { SSL_renegotiate(handle) == 1 && SSL_do_handshake(handle) == 1 }
}
