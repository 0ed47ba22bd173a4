/// A simulated slow network: a stream that limits the bytes per second of another, separately for each direction.
///
///      delegate ◄── received ◄── stream, paused while there is anything in it
///      write(_:) ──► waiting ──► stream
///
/// Written bytes wait here, as in a kernel's send buffer, and count as in flight. At most one read of incoming data is
/// buffered; the rest stays in the underlying stream.
internal final class ThrottledStream: ByteStream {
    private enum State {
        case open
        /// ``shutdown()`` waits until nothing is left to write.
        case shuttingDown
        case shutDown
        case closed
    }

    let loop: EventLoop
    var delegate: (any ByteStreamDelegate)?

    private let stream: any ByteStream
    private let watch: DeadPeerDetector
    private var incoming: TokenBucket
    private var outgoing: TokenBucket
    /// Incoming bytes that wait for bandwidth.
    private var received = ByteBuffer()
    /// Outgoing bytes that wait for bandwidth.
    private var waiting = ByteBuffer()
    /// Outgoing bytes that have passed the limit but were not yet accepted by the stream.
    private var piece = ByteBuffer()
    private var state = State.open
    /// Independent of the state: our side may be shut down while the delegate reads or pauses.
    private var isReading = false
    private var timer: Timer?

    /// The maximum output storage kept when it is empty, in bytes.
    private static let keptStorageBytes = 64 << 10

    /// The maximum number of shared bytes copied at once. The rest stays in the shared storage.
    private static let sharedPieceBytes = 64 << 10

    /// Takes over a stream from which nothing was read yet. `watch` checks the peer's presence while input waits.
    init(_ stream: any ByteStream, bytesPerSecond: Int, watch: DeadPeerDetector) {
        self.stream = stream
        self.watch = watch
        loop = stream.loop
        incoming = TokenBucket(bytesPerSecond: bytesPerSecond, at: loop.now)
        outgoing = incoming
        stream.delegate = self
    }

    var isClosed: Bool { state == .closed }

    // MARK: Writing

    var isWriting: Bool { !isClosed && (stream.isWriting || !waiting.isEmpty || !piece.isEmpty) }
    var inFlightBytes: Int { isClosed ? 0 : stream.inFlightBytes + waiting.count + piece.count }
    var storageBytes: Int { stream.storageBytes + waiting.storageBytes + piece.storageBytes }
    var unsentBytes: Int { isClosed ? 0 : stream.unsentBytes + waiting.count + piece.count }

    func write(_ buffer: inout ByteBuffer) throws(StreamError) {
        guard !isClosed, !isWriting, !buffer.isEmpty else { return }
        swap(&buffer, &waiting)
        try writeMore()
        schedule()
    }

    func write(_ shared: SharedBytes, from offset: Int) throws(StreamError) -> Int {
        guard !isClosed, !isWriting else { return 0 }
        let count = shared.withBytes(from: offset) { bytes in
            let piece = bytes.extracting(first: Self.sharedPieceBytes)
            waiting.append(piece)
            return piece.byteCount
        }
        try writeMore()
        schedule()
        return count
    }

    func shutdown() {
        guard state == .open else { return }
        state = .shuttingDown
        shutDownIfDone()
    }

    func close() {
        guard !isClosed else { return }
        release()
        stream.close()
    }

    func abort() {
        guard !isClosed else { return }
        release()
        stream.abort()
    }

    private func release() {
        state = .closed
        isReading = false
        delegate = nil
        timer = nil
        watch.remove(self)
        received = ByteBuffer()
        waiting = ByteBuffer()
        piece = ByteBuffer()
    }

    /// Writes as much as the rate allows now.
    private func writeMore() throws(StreamError) {
        guard !isClosed, !stream.isWriting else { return }
        if piece.isEmpty {
            let count = min(waiting.count, outgoing.available(at: loop.now))
            waiting.withReadableBytes { piece.append($0.extracting(first: count)) }
            waiting.consume(count)
            outgoing.take(count)
        }
        do throws(StreamError) {
            try stream.write(&piece)
        } catch {
            discardOutput()
            throw error
        }
        if waiting.isEmpty { waiting.releaseStorage(above: Self.keptStorageBytes) }
        shutDownIfDone()
    }

