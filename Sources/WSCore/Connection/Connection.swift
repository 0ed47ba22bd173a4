/// An open WebSocket connection on a stream.
///
///      bytes ─► MessageReceiver ─► handler ─► send(…) ─► Outbox ─► one write at the end of the turn
///                      └─ pongs, close echo, failure ──────┘
///
/// Every method may be called at any time, also while a message is being delivered, and none of them calls the handler;
/// only an observer of sent frames must not send. The output of a turn of the loop leaves in one write at its end, except
/// that of ``sendAtOnce(_:)`` and, if the settings say so, that of a read. Until the connection ends, the stream retains the
/// connection, and the connection retains its handler.
public final class Connection<Handler: ConnectionHandler> {
    @usableFromInline
    internal enum State {
        /// No output waits for the end of the turn.
        case idle
        /// Output is written at the end of the turn, or of the read. The outbox has storage for it.
        case inTurn
        /// Both close frames exist, or this end fails the connection: after this read, or at the end of the turn,
        /// ``LingeringClose`` takes over the stream.
        case handingOver
        /// The connection ends at the end of the turn.
        case terminating
        /// ``LingeringClose`` writes the last output.
        case lingering
        case ended
    }

    /// The settings this connection was created with.
    @usableFromInline package let settings: Settings
    /// Receives the connection's events.
    public let handler: Handler

    // Copied from the resources: access through two references would cost a retain each time.
    /// The loop that runs the connection.
    package let loop: EventLoop

    internal let stream: any ByteStream
    @usableFromInline internal let resources: ConnectionResources
    @usableFromInline internal var receiver = MessageReceiver()
    @usableFromInline internal var outbox: Outbox
    /// What few connections need, or nil if this one has not needed it yet.
    private var extras: ConnectionExtras?
    // Small integers, next to each other: there are many connections.
    @usableFromInline internal private(set) var state = State.idle
    /// The upper bits of ``lastReadMilliseconds``.
    private var lastReadHigh: UInt8 = 0
    /// The reasons why reading is paused.
    package private(set) var pauseReasons: PauseReasons = []
    /// The lower bits of ``lastReadMilliseconds``.
    private var lastReadLow: UInt32 = 0

    /// Creates a connection on a stream that has just completed the opening handshake. Call ``start(sending:with:)`` next.
    ///
    /// - Parameters:
    ///   - stream: The stream, which the connection takes over.
    ///   - settings: The connection's settings.
    ///   - deflate: The negotiated permessage-deflate parameters. Defaults to nil: no compression.
    ///   - resources: The resources shared by the connections of the loop.
    ///   - handler: Receives the connection's events.
    package init(
        _ stream: any ByteStream, settings: Settings, deflate: DeflateParameters? = nil, resources: ConnectionResources,
        handler: Handler
    ) {
        self.stream = stream
        self.resources = resources
        loop = resources.loop
        self.settings = settings
        self.handler = handler
        var outbox = Outbox(
            role: settings.role, maskingKeys: resources.maskingKeys, fragmentBytes: settings.fragmentBytes,
            extensions: deflate.map { resources.deflateMemory.makeCodec(for: $0, role: settings.role) },
            answersPings: settings.answersPings)
        outbox.observer = handler.sentFrameObserver
        // Swift 6.3 cannot optimize a change of `self.outbox` here with `-enable-testing`, which fuzzing uses.
        self.outbox = outbox
        lastReadMilliseconds = loop.turnMilliseconds
    }

    /// The time of the turn in which the last bytes arrived, in 40 bits: 34 years.
    private var lastReadMilliseconds: UInt64 {
        get { UInt64(lastReadHigh) << 32 | UInt64(lastReadLow) }
        set {
            (lastReadHigh, lastReadLow) = (
                UInt8(truncatingIfNeeded: newValue >> 32), UInt32(truncatingIfNeeded: newValue)
            )
        }
    }

    /// Whether the output queue has exceeded its limit, and the handler waits until it has drained.
    private var wasFull: Bool {
        get { outbox.wasFull }
        set { outbox.wasFull = newValue }
    }

