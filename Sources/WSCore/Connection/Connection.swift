/// An open WebSocket connection: a session on a stream.
///
///      socket → loop's read buffer → Session.receive → handler
///      handler, send(…) → Session.outbox → (end of turn) → one write → socket
///
/// Everything sent during a turn of the loop leaves in one write at its end. Until the connection ends, the stream
/// retains the connection, and the connection retains its handler.
public final class Connection<Handler: ConnectionHandler> {
    /// The settings this connection was created with.
    public let settings: Settings
    /// Receives the connection's events.
    public let handler: Handler

    // Copied from the resources: access through two references would cost a retain each time.
    /// The loop that runs the connection.
    public let loop: EventLoop

    internal let stream: any ByteStream
    internal let resources: ConnectionResources
    @usableFromInline internal var session: Session
    @usableFromInline internal private(set) var isReceiving = false
    private var isTerminating = false
    private var isTurnEndScheduled = false
    private var wasFull = false
    /// Whether the loop's ``HeldMemory`` counts what the connection holds.
    private var isCounted = false
    /// The reasons why reading is paused.
    public private(set) var pauseReasons: PauseReasons = []
    /// Whether the connection has ended for the handler, or only its last output remains to be written.
    internal private(set) var isLeaving = false
    private var hasEnded = false
    /// The state of the connection's end, or nil while the connection shows no sign of ending.
    private var departure: ConnectionDeparture?
    /// Input to decode before reading more, because the handler could not take it; nil if there is none.
    private var unread: ConnectionUnreadBytes?
    /// The time of the turn in which the last bytes arrived.
    private var lastReadMilliseconds: UInt64

    /// Creates a connection on a stream that has just completed the opening handshake. Call ``start(with:)`` next.
    ///
    /// - Parameters:
    ///   - stream: The stream, which the connection takes over.
    ///   - settings: The connection's settings.
    ///   - deflate: The negotiated permessage-deflate parameters. Defaults to nil: no compression.
    ///   - resources: The resources shared by the connections of the loop.
    ///   - handler: Receives the connection's events.
    public init(
        _ stream: any ByteStream, settings: Settings, deflate: DeflateParameters? = nil, resources: ConnectionResources,
        handler: Handler
    ) {
        self.stream = stream
        self.resources = resources
        loop = resources.loop
        lastReadMilliseconds = loop.turnMilliseconds
        self.settings = settings
        self.handler = handler
        let codec = deflate.map { resources.deflateMemory.makeCodec(for: $0, role: settings.role) }
        session = Session(
            role: settings.role, limits: settings.limits, maskingKeys: resources.maskingKeys,
            fragmentBytes: settings.fragmentBytes, compressor: codec?.compressor, decompressor: codec?.decompressor,
            partialInputs: resources.partialInputs, answersPings: settings.answersPings)
        session.outbox.observer = handler.sentFrameObserver
        session.outbox.sharesReceivedMessages = true
    }

    /// Starts the connection.
    /// - Parameters:
    ///   - response: The server's response to the opening handshake, written before any frame.
    ///   - firstBytes: Bytes that arrived after the peer's part of the opening handshake, in the same read.
    public func start(sending response: [UInt8] = [], with firstBytes: [UInt8] = []) {
        stream.delegate = self
        resources.outputStorage.lend(to: &session.outbox.bytes)
        response.withUnsafeBytes { session.outbox.bytes.append($0.bytes) }
        scheduleFlush()
        var firstBytes = firstBytes
        if !firstBytes.isEmpty {
            firstBytes.withUnsafeMutableBytes { pointer in
                var bytes = pointer.mutableBytes
                if mustWait { keepUnread(bytes.bytes) } else { receive(&bytes) }
            }
        }
        updateReading()
    }

    /// The traffic sent or queued so far. Not available while a message is being delivered.
    public var sentTraffic: Traffic { session.outbox.traffic }