    private func shutDownIfDone() {
        guard state == .shuttingDown, waiting.isEmpty, piece.isEmpty else { return }
        state = .shutDown
        stream.shutdown()
    }

    private func discardOutput() {
        waiting.removeAll()
        piece.removeAll()
    }

    // MARK: Reading

    var peerPresence: PeerPresence { stream.peerPresence }
    var hasUnreadBytes: Bool { !received.isEmpty || stream.hasUnreadBytes }

    func startReading() {
        guard !isClosed, !isReading else { return }
        isReading = true
        if received.isEmpty { stream.startReading() } else { schedule() }
    }

    func stopReading() {
        isReading = false
        stream.stopReading()
    }

    /// Delivers as much as the rate allows now, and resumes reading when nothing is left.
    private func deliver() {
        guard isReading else { return }
        let count = min(received.count, incoming.available(at: loop.now))
        if count > 0 {
            incoming.take(count)
            // A copy: the delegate may start reading again, which depends on what is left.
            var part = ByteBuffer()
            received.withReadableBytes { part.append($0.extracting(first: count)) }
            received.consume(count)
            part.withMutableReadableBytes { delegate?.stream(self, didRead: &$0) }
        }
        guard !isClosed, received.isEmpty else { return }
        received.releaseStorage(above: 0)
        watch.remove(self)
        if isReading { stream.startReading() }
    }

    // MARK: Time

    /// Continues in both directions when the timer fires.
    private func timerFired() {
        if isWriting { continueWriting() }
        deliver()
        schedule()
    }

    /// Continues writing outside a `write` call. The delegate receives any error.
    private func continueWriting() {
        do throws(StreamError) {
            try writeMore()
        } catch {
            delegate?.stream(self, didFailToWrite: error)
            return
        }
        if !isWriting { delegate?.streamDidDrain(self) }
    }

    private func schedule() {
        guard !isClosed else { return }
        var waits: (read: Duration?, write: Duration?) = (nil, nil)
        if isReading, !received.isEmpty { waits.read = incoming.wait(for: received.count, at: loop.now) }
        // While the stream is busy, `streamDidDrain` continues instead of the timer.
        if !waiting.isEmpty, !stream.isWriting { waits.write = outgoing.wait(for: waiting.count, at: loop.now) }
        guard let wait = [waits.read, waits.write].compactMap(\.self).min() else { return }
        let timer = self.timer ?? Timer(on: loop) { [unowned self] in timerFired() }
        self.timer = timer
        timer.start(after: wait)
    }
}

extension ThrottledStream: PeerWatched {
    /// Reports a dead peer as a write failure. Input received before is still delivered at its rate.
    func lookAfterPeer(probing isProbing: Bool) {
        guard stream.peerPresence == .isGone else { return }
        watch.remove(self)
        discardOutput()
        delegate?.stream(self, didFailToWrite: .system(.connectionReset))
    }
}

extension ThrottledStream: ByteStreamDelegate {
    func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {
        let count = bytes.byteCount
        if isReading, received.isEmpty, count <= incoming.available(at: loop.now) {
            incoming.take(count)
            delegate?.stream(self, didRead: &bytes)
            return
        }
        received.append(bytes.bytes)
        stream.stopReading()
        watch.add(self)
        schedule()
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        isReading = false
        delegate?.streamDidReachEnd(self)
    }

    func streamDidDrain(_ stream: any ByteStream) {
        continueWriting()
        schedule()
    }

    func stream(_ stream: any ByteStream, didFailToRead error: StreamError) {
        isReading = false
        delegate?.stream(self, didFailToRead: error)
    }

    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) {
        discardOutput()
        delegate?.stream(self, didFailToWrite: error)
    }
}