    /// Starts the connection.
    /// - Parameters:
    ///   - response: The server's response to the opening handshake, written before any frame.
    ///   - firstBytes: Bytes that arrived after the peer's part of the opening handshake, in the same read.
    package func start(sending response: [UInt8] = [], with firstBytes: [UInt8] = []) {
        stream.delegate = self
        beginTurn()
        response.withUnsafeBytes { outbox.bytes.append($0.bytes) }
        var firstBytes = firstBytes
        if !firstBytes.isEmpty {
            firstBytes.withUnsafeMutableBytes { pointer in
                var bytes = pointer.mutableBytes
                if mustWait { keepUnread(bytes.bytes) } else { receive(&bytes) }
            }
        }
        updateReading()
    }

    /// The traffic sent or queued so far.
    package var sentTraffic: Traffic { outbox.traffic }

    // While a message is being delivered, these describe the state before the bytes of this read.

    /// The traffic received so far.
    package var receivedTraffic: Traffic { receiver.traffic }
    /// Whether a message has started to arrive but is incomplete.
    package var isInMessage: Bool { receiver.isInMessage }
    /// The progress of the incomplete message, or nil.
    package var incomingProgress: MessageProgress? { receiver.progress }

    // MARK: Sending

    /// Whether the handler can still receive and send.
    @inlinable internal var isOpen: Bool { state == .inTurn || state == .idle }

    /// Whether sending has ended because our close frame was sent or the connection has ended.
    package var isClosing: Bool { !isOpen || outbox.isSendingOver }

    /// Whether the peer has sent a close frame.
    package var hasReceivedClose: Bool { receiver.closeFrame != nil }

    /// The number of bytes waiting for the kernel to accept them.
    package var queuedBytes: Int { outbox.queuedBytes + stream.inFlightBytes }

    /// The number of bytes the peer has not acknowledged, within a few KiB: those queued and those in flight.
    package var unsentBytes: Int { outbox.queuedBytes + stream.unsentBytes }

    /// Whether the output queue exceeds its limit. Once it was true, the output's source should pause until
    /// ``ConnectionHandler/connectionDidDrain(_:)``.
    package var isFull: Bool {
        if !wasFull, exceedsQueueLimit { wasFull = true }
        return wasFull
    }

    /// Whether a write failed because the peer is gone. Input that arrived before is still read.
    // The first test avoids a copy of the optional error, which costs 60 instructions.
    package var isLost: Bool { extras != nil && extras?.writeFailure != nil }

    /// What the connection may hold without being counted, in bytes.
    internal var uncountedBytes: Int { stream.uncountedBytes }

    /// Whether the loop's ``HeldMemory`` counts what the connection holds.
    private var isCounted: Bool {
        get { extras != nil && extras?.isCounted == true }
        set { if newValue || extras != nil { makeExtras().isCounted = newValue } }
    }

    /// Input to decode before reading more, because the handler could not take it; nil if there is none.
    private var unread: ConnectionUnreadBytes? {
        get { extras?.unread }
        set { if newValue != nil || extras != nil { makeExtras().unread = newValue } }
    }

    private var hasUnread: Bool { extras != nil && extras?.unread != nil }

    /// Sends a message; text must be valid UTF-8. Returns whether it was sent; false after our close frame.
    @inlinable
    @discardableResult
    package func send(_ payload: RawSpan, as kind: MessageKind) -> Bool {
        guard state == .inTurn || beginTurn() else { return false }
        return outbox.send(payload, as: kind)
    }

    /// Sends a message that other connections send, too. Returns whether it was sent; false after our close frame.
    @discardableResult
    package func send(_ message: SharedMessage) -> Bool { beginTurn() && outbox.send(message) }

    /// Writes a small message that other connections send, too, without waiting for the end of the turn, if no other
    /// output waits.
    /// - Returns: Whether the message was taken, even if writing failed. If not, nothing has happened.
    package func sendAtOnce(_ message: SharedMessage) -> Bool {
        guard state == .idle, !wasFull, !isLost, let stream = stream as? SystemStream, !stream.isWriting,
            let frames = outbox.framesToWrite(of: message)
        else { return false }
        do throws(StreamError) { _ = try stream.write(frames, from: 0) } catch {
            didFailToWrite(error)
            makeExtras().discardedBytes += frames.count
        }
        if stream.isWriting { countMemory(with: storedOutputBytes) }
        return true
    }

    /// Sends a ping with a payload of at most 125 bytes. Returns whether it was sent.
    @discardableResult
    package func sendPing(_ payload: RawSpan) -> Bool { beginTurn() && outbox.sendPing(payload) }

    /// Sends an unsolicited pong with a payload of at most 125 bytes. Returns whether it was sent.
    @discardableResult
    package func sendPong(_ payload: RawSpan) -> Bool { beginTurn() && outbox.sendPong(payload) }

