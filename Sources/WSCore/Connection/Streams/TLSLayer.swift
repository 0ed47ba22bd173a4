/// The TLS state shared by the streams of one loop, in one role and with one set of settings.
package final class TLSLayer {
    /// The context of all sessions, which also keeps resumable sessions.
    let context: TLSContext
    /// The buffer for decrypted data, shared by all streams. Its contents are valid until the next read.
    let plaintext: UnsafeMutableRawBufferPointer

    /// The size of four maximum records (RFC 8446 §5.1).
    private static let plaintextBytes = 64 << 10

    /// Creates the layer of a client.
    /// - Throws: ``TLSConfigurationError`` if the settings are invalid.
    package convenience init(client settings: TLSClientSettings) throws(TLSConfigurationError) {
        self.init(try TLSContext(client: settings))
    }

    /// Creates the layer of a server.
    /// - Throws: ``TLSConfigurationError`` if the settings are invalid.
    package convenience init(server settings: TLSServerSettings) throws(TLSConfigurationError) {
        self.init(try TLSContext(server: settings))
    }

    /// Creates the layer of a server whose sessions have certificates of an authority.
    /// - Throws: ``TLSConfigurationError/unavailable(reason:)``.
    package convenience init(
        authority: CertificateAuthority, keyLog: (@Sendable (String) -> Void)?
    ) throws(TLSConfigurationError) {
        self.init(try TLSContext(authority: authority, keyLog: keyLog))
    }

    /// Starts a server's handshake on a stream, which it takes over. The delegate is told if it fails.
    package func accept(_ stream: any ByteStream) -> any ByteStream {
        let secured = TLSStream(stream, session: TLSSession(server: context), layer: self)
        secured.start()
        return secured
    }

    /// Creates a layer with the context of another but a separate buffer. TLS over TLS needs it: the upper stream
    /// decrypts while it reads from the lower stream's buffer.
    convenience init(sharingContextOf other: TLSLayer) {
        self.init(other.context)
    }

    private init(_ context: TLSContext) {
        self.context = context
        plaintext = .allocate(byteCount: Self.plaintextBytes, alignment: 64)
    }

    deinit {
        plaintext.deallocate()
    }
}
