/// Closes a stream without losing the last bytes: writes them, waits for the peer to close, then closes the stream.
///
/// Closing a socket with unread input resets the connection, and a reset destroys output that the peer has not read yet,
/// such as a close frame or an error page (RFC 9112 §9.6). So input is read and discarded until the peer closes its side,
/// for a limited time after the last output has moved.
internal final class LingeringClose: ByteStreamDelegate {
    /// One second is several round trips on any network; a peer has no duty to close at all.
    static let limit = Duration.seconds(1)

    /// How much is written in one turn of the loop, in bytes, before others have theirs.
    private static let turnBytes = 1 << 20

    private let stream: any ByteStream
    private var output: ByteBuffer
    private let closesOwnSide: Bool
    private let patience: Duration
    /// Nil once there is nothing more.
    private var refill: ((inout ByteBuffer) -> Void)?
    private let completion: (_ writtenBytes: Int) -> Void
    private var timer: Timer?
    /// Goes on writing in another turn, or leaves when the peer has gone.
    private var turnTimer: Timer?
    /// All bytes that were to be written so far.
    private var offeredBytes: Int
    /// Those of them that the kernel had taken after the last attempt that did not fail.
    private var writtenBytes = 0
    /// Those of them that the peer's side had taken when the timer fired last.
    private var arrivedBytes = 0
    /// For how long nothing has moved.
    private var idleTime = Duration.zero
    private var peerHasEnded = false
    private var hasFailed = false

    /// Takes a stream over.
    /// - Parameters:
    ///   - stream: The stream, which ends closed.
    ///   - output: The last bytes, or the first of them.
    ///   - closesOwnSide: Whether to close our side after them, as a server and one that fails a connection does,
    ///     or to leave the first step to the peer, as a client does (RFC 6455 §7.1.1).
    ///   - patience: How long the peer may take nothing while there is something for it.
    ///   - refill: Appends further bytes to the output, which is empty; called until there are none.
    ///   - completion: Called when the stream is closed, with the number of bytes that the kernel has taken.
    init(
        _ stream: any ByteStream, output: consuming ByteBuffer, closesOwnSide: Bool, patience: Duration = limit,
        refill: ((inout ByteBuffer) -> Void)? = nil, completion: @escaping (_ writtenBytes: Int) -> Void
    ) {
        self.stream = stream
        offeredBytes = output.count
        self.output = output
        self.closesOwnSide = closesOwnSide
        self.patience = patience
        self.refill = refill
        self.completion = completion
        stream.delegate = self
        let timer = Timer(on: stream.loop) { [unowned self] in timerFired() }
        self.timer = timer
        stream.startReading()
        writeOn()
        arrivedBytes = arrivedBytesNow
        timer.start(after: Self.limit, every: Self.limit)
    }

    private var arrivedBytesNow: Int { offeredBytes - output.count - stream.unsentBytes }

    /// A peer that still takes our output has not had all of our last words.
    private func timerFired() {
        let arrived = arrivedBytesNow
        idleTime = arrived > arrivedBytes ? .zero : idleTime + Self.limit
        arrivedBytes = arrived
        let hasEverything = refill == nil && output.isEmpty && stream.unsentBytes == 0
        if idleTime >= (hasEverything ? Self.limit : patience) { finish() }
    }

    private func writeOn() {
        guard !hasFailed else { return }
        var bytesLeft = Self.turnBytes
        repeat {
            guard (try? stream.write(&output)) != nil else {
                // Not in this call, perhaps the initialiser's: whoever is told may not expect it yet.
                hasFailed = true
                return writeOnInAnotherTurn()
            }
            writtenBytes = offeredBytes - output.count - stream.inFlightBytes
            guard output.isEmpty, !stream.isWriting else { return }
            guard bytesLeft > 0 else { return writeOnInAnotherTurn() }
            refill?(&output)
            offeredBytes += output.count
            bytesLeft -= output.count
        } while !output.isEmpty
        refill = nil
        if peerHasEnded { return finish() }
        if closesOwnSide { stream.shutdown() }
    }

    private func writeOnInAnotherTurn() {
        let timer =
            turnTimer ?? Timer(on: stream.loop) { [unowned self] in if hasFailed { finish() } else { writeOn() } }
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
        peerHasEnded = true
        if refill == nil, output.isEmpty, !stream.isWriting { finish() }
    }
    func streamDidDrain(_ stream: any ByteStream) { writeOn() }
    func stream(_ stream: any ByteStream, didFailToRead error: StreamError) { finish() }
    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) { finish() }
}
