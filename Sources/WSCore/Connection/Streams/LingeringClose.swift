/// Closes a stream without losing the last bytes: writes them, waits for the peer to close, then closes the stream.
///
/// Closing a socket with unread input resets the connection. A reset destroys output that the peer has not read yet,
/// such as a close frame or an error page (RFC 9112 §9.6). Therefore input is read and discarded until the peer closes
/// its side, for one to two seconds after output last moved.
internal final class LingeringClose: ByteStreamDelegate {
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

    /// Several round trips on any network. The peer has no obligation to close at all.
    static let limit = Duration.seconds(1)

    /// The maximum number of bytes written per turn, so that other streams get their share.
    private static let turnBytes = 1 << 20

    private let stream: any ByteStream
    private var output: ByteBuffer
    private let closesOwnSide: Bool
    private let timeout: Duration
    private var state = State.writing
    /// Nil when the source has no more output.
    private var refill: ((inout ByteBuffer) -> Void)?
    private let completion: (_ writtenBytes: Int) -> Void
    private var timer: Timer?
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
    ///   - timeout: The time without progress after which pending output is given up. Defaults to 1 s.
    ///   - refill: Appends more output to the empty buffer; called until it appends nothing. Defaults to nil.
    ///   - completion: Called when the stream is closed, with the number of bytes the kernel has accepted.
    init(
        _ stream: any ByteStream, output: consuming ByteBuffer, closesOwnSide: Bool, timeout: Duration = limit,
        refill: ((inout ByteBuffer) -> Void)? = nil, completion: @escaping (_ writtenBytes: Int) -> Void
    ) {
        self.stream = stream
        offeredBytes = output.count
        self.output = output
        self.closesOwnSide = closesOwnSide
        self.timeout = timeout
        self.refill = refill
        self.completion = completion
        stream.delegate = self
        let timer = Timer(on: stream.loop) { [unowned self] in timerFired() }
        self.timer = timer
        stream.startReading()
        writeMore()
        arrivedBytes = arrivedBytesNow
        timer.start(after: Self.limit, every: Self.limit)
    }

    /// The number of bytes that the stream has not accepted, without those that `refill` will append.
    var unwrittenBytes: Int { output.count }
    /// The size of the storage of these bytes.
    var storageBytes: Int { output.storageBytes }

    private var arrivedBytesNow: Int { offeredBytes - output.count - stream.unsentBytes }

    /// Finishes unless the peer is still taking output.
    private func timerFired() {
        let arrived = arrivedBytesNow
        idleTime = arrived > arrivedBytes ? .zero : idleTime + Self.limit
        arrivedBytes = arrived
        let hasEverything = refill == nil && output.isEmpty && stream.unsentBytes == 0
        if idleTime >= (hasEverything ? Self.limit : timeout) { finish() }
    }

    private func writeMore() {
        guard state == .writing || state == .writingLast else { return }
        var bytesLeft = Self.turnBytes
        repeat {
            guard (try? write()) != nil else {
                state = .failed
                return continueInAnotherTurn()
            }
            guard output.isEmpty, !stream.isWriting else {
                writtenBytes = offeredBytes - output.count - stream.inFlightBytes
                return
            }
            writtenBytes = offeredBytes
            guard bytesLeft > 0 else { return continueInAnotherTurn() }
            refill?(&output)
            offeredBytes += output.count
            bytesLeft -= output.count
        } while !output.isEmpty
        refill = nil
        guard state == .writing else { return finish() }
        state = .waiting
        if closesOwnSide { stream.shutdown() }
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
        timer = nil
        turnTimer = nil
        let completion = self.completion
        stream.close()
        completion(writtenBytes)
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
