import WSCore

/// Reads what a program writes, until it writes no more.
///
///      pipe ──► one read a turn ──► receive       while there is nothing unread
///                     │ what is more than the turn's share
///                     ▼
///                  unread ──► receive, once a turn
final class ProgramOutput {
    /// Whether there is no more.
    private(set) var isOver = false

    private let stream: SystemStream
    private let receive: (RawSpan) -> Int
    private let finish: () -> Void
    /// What has been read and waits for the next turn; then nothing further is read.
    private var unread = ByteBuffer()
    private var isPaused = false
    private var isHandingOver = false
    private var isScheduled = false
    /// How much is still taken; nil: there is no end to it.
    private var bytesLeft: Int?
    /// Whether something has been taken since that was last asked.
    private var hasMoved = false

    /// Takes our end of the pipe over and begins to read.
    /// - Parameters:
    ///   - stream: Our end.
    ///   - receive: Takes what was read, and returns how many bytes were enough for this turn: with the rest it is called
    ///     again in the next.
    ///   - finish: Called once, at the end.
    init(_ stream: SystemStream, receive: @escaping (RawSpan) -> Int, finish: @escaping () -> Void) {
        self.stream = stream
        self.receive = receive
        self.finish = finish
        stream.delegate = self
        stream.startReading()
    }

    /// Stops reading: the pipe fills, and then the program has to wait.
    func pause() {
        isPaused = true
        stream.stopReading()
    }

    /// Goes on reading.
    func resume() {
        isPaused = false
        goOn()
    }

    /// Takes no more than `byteCount` bytes from now on, and takes them without a pause.
    func takeRest(atMost byteCount: Int) {
        bytesLeft = byteCount
        resume()
    }

    /// Closes the pipe unless something has come from it since this was last called, or is still to be handed on.
    /// - Returns: Whether it is closed.
    func closeIfIdle() -> Bool {
        if !hasMoved, unread.isEmpty { close() }
        hasMoved = false
        return isOver
    }

    /// Closes the pipe, whoever still writes to it.
    func close() {
        guard !isOver else { return }
        isOver = true
        unread = ByteBuffer()
        stream.close()
        finish()
    }

    /// Whether the program has ended, and waits for nobody.
    var takesRest: Bool { bytesLeft != nil }

    private func take(_ bytes: RawSpan) {
        let count = handOver(bytes)
        guard !isOver else { return }
        if count < bytes.byteCount {
            unread.append(bytes.extracting(droppingFirst: count))
            stream.stopReading()
        }
        goOn()
    }

    private func handOver(_ bytes: RawSpan) -> Int {
        isHandingOver = true
        defer { isHandingOver = false }
        return receive(bytes)
    }

    private func goOn() {
        // While something is handed over, it is not known what will be left of it.
        guard !isOver, !isPaused, !isHandingOver else { return }
        if unread.isEmpty { return stream.startReading() }
        guard !isScheduled else { return }
        isScheduled = true
        stream.loop.atEndOfNextTurn(self)
    }
}

extension ProgramOutput: EndOfTurnWork {
    /// Goes on with what was left of the last turn.
    func endTurn() {
        isScheduled = false
        guard !isOver, !isPaused else { return }
        var waiting = unread.takeAll()
        waiting.consume(waiting.withReadableBytes { handOver($0) })
        guard !isOver else { return }
        unread = waiting
        unread.releaseStorage(above: 0)
        goOn()
    }
}

extension ProgramOutput: ByteStreamDelegate {
    /// Hands on what was read.
    func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {
        hasMoved = true
        guard let left = bytesLeft else { return take(bytes.bytes) }
        bytesLeft = left - bytes.byteCount
        if left < bytes.byteCount { close() } else { take(bytes.bytes) }
    }

    /// Nobody has the pipe any more.
    func streamDidReachEnd(_ stream: any ByteStream) {
        close()
    }

    /// Nothing is written to this end.
    func streamDidDrain(_ stream: any ByteStream) {}

    /// There is no more.
    func stream(_ stream: any ByteStream, didFailToRead error: StreamError) {
        close()
    }

    /// Nothing is written to this end.
    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) {}
}
