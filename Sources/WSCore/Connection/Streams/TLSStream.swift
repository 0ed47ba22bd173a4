/// TLS on a stream: encrypts written bytes and decrypts read bytes.
///
///      delegate ◄── plaintext buffer ◄── TLSSession.decrypt ◄── stream
///      write(_:) ──► TLSSession.encrypt ──► TLSSession.output ──► stream
///
/// Until the handshake is complete, the delegate receives only failures, and `write` accepts nothing.
///
/// A TLS stream can run over another, such as TLS through an HTTPS proxy. The two need separate layers, because the
/// plaintext of the lower is the ciphertext of the upper.
internal final class TLSStream: ByteStream {
    // RFC 8446 §6.1: each side ends on its own, so each has its own state.

    /// The state of our side.
    private enum State {
        /// The completion is called once: when the handshake completes, before any data is delivered, or when it fails.
        case handshaking(Completion?)
        case established
        /// The stream will be shut down when it has accepted our close_notify or alert.
        case shuttingDown
        case shutDown
        case closed
    }

    /// The state of the peer's side.
    private enum PeerState {
        /// The delegate does not read. Only the handshake does.
        case paused
        case reading
        /// The peer closed its side.
        case ended
        /// TLS failed, so further input is meaningless and discarded.
        case failed
    }

    let loop: EventLoop
    var delegate: (any ByteStreamDelegate)?

    private let stream: any ByteStream
    private let session: TLSSession
    private let layer: TLSLayer
    private var state: State
    private var peerState = PeerState.paused
    /// Ciphertext held back while the delegate is not reading. It is decrypted before anything else is read.
    private var unread = ByteBuffer()

    /// The maximum number of bytes encrypted at once. The rest stays in the owner's queue, which is bounded.
    private static let pieceBytes = 256 << 10
    /// Space for the overhead of a piece: a header and a tag, or a MAC and padding, per 16 KiB (RFC 8446 §5.2).
    private static let overheadBytes = 1 << 10
    /// The maximum storage of an owner's buffer kept when it is empty, in bytes.
    private static let keptStorageBytes = 64 << 10

    /// Receives the result of the handshake.
    typealias Completion = (Result<TLSSummary, StreamError>) -> Void

    /// Prepares TLS on a stream, which it takes over.
    /// - Parameter completion: Receives the result of the handshake. If nil, the delegate is notified of a failure.
    init(_ stream: any ByteStream, session: TLSSession, layer: TLSLayer, completion: Completion? = nil) {
        assert((stream as? TLSStream)?.layer !== layer, "TLS on TLS needs its own layer")
        self.stream = stream
        self.session = session
        self.layer = layer
        state = .handshaking(completion)
        loop = stream.loop
    }

    /// Starts the handshake.
    /// - Parameter firstBytes: Bytes the layer below read beyond its own handshake.
    func start(with firstBytes: [UInt8] = []) {
        stream.delegate = self
        do throws(TLSError) {
            try session.start()
        } catch {
            return fail(error)
        }
        flush()
        stream.startReading()
        guard !firstBytes.isEmpty else { return }
        firstBytes.withUnsafeBytes { receive($0.bytes) }
    }

    /// Whether the server has requested a client certificate and we have none.
    var lacksCertificate: Bool { session.lacksCertificate }
    /// Whether the server wanted to renegotiate.
    var hasRefusedRenegotiation: Bool { session.hasRefusedRenegotiation }

    /// The TLS parameters and the peer's certificate; nil before the handshake is complete.
    var summary: TLSSummary? { session.summary }

    /// The bytes of a handshake that is not complete, or has failed; nil otherwise.
    var handshakeBytes: (received: Int, sent: Int)? { session.isEstablished ? nil : session.wireBytes }

    /// Whether the peer has ended its side without close_notify, so that data may be missing (RFC 8446 §6.1).
    var wasTruncated: Bool { peerState == .ended && !session.hasEnded }

    var isClosed: Bool { if case .closed = state { true } else { false } }

    private var isEstablished: Bool {
        switch state {
        case .handshaking, .closed: false
        case .established, .shuttingDown, .shutDown: true
        }
    }

    // MARK: Writing