    /// Stops answering the peer's pings.
    package func stopAnsweringPings() { outbox.answersPings = false }

    /// Sends a close frame and notifies the handler at the end. Returns false if a close frame was sent before.
    @discardableResult
    package func close(_ frame: CloseFrame) -> Bool {
        beginTurn() && outbox.sendClose(frame, isAnswer: receiver.closeFrame != nil)
    }

    /// Ends the connection at the end of the turn, without a closing handshake. Nothing more is delivered.
    package func terminate() { end(in: .terminating) }

    /// Sends a close frame, discards the incomplete message and further input, and closes the stream at the end of the
    /// turn. Bytes are discarded if the peer takes none within the close timeout.
    public func abandon(with frame: CloseFrame) {
        guard isOpen else { return }
        close(frame)
        end(in: .handingOver)
    }

    /// Begins a turn with output, unless it has begun. Returns whether anything can be sent.
    @usableFromInline
    @discardableResult
    internal func beginTurn() -> Bool {
        guard state == .idle else { return state == .inTurn }
        state = .inTurn
        resources.outputStorage.lend(to: &outbox.bytes)
        loop.atEndOfTurn(self)
        return true
    }

    /// Leaves or ends the connection at the end of the turn.
    private func end(in state: State) {
        switch self.state {
        case .idle, .lingering: loop.atEndOfTurn(self)
        case .inTurn, .handingOver: break
        case .terminating, .ended: return
        }
        self.state = state
    }

    /// Whether ``pauseReading(for:)`` has paused reading.
    package var isPausedByUser: Bool { !pauseReasons.isEmpty }

    /// Pauses reading while the consumer of the messages cannot keep up.
    package func pauseReading(for reasons: PauseReasons = .output) {
        guard !isLeaving else { return }
        pauseReasons.formUnion(reasons)
        stream.stopReading()
        updateWatch()
    }

    /// Resumes reading after ``pauseReading(for:)``, unless other reasons remain.
    package func resumeReading(after reasons: PauseReasons = .output) {
        guard !pauseReasons.isDisjoint(with: reasons) else { return }
        pauseReasons.subtract(reasons)
        if pauseReasons.isEmpty { updateReading() }
    }

    /// Whether the queue exceeds its limit. After a write failure, output is discarded and does not count.
    @inline(__always) private var exceedsQueueLimit: Bool {
        let queuedBytes = queuedBytes
        // Nearly always, these tests are enough.
        guard queuedBytes > HeldMemory.uncountedStreamBytes || queuedBytes > settings.queueLimitBytes else {
            return false
        }
        return exceedsQueueLimit(queuedBytes)
    }

    @inline(never)
    private func exceedsQueueLimit(_ queuedBytes: Int) -> Bool { queuedBytes > queueLimitBytes && !isLost }

    /// The limit of the output queue. While memory is scarce, a connection may queue only what is not counted.
    private var queueLimitBytes: Int {
        resources.memory?.isExceeded ?? false
            ? min(settings.queueLimitBytes, uncountedBytes) : settings.queueLimitBytes
    }

    /// Whether another message may be delivered.
    @usableFromInline
    internal var takesMore: Bool { isOpen && !isPausedByUser && !(settings.pausesReadingWhenFull && isFull) }

    /// Writes the output if it is little and nothing else is due, as nearly always. It cannot exceed the limit of the queue.
    /// - Returns: Whether the stream has taken it, or has failed.
    private func flushLittle() -> Bool {
        let limitBytes = min(settings.queueLimitBytes, HeldMemory.uncountedStreamBytes)
        guard extras == nil, outbox.hasLittle(atMost: limitBytes) else { return false }
        do throws(StreamError) {
            try stream.write(&outbox.bytes)
        } catch {
            didFailToWrite(error)
            return true
        }
        guard outbox.bytes.isEmpty, !stream.isWriting else { return false }
        resources.outputStorage.takeBack(from: &outbox.bytes)
        return true
    }

    /// Writes the queued output.
    private func flush() {
        if flushLittle() { return }
        guard !isLost else { return outbox.removeAll() }
        if exceedsQueueLimit { wasFull = true }
        do throws(StreamError) {
            try write()
        } catch {
            return didFailToWrite(error)
        }
        resources.outputStorage.takeBack(from: &outbox.bytes)
        // Only after writing the close frame: output the kernel takes at once is no sign of a slow reader.
        if outbox.isSendingOver { startCloseTimer() }
        countMemory(with: storedOutputBytes)
        if wasFull, queuedBytes <= queueLimitBytes / 2 {
            wasFull = false
            updateReading()
            handler.connectionDidDrain(self)
        }
    }

