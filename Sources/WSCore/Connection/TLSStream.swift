/// TLS on a stream: what is written is encrypted on its way down, what is read decrypted on its way up.
///
///      delegate ◄── plaintext buffer ◄── TLSSession.decrypt ◄── stream
///      write(_:) ──► TLSSession.encrypt ──► TLSSession.output ──► stream
///
/// The delegate hears nothing before TLS stands but that it failed, and what it writes until then stays with it.
/// Being a stream on a stream, it can itself stand on TLS: that to a proxy. The two need layers of their own, since what
/// the lower one has decrypted is what the upper one decrypts.
internal final class TLSStream: ByteStream {
    let loop: EventLoop
    var delegate: (any ByteStreamDelegate)?
    private(set) var isClosed = false

    private let stream: any ByteStream
    private let session: TLSSession
    private let layer: TLSLayer
    /// Called once: when TLS stands and nothing has been handed over, or when it failed before.
    private var completion: Completion?
    /// Ciphertext that came while the delegate did not want to read, to be decrypted before anything else is read.
    private var unread = ByteBuffer()
    private var isReading = false
    private var isEstablished = false
    /// Whether nothing more is to be had from the peer: it has ended its side, or TLS has failed.
    private var hasEnded = false
    /// Whether TLS has failed, so that the peer's bytes mean nothing any more.
    private var hasFailed = false
    private var isShuttingDown = false
    private var hasShutDownStream = false
    private var isTurnEndScheduled = false

    /// What is encrypted in one go, in bytes: the rest stays with its owner, whose queue is bounded.
    private static let pieceBytes = 256 << 10
    /// Room for what a piece grows by: a head and a tag, or a MAC and padding, for each 16 KiB of it (RFC 8446 §5.2).
    private static let overheadBytes = 1 << 10
    /// Storage of an owner's buffer that is kept from one busy moment to the next, in bytes.
    private static let keptStorageBytes = 64 << 10

    /// How a handshake ended.
    typealias Completion = (Result<TLSSummary, StreamError>) -> Void

    /// Prepares TLS on a stream, which it takes over.
    /// - Parameter completion: Gets the end of the handshake; nil: the delegate hears of a failure.
    init(_ stream: any ByteStream, session: TLSSession, layer: TLSLayer, completion: Completion? = nil) {
        assert((stream as? TLSStream)?.layer !== layer, "TLS on TLS needs a layer of its own")
        self.stream = stream
        self.session = session
        self.layer = layer
        self.completion = completion
        loop = stream.loop
    }

    /// Begins the handshake.
    /// - Parameter firstBytes: What the layer below had read beyond its own handshake.
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

    /// What was agreed on, and with whom, once TLS stands.
    var summary: TLSSummary? { session.summary }

    // MARK: Writing

    var isWriting: Bool { !isClosed && (stream.isWriting || !session.output.isEmpty) }
    var inFlightBytes: Int { isClosed ? 0 : stream.inFlightBytes + session.output.count }
    var unsentBytes: Int { isClosed ? 0 : stream.unsentBytes + session.output.count }

    func write(_ buffer: inout ByteBuffer) throws(StreamError) {
        guard !isClosed, isEstablished else { return }
        do throws(StreamError) {
            buffer.consume(try buffer.withReadableBytes { (bytes) throws(StreamError) in try writePieces(of: bytes) })
        } catch {
            // A layer above takes what is left for what is still to be written.
            buffer.removeAll()
            throw error
        }
        if buffer.isEmpty { buffer.releaseStorage(above: Self.keptStorageBytes) }
    }

    func write(_ shared: SharedBytes, from offset: Int) throws(StreamError) -> Int {
        guard !isClosed, isEstablished else { return 0 }
        return try shared.withBytes(from: offset) { (bytes) throws(StreamError) in try writePieces(of: bytes) }
    }

    /// Writes piece after piece until the kernel takes no more, and returns how many bytes that were.
    private func writePieces(of bytes: RawSpan) throws(StreamError) -> Int {
        var offset = 0
        while offset < bytes.byteCount, !isWriting {
            let piece = bytes.extracting(offset..<min(bytes.byteCount, offset + Self.pieceBytes))
            try encrypt(piece)
            try stream.write(&session.output)
            offset += piece.byteCount
        }
        return offset
    }

    private func encrypt(_ piece: RawSpan) throws(StreamError) {
        // Records are appended one by one, which would make the storage grow step by step.
        session.output.growStorage(to: piece.byteCount + Self.overheadBytes)
        do throws(TLSError) {
            try session.encrypt(piece)
        } catch {
            throw .protection(error)
        }
    }

