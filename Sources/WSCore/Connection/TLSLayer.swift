/// TLS for the streams of one loop: what they share, in one role and with one set of settings.
public final class TLSLayer {
    /// The context of all sessions, which remembers those that can be resumed.
    let context: TLSContext
    /// Where the streams are decrypted to, one at a time; its contents are valid until the next read.
    let plaintext: UnsafeMutableRawBufferPointer

    /// Four records of the largest size (RFC 8446 §5.1).
    private static let plaintextBytes = 64 << 10

    /// Makes the layer of a client.
    public convenience init(client settings: TLSClientSettings) throws(TLSConfigurationError) {
        self.init(try TLSContext(client: settings))
    }

    /// Makes the layer of a server.
    public convenience init(server settings: TLSServerSettings) throws(TLSConfigurationError) {
        self.init(try TLSContext(server: settings))
    }

    /// Makes a layer with the context of another, but room of its own: TLS that stands on TLS reads from the one below
    /// while it decrypts.
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