    @inline(__always)
    private func write() throws(StreamError) {
        if let queue = outbox.queue, try !stream.write(queue) { return }
        try stream.write(&outbox.bytes)
        guard outbox.bytes.isEmpty, !stream.isWriting else { return }
        outbox.bytesWereTaken()
        if !outbox.bytes.isEmpty { try stream.write(&outbox.bytes) }
    }

    private func updateReading() {
        // `LingeringClose` owns the stream now, and discards further input.
        guard !isLeaving else { return }
        updateWatch()
        if mustWait {
            stream.stopReading()
        } else if !hasUnread {
            stream.startReading()
        } else {
            beginTurn()
        }
    }

    /// Whether input from the peer has not been decoded.
    package var hasUnreadBytes: Bool { hasUnread || stream.hasUnreadBytes }

    internal var mustWait: Bool { isPausedByUser || (wasFull && settings.pausesReadingWhenFull) }

    // MARK: Receiving and ending

    /// Whether the connection has ended for the handler, or only its last output remains to be written.
    internal var isLeaving: Bool { state == .lingering || state == .ended }

    internal func receive(_ bytes: inout MutableRawSpan) {
        guard isOpen else { return }
        lastReadMilliseconds = loop.turnMilliseconds
        // The loop does not know of such a turn, so each way out of it has to end it, or tell the loop.
        let writesNow = settings.answersAtOnce && state == .idle && type(of: stream) == SystemStream.self
        if writesNow {
            state = .inTurn
            resources.outputStorage.lend(to: &outbox.bytes)
        }
        let takenBytes = take(&bytes)
        if takenBytes < bytes.byteCount { keepUnread(bytes.bytes.extracting(droppingFirst: takenBytes)) }
        // The stream may report its end next, which concerns only its new owner.
        if handOverIfDue() { return }
        countMemory(with: receiver.incompleteBytes)
        if writesNow {
            if state == .inTurn, flushLittle() { return state = .idle }
            loop.atEndOfTurn(self)
        }
        if hasUnread || (settings.pausesReadingWhenFull && isFull) { updateReading() }
    }

    /// Decodes input held back earlier.
    private func receiveUnread() {
        guard let unread, !mustWait else { return }
        // Its storage is counted meanwhile.
        var bytes = unread.bytes.takeAll()
        bytes.consume(bytes.withMutableReadableBytes { take(&$0) })
        swap(&unread.bytes, &bytes)
        if unread.bytes.isEmpty { self.unread = nil }
        countMemory(with: receiver.incompleteBytes)
        _ = isFull
        updateReading()
    }

    /// Decompresses received messages, or nil.
    @inlinable internal var decompressor: (any MessageDecompressor)? { outbox.extensions?.decompressor }

    private func keepUnread(_ bytes: RawSpan) {
        let unread = self.unread ?? ConnectionUnreadBytes()
        unread.bytes.append(bytes)
        self.unread = unread
    }

    private func take(_ bytes: inout MutableRawSpan) -> Int {
        guard outbox.extensions != nil, resources.memory?.isExceeded ?? false, decompressor != nil else {
            return Handler.decode(&bytes, on: self)
        }
        // A few KiB could become a message of the maximum size before they are counted.
        var takenBytes = 0
        while takenBytes < bytes.byteCount {
            let end = min(takenBytes + HeldMemory.scarcePieceBytes, bytes.byteCount)
            var piece = bytes._mutatingExtracting(takenBytes..<end)
            takenBytes += Handler.decode(&piece, on: self)
            countMemory(with: receiver.incompleteBytes)
            guard takenBytes == end, takesMore else { break }
        }
        return takenBytes
    }

    @usableFromInline
    internal func answer(ping payload: RawSpan) {
        if beginTurn() { outbox.answer(ping: payload) }
    }

    /// Completes the closing handshake.
    @usableFromInline
    internal func answer(close frame: CloseFrame) {
        beginTurn()
        guard settings.answersCloses else { return }
        outbox.answer(close: frame)
        end(in: .handingOver)
    }