    /// The traffic received so far. Not available while a message is being delivered.
    public var receivedTraffic: Traffic { session.receivedTraffic }

    /// Whether a message has started to arrive but is incomplete. Not available while a message is being delivered.
    public var isInMessage: Bool {
        assert(!isReceiving, "not available while a message is being delivered")
        return session.isInMessage
    }

    /// The progress of the incomplete message, or nil. Not available while a message is being delivered.
    public var incomingProgress: MessageProgress? {
        assert(!isReceiving, "not available while a message is being delivered")
        return session.incomingProgress
    }

    // MARK: Sending

    /// Whether sending has ended because our close frame was sent or the connection has ended. Not available while a
    /// message is being delivered.
    public var isClosing: Bool { isLeaving || session.outbox.isSendingOver }

    /// The number of bytes waiting for the kernel to accept them. Not available while a message is being delivered.
    public var queuedBytes: Int { session.outbox.queuedBytes + stream.inFlightBytes }

    /// The number of bytes the peer has not acknowledged, within a few KiB: those queued and those in flight. Not
    /// available while a message is being delivered.
    public var unsentBytes: Int { session.outbox.queuedBytes + stream.unsentBytes }

    /// Whether the output queue exceeds its limit. The output's source should pause until
    /// ``ConnectionHandler/connectionDidDrain(_:)``.
    public var isFull: Bool { wasFull }

    /// Whether a write failed because the peer is gone. Input that arrived before is still read.
    public var isLost: Bool { departure?.writeFailure != nil }

    /// Sends a message; text must be valid UTF-8. Returns whether it was sent; false after our close frame.
    @discardableResult
    public func send(_ payload: RawSpan, as kind: MessageKind) -> Bool {
        assert(!isReceiving, "a handler answers through the outbox that it is given")
        guard !isLeaving else { return false }
        resources.outputStorage.lend(to: &session.outbox.bytes)
        guard session.outbox.send(payload, as: kind) else { return false }
        scheduleFlush()
        return true
    }

    /// Sends a message that other connections send, too. Returns whether it was sent; false after our close frame.
    @discardableResult
    public func send(_ message: SharedMessage) -> Bool {
        assert(!isReceiving, "a handler answers through the outbox that it is given")
        guard !isLeaving else { return false }
        resources.outputStorage.lend(to: &session.outbox.bytes)
        guard session.outbox.send(message) else { return false }
        scheduleFlush()
        return true
    }

    /// Sends a ping with a payload of at most 125 bytes. Returns whether it was sent.
    @discardableResult
    public func sendPing(_ payload: RawSpan) -> Bool {
        assert(!isReceiving, "a handler answers through the outbox that it is given")
        guard !isLeaving, session.outbox.sendPing(payload) else { return false }
        scheduleFlush()
        return true
    }

    /// Sends an unsolicited pong with a payload of at most 125 bytes. Returns whether it was sent.
    @discardableResult
    public func sendPong(_ payload: RawSpan) -> Bool {
        assert(!isReceiving, "a handler answers through the outbox that it is given")
        guard !isLeaving, session.outbox.sendPong(payload) else { return false }
        scheduleFlush()
        return true
    }

    /// Stops answering the peer's pings.
    public func stopAnsweringPings() {
        assert(!isReceiving, "a handler answers through the outbox that it is given")
        session.outbox.answersPings = false
    }

    /// Sends a close frame and notifies the handler at the end. Returns false if a close frame was sent before.
    @discardableResult
    public func close(_ frame: CloseFrame) -> Bool {
        assert(!isReceiving, "a handler answers through the outbox that it is given")
        guard !isLeaving, session.outbox.sendClose(frame) else { return false }
        afterSessionChanged()
        return true
    }

    /// Ends the connection without a closing handshake. The handler is notified before this method returns, or after
    /// decoding if a message is being delivered.
    public func terminate() {
        isTerminating = true
        if !isReceiving { end(failure: nil) }
    }

