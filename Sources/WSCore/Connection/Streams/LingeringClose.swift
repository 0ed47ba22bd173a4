/// Closes a stream without losing the last bytes: writes them, waits for the peer to close, then closes the stream.
///
/// Closing a socket with unread input resets the connection. A reset destroys output that the peer has not read yet,
/// such as a close frame or an error page (RFC 9112 §9.6). Therefore input is read and discarded until the peer closes
/// its side, for one to two seconds after all output has reached the peer's side.
///
/// As a timer, it looks for progress.
internal final class LingeringClose: TimedObject, ByteStreamDelegate {
    private enum State {
        /// Output is left: in the buffer, in the stream, or in the source.
        case writing
        /// Like ``writing``, but the peer has closed its side: the stream is closed after the output.
        case writingLast
        /// The stream has accepted all output, and the peer has not closed its side.
        case waiting
        /// Writing failed. The stream is closed in another turn: the owner does not expect the completion yet.
        case failed
    }

    /// Appends further output to an empty buffer, at most a number of bytes unless it is stored already, until nothing is
    /// left.
    typealias Refill = (inout ByteBuffer, _ atMost: Int) -> Void
    /// Receives the number of bytes that the kernel has accepted, and the number of those that have not reached the peer's
    /// side, as far as known.
    typealias Completion = (_ writtenBytes: Int, _ unsentBytes: Int) -> Void

    /// Several round trips on any network. The peer has no obligation to close at all.
    static let limit = Duration.seconds(1)

    /// The maximum number of bytes written per turn, so that other streams get their share.
    private static let turnBytes = 1 << 20
    /// The maximum size of a piece of the output. ``HeldMemory`` does not count it.
    static let pieceBytes = HeldMemory.uncountedBytes

    private let stream: any ByteStream
    private var output: ByteBuffer
    private let closesOwnSide: Bool
    private let timeout: Duration
    private let endsMessage: Bool
    private var state = State.writing
    /// Nil when the source has no more output.
    private var refill: Refill?
    private let account: Account?
    private let completion: Completion
    /// Continues writing in a later turn, or finishes after a failure.
    private var turnTimer: Timer?
    /// The total size of the output so far, in bytes.
    private var offeredBytes: Int
    /// The number of bytes the kernel had accepted after the last successful write.
    private var writtenBytes = 0
    /// The number of bytes the peer had acknowledged when the timer last fired.
    private var arrivedBytes = 0
    /// The time since output last moved.
    private var idleTime = Duration.zero

    /// Takes over a stream and closes it in the end.
    /// - Parameters:
    ///   - stream: The stream to close.
    ///   - output: The remaining output, or its first part.
    ///   - closesOwnSide: Whether to shut down our side after the output. Servers do, and so do endpoints that fail
    ///     the connection; other clients wait for the server (RFC 6455 §7.1.1).
    ///   - timeout: The time without progress after which output that has not reached the peer's side is given up. Defaults
    ///     to 1 s.
    ///   - endsMessage: Whether the end of the stream is the end of the message, so that a reset must end output that is given
    ///     up. Default: false.
    ///   - memory: Counts what the stream and the output hold; nil if the owner counts it.
    ///   - sharedBytes: The size of what `refill` shares with others, or of what the owner keeps. Default: 0.
    ///   - refill: The rest of the output, which is not produced before the stream has room. Defaults to nil.
    ///   - completion: Called when the stream is closed.
    init(
        _ stream: any ByteStream, output: consuming ByteBuffer, closesOwnSide: Bool, timeout: Duration = limit,
        endsMessage: Bool = false, memory: HeldMemory? = nil, sharedBytes: Int = 0, refill: Refill? = nil,
        completion: @escaping Completion
    ) {
        self.stream = stream
        offeredBytes = output.count
        self.output = output
        self.closesOwnSide = closesOwnSide
        self.timeout = timeout
        self.endsMessage = endsMessage
        self.refill = refill
        account = memory.map { Account(memory: $0, sharedBytes: sharedBytes) }
        self.completion = completion
        super.init(on: stream.loop)
        stream.delegate = self
        stream.startReading()
        writeMore()
        arrivedBytes = arrivedBytesNow
        start(after: checkInterval, every: checkInterval)
    }

    /// The number of bytes that the stream has not accepted, without those that `refill` will append.
    var unwrittenBytes: Int { output.count }
    /// The size of the storage of these bytes.
    var storageBytes: Int { output.storageBytes }