    /// RFC 6455 §7.1.7: to fail the connection, send a close frame with an appropriate code and ignore further input.
    @usableFromInline
    internal func fail(_ error: ProtocolError) {
        guard isOpen else { return }
        makeExtras().violation = error
        abandon(with: CloseFrame(code: error.closeCode, reason: error.description))
    }

    /// Lets ``LingeringClose`` take over the stream if the closing handshake or an error has ended it.
    /// - Returns: Whether it has, so that it must handle the stream's current event.
    internal func handOverIfDue() -> Bool {
        guard state == .handingOver else { return false }
        handOver()
        return true
    }

    /// Writes the last output and closes the stream. Further input is discarded.
    private func handOver() {
        state = .lingering
        unread = nil
        receiver.finish()
        updateWatch()
        extras?.closeTimer = nil
        // RFC 6455 §7.1.1: the server closes the TCP connection first and the client waits for it. An endpoint that
        // fails the connection closes it in either role (§7.1.7). The order does not matter for a stream of HTTP/2, whose
        // peer may wait for our end.
        let closesOwnSide = settings.role == .server || extras?.violation != nil || stream is HTTP2Stream
        let refill: LingeringClose.Refill = { [self] output, _ in outbox.moveFirst(to: &output) }
        var output = ByteBuffer()
        outbox.moveFirst(to: &output)
        let lingeringClose = LingeringClose(
            stream, output: output, closesOwnSide: closesOwnSide, timeout: settings.closeTimeout, refill: refill
        ) { [self] _, unsentBytes in end(failure: nil, unsentBytes: unsentBytes) }
        makeExtras().lingeringClose = lingeringClose
        countMemory(with: storedOutputBytes + lingeringClose.storageBytes)
    }

    /// Whether the handler has to answer the peer's close frame, and the peer still reads after its end: Chromium ends its
    /// side of an HTTP/2 stream with its close frame.
    internal var mustAnswerClose: Bool {
        isOpen && !settings.answersCloses && receiver.closeFrame != nil && !isLost && stream is HTTP2Stream
    }

    /// - Parameter unsentBytes: The part of the output that was left to the stream and has not reached the peer's side.
    ///   Default: as far as it is still known.
    internal func end(failure: StreamError?, closingTimedOut: Bool = false, unsentBytes: Int? = nil) {
        guard state != .ended else { return }
        let unsentBytes = (unsentBytes ?? lingeringBytes + stream.unsentBytes) + outbox.queuedBytes
        extras?.lingeringClose = nil
        state = .ended
        stopCounting()
        updateWatch()
        extras?.closeTimer = nil
        stream.close()
        let end = ConnectionEnd(
            closing: ClosingHandshake(
                sent: outbox.closeFrame, received: receiver.closeFrame, wasStartedHere: outbox.hasStartedClosing),
            violation: extras?.violation, failure: failure ?? extras?.writeFailure, closingTimedOut: closingTimedOut,
            silence: .milliseconds(Int64(clamping: loop.turnMilliseconds &- lastReadMilliseconds)),
            unsentBytes: unsentBytes + (extras?.discardedBytes ?? 0))
        handler.connection(self, didEnd: end)
    }

    /// Discards all output. Input that arrived before the failure, perhaps with a close frame, is still read.
    internal func didFailToWrite(_ error: StreamError) {
        guard isOpen else { return }
        let extras = makeExtras()
        extras.writeFailure = error
        extras.discardedBytes = outbox.queuedBytes
        outbox.removeAll()
        startCloseTimer()
        guard wasFull else { return updateReading() }
        wasFull = false
        updateReading()
        // Wake the source of output: the queue will never drain.
        handler.connectionDidDrain(self)
    }

    private func startCloseTimer() {
        let extras = makeExtras()
        guard extras.closeTimer == nil else { return }
        let timer = Timer(on: loop) { [unowned self] in closeTimerFired() }
        extras.closeTimer = timer
        extras.unsentBytesAtLastCheck = unsentBytes
        timer.start(after: settings.closeTimeout)
    }

    /// Ends the connection if the peer had a chance to answer our close frame but did not.
    ///
    /// It had none while our output still moves or reading is paused. The same applies if it is gone but has left
    /// unread input. While memory is scarce, a message that nobody waits for must not keep it.
    private func closeTimerFired() {
        guard isOpen else { return }
        let extras = makeExtras()
        let isMoving = unsentBytes < extras.unsentBytesAtLastCheck
        let isPaused = !pauseReasons.subtracting(.memory).isEmpty
        guard isMoving || isPaused || (isLost && hasUnreadBytes) else {
            return end(failure: nil, closingTimedOut: true)
        }
        extras.unsentBytesAtLastCheck = unsentBytes
        extras.closeTimer?.start(after: settings.closeTimeout)
    }