    // Bytes of TLS itself, such as tickets, do not count: they leave with the next write, or at the end of the read.
    var isWriting: Bool { !isClosed && (stream.isWriting || session.isInMessage) }
    var inFlightBytes: Int { isClosed ? 0 : stream.inFlightBytes + session.output.count }
    var storageBytes: Int { isClosed ? 0 : stream.storageBytes + session.output.storageBytes }
    var unsentBytes: Int { isClosed ? 0 : stream.unsentBytes + session.output.count }

    func write(_ buffer: inout ByteBuffer) throws(StreamError) {
        try write(&buffer, moreFollows: false)
    }

    func writeBeforeEnd(_ buffer: inout ByteBuffer) throws(StreamError) {
        try write(&buffer, moreFollows: true)
    }

    private func write(_ buffer: inout ByteBuffer, moreFollows: Bool) throws(StreamError) {
        guard isEstablished else { return }
        do throws(StreamError) {
            buffer.consume(
                try buffer.withReadableBytes { (bytes) throws(StreamError) in
                    try writePieces(of: bytes, moreFollows: moreFollows)
                })
        } catch {
            // A layer above would mistake remaining bytes for output that is still pending.
            buffer.removeAll()
            throw error
        }
        if buffer.isEmpty { buffer.releaseStorage(above: Self.keptStorageBytes) }
    }

    func write(_ shared: SharedBytes, from offset: Int) throws(StreamError) -> Int {
        guard isEstablished else { return 0 }
        return try shared.withBytes(from: offset) { (bytes) throws(StreamError) in try writePieces(of: bytes) }
    }

    /// Writes pieces until the kernel accepts no more. Returns the number of bytes written.
    private func writePieces(of bytes: RawSpan, moreFollows: Bool = false) throws(StreamError) -> Int {
        var offset = 0
        while offset < bytes.byteCount, !isWriting {
            let piece = bytes.extracting(offset..<min(bytes.byteCount, offset + Self.pieceBytes))
            try encrypt(piece)
            if moreFollows { try stream.writeBeforeEnd(&session.output) } else { try stream.write(&session.output) }
            offset += piece.byteCount
        }
        return offset
    }

    private func encrypt(_ piece: RawSpan) throws(StreamError) {
        // Reserve storage once: appending record by record would grow it step by step.
        session.output.growStorage(to: session.output.count + piece.byteCount + Self.overheadBytes)
        do throws(TLSError) {
            try session.encrypt(piece)
        } catch {
            throw .protection(error)
        }
    }

    /// Closes our side of TLS, then our side of the stream.
    func shutdown() {
        switch state {
        case .handshaking, .established: state = .shuttingDown
        case .shuttingDown, .shutDown, .closed: return
        }
        session.close()
        flush()
    }

    func close() {
        guard !isClosed else { return }
        // RFC 8446 §6.1: each party must send close_notify before it closes its side. Sent only if the kernel accepts
        // it now.
        if case .established = state, !stream.isWriting {
            session.close()
            flush()
        }
        state = .closed
        peerState = .ended
        delegate = nil
        stream.close()
    }

    func abort() {
        guard !isClosed else { return }
        // RFC 8446 §6.1: without close_notify, the data is incomplete.
        state = .closed
        peerState = .ended
        delegate = nil
        stream.abort()
    }

    /// Writes pending TLS output. Failures surface when reading, after any input that arrived before.
    private func flush() {
        guard case .shuttingDown = state else { return (try? stream.write(&session.output)) ?? () }
        try? stream.writeBeforeEnd(&session.output)
        guard session.output.isEmpty else { return }
        state = .shutDown
        stream.shutdown()
    }

    // MARK: Reading

    var peerPresence: PeerPresence { stream.peerPresence }
    var hasUnreadBytes: Bool { !unread.isEmpty || stream.hasUnreadBytes }

    func startReading() {
        guard !isClosed else { return }
        switch peerState {
        case .paused, .ended:
            peerState = .reading
            resumeReading()
        case .failed: stream.startReading()
        case .reading: break
        }
    }

    func stopReading() {
        if peerState == .reading { peerState = .paused }
        if isEstablished { stream.stopReading() }
    }

    /// Whether the handshake is in progress. It reads even if the delegate does not.
    private var isInHandshake: Bool {
        if case .handshaking = state { peerState != .failed } else { false }
    }

    /// Whether input is decrypted now.
    private var decrypts: Bool { peerState == .reading || isInHandshake }

