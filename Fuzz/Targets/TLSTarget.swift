import WSCore

@testable import wsx

extension FuzzTarget {
    /// Bytes instead of a TLS handshake. The first byte selects the role.
    ///
    /// - The result does not depend on how the bytes are split.
    /// - Without a handshake, there is no plaintext, and the connection is not established.
    /// - Failures are safe to show.
    static let tls = FuzzTarget(name: "tls") { input in
        guard let role = input.first else { return }
        let bytes = Array(input.dropFirst())
        let whole = TLSOutcome(of: [bytes[...]], isServer: role % 2 == 1)
        for pieces in waysToCut(bytes) {
            let cut = TLSOutcome(of: pieces, isServer: role % 2 == 1)
            expect(
                whole.error?.identifier == cut.error?.identifier,
                "whole and in pieces of \(pieces.map(\.count)): \(whole) \(cut)")
        }
        expect(!whole.isEstablished && whole.plaintextBytes == 0, "a connection was established without a peer")
        for error in [whole.error, whole.errorAtEnd].compactMap({ $0 }) { expectOneSafeLine(error.description) }
    }
}

/// The outcome of bytes instead of a handshake.
private struct TLSOutcome {
    private(set) var error: TLSError?
    /// The failure if the peer then closes the connection.
    private(set) var errorAtEnd: TLSError?
    private(set) var plaintextBytes = 0
    let isEstablished: Bool

    /// A session with its own context, which prevents resumption and is used by a single thread.
    private static func session(isServer: Bool) -> TLSSession? {
        if isServer {
            guard let certificate, let context = try? TLSContext(server: TLSServerSettings(certificate: certificate))
            else { return nil }
            return TLSSession(server: context)
        }
        var settings = TLSClientSettings()
        settings.verifiesPeer = false
        guard let context = try? TLSContext(client: settings) else { return nil }
        return TLSSession(client: context, name: .name("host"), sessionKey: "host:443")
    }

    private static let certificate = try? TLSCertificateSource.selfSigned(names: [], nowSeconds: 1_800_000_000)

    init(of pieces: [ArraySlice<UInt8>], isServer: Bool) {
        guard let session = Self.session(isServer: isServer) else { unexpected("the settings are valid") }
        do throws(TLSError) {
            try session.start()
            for piece in pieces { plaintextBytes += try Self.decrypt(piece, with: session) }
        } catch {
            self.error = error
        }
        do throws(TLSError) { try session.receiveEnd() } catch { errorAtEnd = error }
        isEstablished = session.isEstablished
    }

    private static func decrypt(_ piece: ArraySlice<UInt8>, with session: TLSSession) throws(TLSError) -> Int {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 16)
        defer { room.deallocate() }
        var offset = 0
        var plaintextBytes = 0
        while offset < piece.count {
            let rest = Array(piece.dropFirst(offset))
            let progress = try session.decrypt(rest.span.bytes, into: room)
            plaintextBytes += progress.plaintextBytes
            offset += progress.consumedBytes
            guard progress.consumedBytes > 0 || progress.plaintextBytes > 0 else {
                unexpected("none of \(rest.count) bytes was consumed")
            }
        }
        return plaintextBytes
    }
}
