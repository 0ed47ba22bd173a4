/// Takes leave of a peer: writes the last bytes, waits for the peer to close, then closes the stream.
///
/// To close a socket on which unread bytes wait, or still arrive, resets the connection, and a reset destroys
/// last words that the peer has not read: a close frame, an error page. So the rest is read and thrown away until
/// the peer closes its side, for a limited time after the last of our output has moved.
internal final class StreamDrain: ByteStreamDelegate {
    /// One second is several round trips on any network; a peer has no duty to close at all.
    static let limit = Duration.seconds(1)

    private let stream: any ByteStream
    private var output: ByteBuffer
    private let closesOwnSide: Bool
    private let completion: () -> Void
    private var timer: Timer?
    private var unsentBytesAtLastCheck = 0
    private var peerHasEnded = false

    /// Takes a stream over.
    /// - Parameters:
    ///   - stream: The stream, which ends closed.
    ///   - output: The last bytes.
    ///   - closesOwnSide: Whether to close our side after them, as a server and one that fails a connection does,
    ///     or to leave the first step to the peer, as a client does (RFC 6455 §7.1.1).
    ///   - completion: Called when the stream is closed.
    init(_ stream: any ByteStream, output: consuming ByteBuffer, closesOwnSide: Bool, completion: @escaping () -> Void)
    {
        self.stream = stream
        self.output = output
        self.closesOwnSide = closesOwnSide
        self.completion = completion
        stream.delegate = self
        let timer = Timer(on: stream.loop) { [unowned self] in timerFired() }
        self.timer = timer
        stream.startReading()
        writeOn()
        unsentBytesAtLastCheck = unsentBytes
        timer.start(after: Self.limit)
    }

    private var unsentBytes: Int { output.count + stream.unsentBytes }

    /// A peer that still takes our output has not had all of our last words.
    private func timerFired() {
        guard unsentBytes < unsentBytesAtLastCheck else { return finish() }
        unsentBytesAtLastCheck = unsentBytes
        timer?.start(after: Self.limit)
    }

    private func writeOn() {
        guard (try? stream.write(&output)) != nil else { return }
        guard output.isEmpty, !stream.isWriting else { return }
        if peerHasEnded { return finish() }
        if closesOwnSide { stream.shutdown() }
    }

    private func finish() {
        guard !stream.isClosed else { return }
        timer = nil
        let completion = self.completion
        stream.close()
        completion()
    }

    func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {}
    func streamDidReachEnd(_ stream: any ByteStream) {
        peerHasEnded = true
        if output.isEmpty, !stream.isWriting { finish() }
    }
    func streamDidDrain(_ stream: any ByteStream) { writeOn() }
    func stream(_ stream: any ByteStream, didFailToRead error: StreamError) { finish() }
    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) { finish() }
}