    /// Decrypts the input held back at the end of the turn, or reads more if there is none.
    private func resumeReading() {
        // The end that came with the last data was held back, too.
        if unread.isEmpty, !session.hasEnded { stream.startReading() } else { loop.atEndOfTurn(self) }
    }

    /// Decrypts input, and holds back what the delegate does not take.
    private func receive(_ ciphertext: RawSpan) {
        let takenBytes = take(ciphertext)
        guard !isClosed, peerState != .failed else { return }
        unread.append(ciphertext.extracting(droppingFirst: takenBytes))
        flush()
        if decrypts { resumeReading() } else { stream.stopReading() }
    }

    /// Decrypts input while the delegate reads. Returns the number of bytes consumed.
    private func take(_ ciphertext: RawSpan) -> Int {
        var offset = 0
        let wasInMessage = session.isInMessage
        while decrypts, offset < ciphertext.byteCount {
            let target = isEstablished ? layer.plaintext : UnsafeMutableRawBufferPointer(start: nil, count: 0)
            let progressBytes: Int
            let plaintextBytes: Int
            do throws(TLSError) {
                let progress = try session.decrypt(ciphertext.extracting(droppingFirst: offset), into: target)
                progressBytes = progress.consumedBytes
                offset += progressBytes
                plaintextBytes = progress.plaintextBytes
            } catch {
                fail(error)
                return ciphertext.byteCount
            }
            if case .handshaking(let completion) = state, session.isEstablished { established(completion) }
            if plaintextBytes > 0, !isClosed {
                var bytes = UnsafeMutableRawBufferPointer(rebasing: target[..<plaintextBytes]).mutableBytes
                delegate?.stream(self, didRead: &bytes)
            }
            if session.hasEnded, decrypts { end() }
            // Stop: no progress is possible without more input.
            if progressBytes == 0, plaintextBytes == 0, !target.isEmpty { break }
        }
        if wasInMessage, !session.isInMessage {
            flush()
            if !isWriting { delegate?.streamDidDrain(self) }
        }
        return peerState == .ended ? ciphertext.byteCount : offset
    }

    private func established(_ completion: Completion?) {
        state = .established
        // The last bytes of the handshake leave with the first bytes of the delegate, or at the end of the read.
        if let completion, let summary = session.summary { completion(.success(summary)) }
        // The delegate can write now.
        if !isClosed { delegate?.streamDidDrain(self) }
    }

    /// Reports that the peer closed its side. Ours stays open (RFC 8446 §6.1).
    private func end() {
        guard peerState != .ended else { return }
        peerState = .ended
        stream.stopReading()
        delegate?.streamDidReachEnd(self)
    }

    /// Sends the alert for a TLS error and reports the error.
    private func fail(_ error: TLSError) {
        peerState = .failed
        flush()
        stream.stopReading()
        fail(.protection(error))
    }

    private func fail(_ error: StreamError) {
        guard case .handshaking(let completion?) = state else {
            delegate?.stream(self, didFailToRead: error)
            return
        }
        state = .handshaking(nil)
        completion(.failure(error))
    }
}

extension TLSStream: EndOfTurnWork {
    /// Decrypts input held back earlier.
    func endTurn() {
        guard decrypts, !unread.isEmpty || session.hasEnded else { return }
        var waiting = unread.takeAll()
        waiting.consume(waiting.withReadableBytes { take($0) })
        guard !isClosed else { return }
        unread = waiting
        unread.releaseStorage(above: 0)
        if session.hasEnded, decrypts { end() }
        flush()
        if decrypts { resumeReading() }
    }
}

extension TLSStream: ByteStreamDelegate {
    func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {
        receive(bytes.bytes)
    }

    /// Handles an end of the stream without close_notify. After the handshake, the layer above detects truncation.
    func streamDidReachEnd(_ stream: any ByteStream) {
        if peerState == .failed {
            delegate?.streamDidReachEnd(self)
            return
        }
        do throws(TLSError) {
            try session.receiveEnd()
            end()
        } catch {
            if isEstablished { end() } else { fail(error) }
        }
    }

    func streamDidDrain(_ stream: any ByteStream) {
        flush()
        if !isInHandshake, !isWriting { delegate?.streamDidDrain(self) }
    }

    func stream(_ stream: any ByteStream, didFailToRead error: StreamError) {
        fail(error)
    }

    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) {
        session.output.removeAll()
        delegate?.stream(self, didFailToWrite: error)
    }
}
