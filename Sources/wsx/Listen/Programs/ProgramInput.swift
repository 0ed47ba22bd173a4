import WSCore

/// What is written to a program's standard input: all messages of a turn of the loop with one write.
final class ProgramInput {
    /// Called when the program has taken what had to wait, or takes no more.
    var didDrain: (() -> Void)?
    /// Whether nothing more is written.
    private(set) var isClosed = false

    private let stream: SystemStream
    private var queue = ByteBuffer()
    private var isFinishing = false
    private var isTurnEndScheduled = false

    /// Takes our end of the pipe over.
    init(_ stream: SystemStream) {
        self.stream = stream
        stream.delegate = self
    }

    /// The number of bytes that the program has not taken, but for those that are in the pipe.
    var waitingBytes: Int { queue.count + stream.inFlightBytes }

    /// The number of those that the pipe has not taken, either.
    var untakenBytes: Int { queue.count + stream.unsentBytes }

    /// Appends a message, as it is or as a line. A program that has closed its input gets it no more.
    func append(_ payload: RawSpan, asLine: Bool) {
        guard !isClosed, !isFinishing else { return }
        queue.append(payload)
        if asLine { queue.append(byte: UInt8(ascii: "\n")) }
        scheduleTurnEnd()
    }

    /// Closes the pipe once the program has taken what waits.
    func finish() {
        isFinishing = true
        scheduleTurnEnd()
    }

    /// Closes the pipe; what waits is lost.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        queue = ByteBuffer()
        stream.close()
        didDrain?()
    }

    private func scheduleTurnEnd() {
        guard !isTurnEndScheduled, !isClosed else { return }
        isTurnEndScheduled = true
        stream.loop.atEndOfTurn(self)
    }

    private func flush() {
        guard !isClosed else { return }
        do throws(StreamError) {
            try stream.write(&queue)
        } catch {
            // The program reads no more: that is its right.
            return close()
        }
        if isFinishing, queue.isEmpty, !stream.isWriting { close() }
    }
}

extension ProgramInput: EndOfTurnWork {
    /// Writes what the turn produced.
    func endTurn() {
        isTurnEndScheduled = false
        flush()
    }
}

extension ProgramInput: ByteStreamDelegate {
    /// Nothing can be read from this end.
    func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {}

    /// Nothing can be read from this end.
    func streamDidReachEnd(_ stream: any ByteStream) {}

    /// Writes on.
    func streamDidDrain(_ stream: any ByteStream) {
        flush()
        didDrain?()
    }

    /// Nothing can be read from this end.
    func stream(_ stream: any ByteStream, didFailToRead error: StreamError) {}

    /// The program reads no more.
    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) {
        close()
    }
}