    /// The number of bytes that have not reached the peer's side. After a failed write, the stream does not hold them.
    private var unsentBytes: Int {
        state == .failed ? offeredBytes - writtenBytes : output.count + stream.unsentBytes
    }

    private var arrivedBytesNow: Int { offeredBytes - unsentBytes }

    private var checkInterval: Duration { min(Self.limit, max(timeout, .milliseconds(1))) }

    /// Finishes unless the peer is still taking output.
    override func timeIsUp() {
        let arrived = arrivedBytesNow
        idleTime = arrived > arrivedBytes ? .zero : idleTime + checkInterval
        arrivedBytes = arrived
        let hasEverything = refill == nil && unsentBytes == 0
        if idleTime >= (hasEverything ? Self.limit : timeout) { finish() }
    }

    private func writeMore() {
        guard state == .writing || state == .writingLast else { return }
        defer { countMemory() }
        var bytesLeft = Self.turnBytes
        repeat {
            guard (try? write()) != nil else {
                state = .failed
                return continueInAnotherTurn()
            }
            guard output.isEmpty, !stream.isWriting else {
                writtenBytes = max(writtenBytes, offeredBytes - output.count - stream.inFlightBytes)
                return
            }
            writtenBytes = offeredBytes
            guard bytesLeft > 0 else { return continueInAnotherTurn() }
            // A stream of HTTP/2 asks when its window has room, and reports when everything was written.
            if refill != nil, let stream = stream as? HTTP2Stream {
                return stream.pull { [unowned self] in produce(&$0, atMost: $1) }
            }
            produce(&output, atMost: Self.pieceBytes)
            bytesLeft -= output.count
        } while !output.isEmpty
        guard state == .writing else { return finish() }
        state = .waiting
        if closesOwnSide { stream.shutdown() }
    }

    private func produce(_ bytes: inout ByteBuffer, atMost byteCount: Int) {
        writtenBytes = max(writtenBytes, offeredBytes - stream.inFlightBytes)
        refill?(&bytes, byteCount)
        offeredBytes += bytes.count
        if bytes.isEmpty { refill = nil }
    }

    private func write() throws(StreamError) {
        if closesOwnSide { try stream.writeBeforeEnd(&output) } else { try stream.write(&output) }
    }

    private func continueInAnotherTurn() {
        let timer =
            turnTimer
            ?? Timer(on: stream.loop) { [unowned self] in if state == .failed { finish() } else { writeMore() } }
        turnTimer = timer
        timer.start(after: .milliseconds(1))
    }

    private func finish() {
        guard !stream.isClosed else { return }
        stop()
        turnTimer = nil
        account?.stopCounting(self)
        let (completion, unsentBytes) = (self.completion, self.unsentBytes)
        if endsMessage, writtenBytes < offeredBytes { stream.abort() } else { stream.close() }
        completion(writtenBytes, unsentBytes)
    }

    func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {}
    func streamDidReachEnd(_ stream: any ByteStream) {
        switch state {
        case .writing, .writingLast: state = .writingLast
        case .waiting, .failed: finish()
        }
    }
    func streamDidDrain(_ stream: any ByteStream) { writeMore() }
    func stream(_ stream: any ByteStream, didFailToRead error: StreamError) { finish() }
    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) { finish() }
}

// What the last output holds, unless its owner counts it.
extension LingeringClose: MemoryHolder {
    /// How the rest of a stream is counted.
    private final class Account {
        let memory: HeldMemory
        let sharedBytes: Int
        private var isCounted = false

        init(memory: HeldMemory, sharedBytes: Int) {
            self.memory = memory
            self.sharedBytes = sharedBytes
        }

        func count(_ holder: LingeringClose) {
            guard isCounted || holder.heldBytes + sharedBytes > holder.uncountedBytes else { return }
            isCounted = memory.update(holder)
        }

        func stopCounting(_ holder: LingeringClose) {
            if isCounted { memory.remove(holder) }
            isCounted = false
        }
    }

    private func countMemory() {
        if !stream.isClosed { account?.count(self) }
    }

    var uncountedBytes: Int { stream.uncountedBytes }
    var incompleteBytes: Int { stream.unreadStorageBytes }
    var outputBytes: Int { output.storageBytes + stream.storageBytes }
    var sharedBytes: Int { account?.sharedBytes ?? 0 }
    var movedBytes: Int { arrivedBytesNow }
    func freeMemory() { finish() }
}