    /// Whether ``pauseReading(for:)`` has paused reading.
    public var isPausedByUser: Bool { !pauseReasons.isEmpty }

    /// Pauses reading while the consumer of the messages cannot keep up.
    public func pauseReading(for reasons: PauseReasons = .output) {
        guard !isLeaving else { return }
        pauseReasons.formUnion(reasons)
        stream.stopReading()
        updateWatch()
    }

    /// Resumes reading after ``pauseReading(for:)``, unless other reasons remain.
    public func resumeReading(after reasons: PauseReasons = .output) {
        guard !pauseReasons.isDisjoint(with: reasons) else { return }
        pauseReasons.subtract(reasons)
        if pauseReasons.isEmpty { updateReading() }
    }

    @inline(__always)
    private func scheduleFlush() {
        if exceedsQueueLimit(session.outbox) { wasFull = true }
        scheduleTurnEnd()
    }

    @inline(__always)
    private func scheduleTurnEnd() {
        guard !isTurnEndScheduled, !isLeaving else { return }
        isTurnEndScheduled = true
        loop.atEndOfTurn(self)
    }

    /// Returns whether the queue exceeds its limit. After a write failure, output is discarded and does not count.
    @inline(__always)
    private func exceedsQueueLimit(_ outbox: borrowing Outbox) -> Bool {
        let queuedBytes = outbox.queuedBytes + stream.inFlightBytes
        guard queuedBytes > HeldMemory.uncountedBytes || queuedBytes > settings.queueLimitBytes else { return false }
        return queuedBytes > queueLimitBytes && departure?.writeFailure == nil
    }

    /// The limit of the output queue. While memory is scarce, a connection may queue only what is not counted.
    private var queueLimitBytes: Int {
        resources.memory?.isExceeded ?? false
            ? min(settings.queueLimitBytes, HeldMemory.uncountedBytes) : settings.queueLimitBytes
    }

    /// Whether another message may be delivered.
    @usableFromInline
    internal func takesMore(_ outbox: borrowing Outbox) -> Bool {
        !isTerminating && !isPausedByUser && !(settings.pausesReadingWhenFull && exceedsQueueLimit(outbox))
    }

    internal func flush() {
        guard !isLeaving else { return }
        guard departure?.writeFailure == nil else { return session.outbox.removeAll() }
        do throws(StreamError) {
            try write()
        } catch {
            return didFailToWrite(error)
        }
        resources.outputStorage.takeBack(from: &session.outbox.bytes)
        // Only after writing the close frame: output the kernel takes at once is no sign of a slow reader.
        if session.outbox.isSendingOver { startCloseTimer() }
        countMemory(with: queuedBytes)
        if wasFull, queuedBytes <= queueLimitBytes / 2 {
            wasFull = false
            updateReading()
            handler.connectionDidDrain(self)
        }
    }

    @inline(__always)
    private func write() throws(StreamError) {
        if let queue = session.outbox.queue, try !stream.write(queue) { return }
        try stream.write(&session.outbox.bytes)
        guard session.outbox.bytes.isEmpty, !stream.isWriting else { return }
        session.outbox.bytesWereTaken()
        if !session.outbox.bytes.isEmpty { try stream.write(&session.outbox.bytes) }
    }

    private func updateReading() {
        // `LingeringClose` owns the stream now, and discards further input.
        guard !isLeaving else { return }
        updateWatch()
        if mustWait {
            stream.stopReading()
        } else if unread == nil {
            stream.startReading()
        } else {
            scheduleTurnEnd()
        }
    }

    /// Whether input from the peer has not been decoded.
    public var hasUnreadBytes: Bool { unread != nil || stream.hasUnreadBytes }

    internal var mustWait: Bool { isPausedByUser || (wasFull && settings.pausesReadingWhenFull) }

    // MARK: Receiving and ending