    /// Ends our side of TLS, and with it that of the stream.
    func shutdown() {
        guard !isClosed, !isShuttingDown else { return }
        isShuttingDown = true
        session.close()
        flush()
    }

    func close() {
        guard !isClosed else { return }
        // RFC 8446 §6.1: before it closes its side, each party sends close_notify. Here as far as the kernel takes it.
        if isEstablished, !isShuttingDown, !stream.isWriting {
            session.close()
            flush()
        }
        isClosed = true
        delegate = nil
        completion = nil
        stream.close()
    }

    /// Writes what TLS has to say. A failure shows in reading, after what the peer may have said.
    private func flush() {
        try? stream.write(&session.output)
        guard isShuttingDown, !hasShutDownStream, session.output.isEmpty else { return }
        hasShutDownStream = true
        stream.shutdown()
    }

    // MARK: Reading

    var peerPresence: PeerPresence { stream.peerPresence }
    var hasUnreadBytes: Bool { !unread.isEmpty || stream.hasUnreadBytes }

    func startReading() {
        guard !isClosed, !isReading else { return }
        isReading = true
        goOnReading()
    }

    func stopReading() {
        isReading = false
        if isEstablished { stream.stopReading() }
    }

    /// The handshake reads whether the delegate wants to or not.
    private var isInHandshake: Bool { !isEstablished && !hasFailed }

    private func goOnReading() {
        // After the end nothing is of interest. After a failure the rest may be asked for, to be thrown away.
        guard !isClosed, isReading || isInHandshake, !hasEnded || hasFailed else { return }
        if unread.isEmpty { return stream.startReading() }
        guard !isTurnEndScheduled else { return }
        isTurnEndScheduled = true
        loop.atEndOfTurn(self)
    }

    /// Decrypts, and keeps what the delegate does not want yet.
    private func receive(_ ciphertext: RawSpan) {
        let takenBytes = take(ciphertext)
        guard !isClosed else { return }
        unread.append(ciphertext.extracting(droppingFirst: takenBytes))
        flush()
        if isReading || isInHandshake { goOnReading() } else { stream.stopReading() }
    }

    /// Decrypts as much as the delegate wants, and returns how many bytes that took.
    private func take(_ ciphertext: RawSpan) -> Int {
        var offset = 0
        while !isClosed, !hasEnded, isReading || !isEstablished, offset < ciphertext.byteCount {
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
            if !isEstablished, session.isEstablished { established() }
            if plaintextBytes > 0, !isClosed {
                var bytes = UnsafeMutableRawBufferPointer(rebasing: target[..<plaintextBytes]).mutableBytes
                delegate?.stream(self, didRead: &bytes)
            }
            if session.hasEnded { end() }
            // Everything that can be had now has been.
            if progressBytes == 0, plaintextBytes == 0, !target.isEmpty { break }
        }
        return hasEnded ? ciphertext.byteCount : offset
    }

    private func established() {
        isEstablished = true
        flush()
        let completion = self.completion
        self.completion = nil
        if let summary = session.summary { completion?(.success(summary)) }
        // What could not be written before can be now.
        if !isClosed { delegate?.streamDidDrain(self) }
    }

    /// The peer has ended its side; ours stays open (RFC 8446 §6.1).
    private func end() {
        guard !hasEnded, !isClosed else { return }
        hasEnded = true
        stream.stopReading()
        delegate?.streamDidReachEnd(self)
    }

    /// Says to the peer why, and to the delegate.
    private func fail(_ error: TLSError) {
        hasEnded = true
        hasFailed = true
        isReading = false
        flush()
        stream.stopReading()
        fail(.protection(error))
    }

    private func fail(_ error: StreamError) {
        guard let completion else { delegate?.stream(self, didFailToRead: error); return }
        self.completion = nil
        completion(.failure(error))
    }
}

extension TLSStream: EndOfTurnWork {
    /// Decrypts what had to wait.
    func endTurn() {
        isTurnEndScheduled = false
        guard !isClosed, isReading, !unread.isEmpty else { return }
        var waiting = unread.takeAll()
        waiting.consume(waiting.withReadableBytes { take($0) })
        guard !isClosed else { return }
        unread = waiting
        unread.releaseStorage(above: 0)
        flush()
        goOnReading()
    }
}

extension TLSStream: ByteStreamDelegate {
    func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {
        receive(bytes.bytes)
    }

    /// The connection ended without an end of TLS: whether anything is missing, the layer above knows, once TLS stands.
    func streamDidReachEnd(_ stream: any ByteStream) {
        if hasFailed {
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

extension TLSError: ProtectionError {}