    // MARK: Memory

    /// Counts what the connection holds if a part of it has reached `byteCount`, or it was counted before.
    @inline(__always)
    private func countMemory(with byteCount: Int) {
        if byteCount > HeldMemory.uncountedStreamBytes || isCounted { countLargeMemory(byteCount) }
    }

    @inline(never)
    private func countLargeMemory(_ byteCount: Int) {
        if byteCount > uncountedBytes || isCounted { countMemory() }
    }

    internal func countMemory() {
        guard state != .ended, let memory = resources.memory else { return }
        isCounted = memory.update(self)
    }

    private func stopCounting() {
        guard isCounted else { return }
        isCounted = false
        resources.memory?.remove(self)
    }

    private func makeExtras() -> ConnectionExtras {
        let extras = self.extras ?? ConnectionExtras()
        self.extras = extras
        return extras
    }
}

extension Connection: EndOfTurnWork {
    /// Decodes input held back earlier, writes the turn's output, and ends the connection if that is due.
    package func endTurn() {
        if state == .inTurn {
            receiveUnread()
            if outbox.isSendingOver, !settings.answersCloses, receiver.closeFrame != nil { end(in: .handingOver) }
            if state == .inTurn {
                state = .idle
                flush()
            }
        }
        switch state {
        case .terminating: end(failure: nil)
        case .idle, .inTurn, .handingOver, .lingering, .ended: _ = handOverIfDue()
        }
    }
}

// What the connection holds for its peer.
extension Connection: MemoryHolder {
    /// The storage of the incomplete message and of input that was not decoded, in bytes.
    internal var incompleteBytes: Int {
        receiver.incompleteBytes + (unread?.bytes.storageBytes ?? 0) + stream.unreadStorageBytes
    }

    internal var outputBytes: Int {
        storedOutputBytes + (extras?.lingeringClose?.storageBytes ?? 0) - sharedBytes
    }

    /// The storage of the output, which may be much larger than what the kernel has not accepted.
    private var storedOutputBytes: Int { outbox.storageBytes + stream.storageBytes }

    internal var sharedBytes: Int { outbox.broadcastBytes + stream.broadcastInFlightBytes }

    private var lingeringBytes: Int { extras?.lingeringClose?.unwrittenBytes ?? 0 }

    /// nil also if the connection does not read because its output is full: that has to go first.
    internal var missingBytes: Int? {
        isLeaving || (wasFull && settings.pausesReadingWhenFull) ? nil : receiver.missingBytes(limits: settings.limits)
    }

    internal var movedBytes: Int {
        receiver.traffic.wireBytes + outbox.traffic.wireBytes - unsentBytes - lingeringBytes
    }

    internal var isKeptWaiting: Bool { queuedBytes == 0 && isPausedByUser && hasUnreadBytes }

    internal func pauseForMemory() { pauseReading(for: .memory) }
    internal func resumeAfterMemory() { resumeReading(after: .memory) }

    internal func memoryIsFree() {
        guard !isLeaving else { return }
        resumeReading(after: .memory)
        // Queues have their usual limit again.
        if wasFull { beginTurn() }
    }

    internal func freeMemory() {
        // The peer does not take the last output of a connection that is closing.
        if isLeaving { end(failure: nil) } else { handler.connectionIsStalled(self, holding: heldBytes + sharedBytes) }
    }
}

/// What few connections need before their end: unread input, what the loop counts, and the state of the end. Allocated
/// only then.
final class ConnectionExtras {
    /// Whether the loop's ``HeldMemory`` counts what the connection holds.
    var isCounted = false
    /// Input to decode before reading more, or nil if there is none.
    var unread: ConnectionUnreadBytes?
    var violation: ProtocolError?
    var writeFailure: StreamError?
    /// The number of bytes that had waited for the stream when it failed.
    var discardedBytes = 0
    var closeTimer: Timer?
    var unsentBytesAtLastCheck = 0
    /// Writes the last output, until the end.
    var lingeringClose: LingeringClose?
}

/// Input held back because the handler could not take more; allocated only then.
final class ConnectionUnreadBytes {
    var bytes = ByteBuffer()
}