    internal func receive(_ bytes: inout MutableRawSpan) {
        lastReadMilliseconds = loop.turnMilliseconds
        let takenBytes = take(&bytes)
        if takenBytes < bytes.byteCount { keepUnread(bytes.bytes.extracting(droppingFirst: takenBytes)) }
        afterReceiving()
        if unread != nil { updateReading() }
    }

    /// Decodes input held back earlier.
    private func receiveUnread() {
        guard let unread, !mustWait, !isLeaving else { return }
        unread.bytes.consume(unread.bytes.withMutableReadableBytes { take(&$0) })
        if unread.bytes.isEmpty { self.unread = nil }
        afterReceiving()
        updateReading()
    }

    private func keepUnread(_ bytes: RawSpan) {
        let unread = self.unread ?? ConnectionUnreadBytes()
        unread.bytes.append(bytes)
        self.unread = unread
    }

    private func take(_ bytes: inout MutableRawSpan) -> Int {
        resources.outputStorage.lend(to: &session.outbox.bytes)
        isReceiving = true
        defer { isReceiving = false }
        guard session.decompresses, resources.memory?.isExceeded ?? false else {
            return Handler.decode(&bytes, on: self)
        }
        // A few KiB could become a message of the maximum size before they are counted.
        var takenBytes = 0
        while takenBytes < bytes.byteCount {
            let end = min(takenBytes + HeldMemory.scarcePieceBytes, bytes.byteCount)
            var piece = bytes._mutatingExtracting(takenBytes..<end)
            takenBytes += Handler.decode(&piece, on: self)
            countMemory(with: session.incompleteBytes)
            guard takenBytes == end, takesMore(session.outbox) else { break }
        }
        return takenBytes
    }

    private func afterReceiving() {
        countMemory(with: session.incompleteBytes)
        if isTerminating { end(failure: nil) } else { afterSessionChanged() }
    }

    /// Reacts to the session's new state: writes output, pauses reading, or starts to leave.
    private func afterSessionChanged() {
        guard !isLeaving else { return }
        if session.outbox.isSendingOver, departure?.violation != nil || session.closing.isComplete { return leave() }
        if session.outbox.queuedBytes > 0 { scheduleFlush() }
        if wasFull { updateReading() }
    }

    /// Writes the last output and closes the stream. Further input is discarded.
    private func leave() {
        isLeaving = true
        stopCounting()
        updateWatch()
        departure?.closeTimer = nil
        // RFC 6455 §7.1.1: the server closes the TCP connection first and the client waits for it. An endpoint that
        // fails the connection closes it in either role (§7.1.7).
        let closesOwnSide = settings.role == .server || departure?.violation != nil
        let refill: (inout ByteBuffer) -> Void = { [self] output in session.outbox.moveFirst(to: &output) }
        var output = ByteBuffer()
        refill(&output)
        _ = LingeringClose(stream, output: output, closesOwnSide: closesOwnSide, refill: refill) { [self] _ in
            end(failure: nil)
        }
    }

    internal func end(failure: StreamError?, closingTimedOut: Bool = false) {
        guard !hasEnded else { return }
        hasEnded = true
        isLeaving = true
        stopCounting()
        updateWatch()
        departure?.closeTimer = nil
        stream.close()
        let end = ConnectionEnd(
            closing: session.closing, violation: departure?.violation, failure: failure ?? departure?.writeFailure,
            closingTimedOut: closingTimedOut,
            silence: .milliseconds(Int64(clamping: loop.turnMilliseconds &- lastReadMilliseconds)))
        handler.connection(self, didEnd: end)
    }

    /// Discards all output. Input that arrived before the failure, perhaps with a close frame, is still read.
    internal func didFailToWrite(_ error: StreamError) {
        depart().writeFailure = error
        session.outbox.removeAll()
        startCloseTimer()
        guard wasFull else { return updateReading() }
        wasFull = false
        updateReading()
        // Wake the source of output: the queue will never drain.
        handler.connectionDidDrain(self)
    }

