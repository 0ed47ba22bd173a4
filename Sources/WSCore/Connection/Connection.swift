/// An open WebSocket connection: a session joined to a stream.
///
///      socket → loop's read buffer → Session.receive → handler
///      handler, send(…) → Session.outbox → (end of turn) → one write → socket
///
/// All that is sent during a turn of the loop leaves with one write at its end. The stream keeps the connection
/// alive, and the connection its handler, until the connection has ended.
public final class Connection<Handler: ConnectionHandler> {
    /// What it was made with.
    public let settings: Settings
    /// Takes what happens.
    public let handler: Handler

    /// The loop the connection belongs to.
    public let loop: EventLoop

    internal let stream: any ByteStream
    internal let resources: ConnectionResources
    // Of the resources, as is the loop: two steps away, each use would count a reference.
    private let outputStorage: ByteStoragePool
    @usableFromInline internal var session: Session
    /// What was read when the handler could take no more, to be decoded before anything else is read; nil: nothing.
    private var unread: ConnectionUnreadBytes?
    @usableFromInline internal private(set) var isReceiving = false
    private var isTerminating = false
    private var isTurnEndScheduled = false
    private var wasFull = false
    /// Why nothing is read for now.
    public private(set) var pauseReasons: PauseReasons = []
    /// Whether the connection is over for the handler, or has nothing left but to take leave of the peer.
    internal private(set) var isLeaving = false
    private var hasEnded = false
    /// What its end has come to; nil: there is no sign of it yet.
    private var departure: ConnectionDeparture?

    /// Makes a connection on a stream whose opening handshake has just succeeded; ``start(with:)`` sets it going.
    ///
    /// - Parameters:
    ///   - stream: Where its bytes travel.
    ///   - settings: What it needs to know beside.
    ///   - deflate: What was agreed on for permessage-deflate; nil: it is not used.
    ///   - resources: What it shares with the other connections of the loop.
    ///   - handler: Takes what happens.
    public init(
        _ stream: any ByteStream, settings: Settings, deflate: DeflateParameters? = nil, resources: ConnectionResources,
        handler: Handler
    ) {
        self.stream = stream
        self.resources = resources
        loop = resources.loop
        outputStorage = resources.outputStorage
        self.settings = settings
        self.handler = handler
        let codec = deflate.map { resources.deflateMemory.makeCodec(for: $0, role: settings.role) }
        session = Session(
            role: settings.role, limits: settings.limits, maskingKeys: resources.maskingKeys,
            fragmentBytes: settings.fragmentBytes, compressor: codec?.compressor, decompressor: codec?.decompressor,
            partialInputs: resources.partialInputs, answersPings: settings.answersPings)
        session.outbox.observer = handler.sentFrameObserver
    }