    private func startCloseTimer() {
        let departure = depart()
        guard departure.closeTimer == nil else { return }
        let timer = Timer(on: loop) { [unowned self] in closeTimerFired() }
        departure.closeTimer = timer
        departure.unsentBytesAtLastCheck = unsentBytes
        timer.start(after: settings.closeTimeout)
    }

    /// Ends the connection if the peer had a chance to answer our close frame but did not.
    ///
    /// It had none while our output still moves or reading is paused. The same applies if it is gone but has left
    /// unread input.
    private func closeTimerFired() {
        let departure = depart()
        let isMoving = unsentBytes < departure.unsentBytesAtLastCheck
        guard isMoving || isPausedByUser || (isLost && hasUnreadBytes) else {
            return end(failure: nil, closingTimedOut: true)
        }
        departure.unsentBytesAtLastCheck = unsentBytes
        departure.closeTimer?.start(after: settings.closeTimeout)
    }

    @usableFromInline
    internal func peerViolated(_ error: ProtocolError) {
        depart().violation = error
    }

    // MARK: Memory

    /// Counts what the connection holds if a part of it has reached `byteCount`, or it was counted before.
    @inline(__always)
    private func countMemory(with byteCount: Int) {
        if byteCount > HeldMemory.uncountedBytes || isCounted { countMemory() }
    }

    private func countMemory() {
        guard !isLeaving, let memory = resources.memory else { return }
        isCounted = memory.update(self)
    }

    private func stopCounting() {
        guard isCounted else { return }
        isCounted = false
        resources.memory?.remove(self)
    }

    private func depart() -> ConnectionDeparture {
        let departure = self.departure ?? ConnectionDeparture()
        self.departure = departure
        return departure
    }
}

// What the connection holds for its peer.
extension Connection: MemoryHolder {
    /// The storage of the incomplete message, and the queued output except broadcasts, in bytes.
    internal var heldBytes: Int {
        session.incompleteBytes + queuedBytes - session.outbox.broadcastBytes - stream.broadcastInFlightBytes
    }

    /// nil also if the connection does not read because its output is full: that has to go first.
    internal var missingBytes: Int? {
        wasFull && settings.pausesReadingWhenFull ? nil : session.missingBytes
    }

    internal var movedBytes: Int { session.receivedTraffic.wireBytes + session.outbox.traffic.wireBytes - unsentBytes }

    internal var isKeptWaiting: Bool { queuedBytes == 0 && isPausedByUser && hasUnreadBytes }

    internal func memoryIsFree() {
        resumeReading(after: .memory)
        // Queues have their usual limit again.
        if wasFull { scheduleTurnEnd() }
    }

    internal func freeMemory() { handler.connectionIsStalled(self, holding: heldBytes) }

    /// Sends a close frame, discards the incomplete message and further input, and closes the stream. Bytes that the
    /// peer does not take within a second are discarded, too. Not available while a message is being delivered.
    public func abandon(with frame: CloseFrame) {
        assert(!isReceiving, "a handler answers through the outbox that it is given")
        guard !isLeaving else { return }
        session.abandon(with: frame)
        unread = nil
        leave()
    }
}

extension Connection: EndOfTurnWork {
    /// Decodes input held back earlier and writes the turn's output.
    public func endTurn() {
        isTurnEndScheduled = false
        receiveUnread()
        flush()
    }
}

/// The state of a connection's end, allocated only when the end begins.
final class ConnectionDeparture {
    var violation: ProtocolError?
    var writeFailure: StreamError?
    var closeTimer: Timer?
    var unsentBytesAtLastCheck = 0
}

/// Input held back because the handler could not take more; allocated only then.
final class ConnectionUnreadBytes {
    var bytes = ByteBuffer()
}