    /// Starts the connection.
    /// - Parameters:
    ///   - response: The server's answer to the opening handshake, to be written before any frame.
    ///   - firstBytes: What came in one piece with the peer's part of the opening handshake.
    public func start(sending response: [UInt8] = [], with firstBytes: [UInt8] = []) {
        stream.delegate = self
        outputStorage.lend(to: &session.outbox.bytes)
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

    /// What has been sent, or waits to be. Not to be asked while a message is handed over.
    public var sentTraffic: Traffic { session.outbox.traffic }

    /// What has been received. Not to be asked while a message is handed over.
    public var receivedTraffic: Traffic { session.receivedTraffic }

    /// Whether a message has begun to arrive and has not arrived in full. Not to be asked while one is handed over.
    public var isInMessage: Bool {
        assert(!isReceiving, "while it decodes, nothing is known of what is not whole")
        return session.isInMessage
    }

    /// How much of that message has arrived; nil: there is none. Not to be asked while one is handed over.
    public var incomingProgress: MessageProgress? {
        assert(!isReceiving, "while it decodes, nothing is known of what is not whole")
        return session.incomingProgress
    }

    // MARK: Sending

    /// Whether nothing more can be sent: the closing handshake has begun. Not to be asked while a message is handed
    /// over.
    public var isClosing: Bool { isLeaving || session.outbox.isSendingOver }

    /// The number of bytes that wait to be taken by the kernel. Not to be asked while a message is handed over.
    public var queuedBytes: Int { session.outbox.queuedBytes + stream.inFlightBytes }

    /// The number of bytes that the peer has not taken, but for a few KiB: those that wait, and those that are on their way.
    /// Not to be asked while a message is handed over.
    public var unsentBytes: Int { session.outbox.queuedBytes + stream.unsentBytes }

    /// Whether so much waits that the source of the output is to pause until
    /// ``ConnectionHandler/connectionDidDrain(_:)``.
    public var isFull: Bool { wasFull }

    /// Whether nothing can be sent any more because the peer is gone, which reading would tell as well: what it sent
    /// before is still to be read.
    internal var isLost: Bool { departure?.writeFailure != nil }

    /// Sends a message; text must be valid UTF-8. Returns whether it was sent: not after a close frame.
    @discardableResult
    public func send(_ payload: RawSpan, as kind: MessageKind) -> Bool {
        assert(!isReceiving, "a handler answers through the outbox that it is given")
        guard !isLeaving else { return false }
        outputStorage.lend(to: &session.outbox.bytes)
        guard session.outbox.send(payload, as: kind) else { return false }
        scheduleFlush()
        return true
    }

    /// Sends a message that others are sent, too. Returns whether it was sent: not after a close frame.
    @discardableResult
    public func send(_ message: SharedMessage) -> Bool {
        assert(!isReceiving, "a handler answers through the outbox that it is given")
        guard !isLeaving else { return false }
        outputStorage.lend(to: &session.outbox.bytes)
        guard session.outbox.send(message) else { return false }
        scheduleFlush()
        return true
    }

    /// Sends a ping with up to 125 bytes. Returns whether it was sent.
    @discardableResult
    public func sendPing(_ payload: RawSpan) -> Bool {
        assert(!isReceiving, "a handler answers through the outbox that it is given")
        guard !isLeaving, session.outbox.sendPing(payload) else { return false }
        scheduleFlush()
        return true
    }

    /// Sends a pong that answers no ping, with up to 125 bytes. Returns whether it was sent.
    @discardableResult
    public func sendPong(_ payload: RawSpan) -> Bool {
        assert(!isReceiving, "a handler answers through the outbox that it is given")
        guard !isLeaving, session.outbox.sendPong(payload) else { return false }
        scheduleFlush()
        return true
    }

    /// Leaves the peer's pings unanswered from now on.
    public func stopAnsweringPings() {
        assert(!isReceiving, "a handler answers through the outbox that it is given")
        session.outbox.answersPings = false
    }

    /// Begins the closing handshake; the end is reported to the handler. Returns whether it had not begun before.
    @discardableResult
    public func close(_ frame: CloseFrame) -> Bool {
        assert(!isReceiving, "a handler answers through the outbox that it is given")
        guard !isLeaving, session.outbox.sendClose(frame) else { return false }
        afterSessionChanged()
        return true
    }

    /// Ends the connection without a closing handshake; the handler hears of it at once.
    public func terminate() {
        isTerminating = true
        if !isReceiving { end(failure: nil) }
    }

    /// Whether reading is paused by ``pauseReading(for:)``.
    public var isPausedByUser: Bool { !pauseReasons.isEmpty }

    /// Stops reading while whoever takes the messages cannot keep up.
    public func pauseReading(for reasons: PauseReasons = .output) {
        guard !isLeaving else { return }
        pauseReasons.formUnion(reasons)
        stream.stopReading()
        updateWatch()
    }

    /// Goes on reading after ``pauseReading(for:)``, unless there are other reasons not to.
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

    /// What cannot be written is thrown away at the end of the turn, and is no reason not to read on.
    @inline(__always)
    private func exceedsQueueLimit(_ outbox: borrowing Outbox) -> Bool {
        outbox.queuedBytes + stream.inFlightBytes > settings.queueLimitBytes && departure?.writeFailure == nil
    }

    /// Whether another message may be handed over.
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
        outputStorage.takeBack(from: &session.outbox.bytes)
        // Not before the close frame is written: what the kernel takes at once is no sign of a slow reader.
        if session.outbox.isSendingOver { startCloseTimer() }
        if wasFull, queuedBytes <= settings.queueLimitBytes / 2 {
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
        // The stream is no longer ours: what the peer still sends is read and thrown away.
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

    /// Whether the peer has sent something that has not been decoded.
    internal var hasUnreadBytes: Bool { unread != nil || stream.hasUnreadBytes }

    internal var mustWait: Bool { isPausedByUser || (wasFull && settings.pausesReadingWhenFull) }

    // MARK: Receiving and ending

    internal func receive(_ bytes: inout MutableRawSpan) {
        let takenBytes = take(&bytes)
        if takenBytes < bytes.byteCount { keepUnread(bytes.bytes.extracting(droppingFirst: takenBytes)) }
        afterReceiving()
        if unread != nil { updateReading() }
    }

    /// Goes on with what had to wait, before anything else is read.
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
        outputStorage.lend(to: &session.outbox.bytes)
        isReceiving = true
        defer { isReceiving = false }
        return Handler.decode(&bytes, on: self)
    }

    private func afterReceiving() {
        if isTerminating { end(failure: nil) } else { afterSessionChanged() }
    }

    /// Does what follows from the session's new state: writing, waiting for the closing handshake, leaving.
    private func afterSessionChanged() {
        guard !isLeaving else { return }
        if session.outbox.isSendingOver, departure?.violation != nil || session.closing.isComplete { return leave() }
        if session.outbox.queuedBytes > 0 { scheduleFlush() }
        if wasFull { updateReading() }
    }

    /// The last bytes are in the outbox; what the peer still sends is of no interest.
    private func leave() {
        isLeaving = true
        updateWatch()
        departure?.closeTimer = nil
        // RFC 6455 §7.1.1: the server closes the TCP connection first, and the client waits for it; one that fails the
        // connection closes it in any case (§7.1.7).
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
        updateWatch()
        departure?.closeTimer = nil
        stream.close()
        let end = ConnectionEnd(
            closing: session.closing, violation: departure?.violation, failure: failure ?? departure?.writeFailure,
            closingTimedOut: closingTimedOut)
        handler.connection(self, didEnd: end)
    }

    /// Nothing can be sent any more; what the peer sent before, perhaps its close frame, is still to be read.
    internal func didFailToWrite(_ error: StreamError) {
        depart().writeFailure = error
        session.outbox.removeAll()
        startCloseTimer()
        guard wasFull else { return updateReading() }
        wasFull = false
        updateReading()
        // Nobody is to wait for room that there will never be.
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

    /// The peer is late only if it had a chance to answer: our output moves no more, and we are reading. Where it has gone,
    /// it is we who are late as long as there is something left of what it sent.
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

    private func depart() -> ConnectionDeparture {
        let departure = self.departure ?? ConnectionDeparture()
        self.departure = departure
        return departure
    }
}

extension Connection: EndOfTurnWork {
    /// Decodes what had to wait, and writes what the turn produced.
    public func endTurn() {
        isTurnEndScheduled = false
        receiveUnread()
        flush()
    }
}
