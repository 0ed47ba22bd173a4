import Formats
import WSCore

/// Reads a program's output until the program closes it.
///
///      pipe ──► one read a turn ──► receive       while nothing is unread
///                     │ data beyond the turn's share
///                     ▼
///                  unread ──► receive, once a turn
package final class ProgramOutput {
    /// The maximum capacity of a pipe, in bytes. This much data may remain when all writers have ended.
    package static let pipeBytes = 1 << 20

    private enum State {
        case reading, paused, over
    }

    private let stream: SystemStream
    private let receive: (RawSpan) -> Int
    private let finish: () -> Void
    /// Data that has been read and waits for the next turn. While there is any, nothing more is read.
    private var unread = ByteBuffer()
    private var state = State.reading
    private var isHandingOver = false
    private var isScheduled = false
    /// The number of bytes still to read, or `nil` for no limit.
    private var bytesLeft: Int?
    /// Whether data has arrived since the last call of ``closeIfIdle()``.
    private var hasMoved = false

    /// Takes ownership of our end of the pipe and starts reading.
    /// - Parameters:
    ///   - stream: Our end of the pipe.
    ///   - receive: Receives data and returns the number of bytes it consumed this turn. It gets the rest again in the
    ///     next turn.
    ///   - finish: Called once, at the end.
    package init(_ stream: SystemStream, receive: @escaping (RawSpan) -> Int, finish: @escaping () -> Void) {
        self.stream = stream
        self.receive = receive
        self.finish = finish
        stream.delegate = self
        stream.startReading()
    }

    /// Stops reading. The pipe fills up, and the program blocks.
    package func pause() {
        guard !isOver else { return }
        state = .paused
        stream.stopReading()
    }

    /// Resumes reading.
    package func resume() {
        if state == .paused { state = .reading }
        continueReading()
    }

    /// Reads at most `byteCount` more bytes, without pausing.
    package func takeRest(atMost byteCount: Int) {
        bytesLeft = byteCount
        resume()
    }

    /// Whether the pipe is closed.
    package var isOver: Bool { state == .over }

    /// Closes the pipe if it has been idle since the last call and has no data pending.
    /// - Returns: Whether the pipe is closed.
    package func closeIfIdle() -> Bool {
        if !hasMoved, unread.isEmpty { close() }
        hasMoved = false
        return isOver
    }

    /// Closes the pipe, even if a process still writes to it.
    func close() {
        guard !isOver else { return }
        state = .over
        unread = ByteBuffer()
        stream.close()
        finish()
    }

    /// Whether the program has exited and the rest of its output is read without pausing.
    package var takesRest: Bool { bytesLeft != nil }

    private func take(_ bytes: RawSpan) {
        let count = handOver(bytes)
        guard !isOver else { return }
        if count < bytes.byteCount {
            unread.append(bytes.extracting(droppingFirst: count))
            stream.stopReading()
        }
        continueReading()
    }

    private func handOver(_ bytes: RawSpan) -> Int {
        isHandingOver = true
        defer { isHandingOver = false }
        return receive(bytes)
    }

    private func continueReading() {
        // While `receive` runs, the remaining data is unknown.
        guard state == .reading, !isHandingOver else { return }
        if unread.isEmpty { return stream.startReading() }
        guard !isScheduled else { return }
        isScheduled = true
        stream.loop.atEndOfNextTurn(self)
    }
}

extension ProgramOutput: EndOfTurnWork {
    /// Continues with the data left from the previous turn.
    package func endTurn() {
        isScheduled = false
        guard state == .reading else { return }
        var waiting = unread.takeAll()
        waiting.consume(waiting.withReadableBytes { handOver($0) })
        guard !isOver else { return }
        unread = waiting
        unread.releaseStorage(above: 0)
        continueReading()
    }
}

extension ProgramOutput: ByteStreamDelegate {
    /// Passes the data on.
    package func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {
        hasMoved = true
        guard let left = bytesLeft else { return take(bytes.bytes) }
        bytesLeft = left - bytes.byteCount
        if left < bytes.byteCount { close() } else { take(bytes.bytes) }
    }

    /// Ends: all writers have closed the pipe.
    package func streamDidReachEnd(_ stream: any ByteStream) {
        close()
    }

    /// Does nothing: this end is never written to.
    package func streamDidDrain(_ stream: any ByteStream) {}

    /// Ends: the pipe cannot be read any more.
    package func stream(_ stream: any ByteStream, didFailToRead error: StreamError) {
        close()
    }

    /// Does nothing: this end is never written to.
    package func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) {}
}

extension InputProblem {
    /// Words for the first line of a program's output that cannot be sent.
    /// - Parameters:
    ///   - line: The number of the line.
    ///   - program: The program's name, safe to print.
    package func words(forLine line: Int, of program: String) -> String {
        "line \(line) of \(program)'s output was not sent, and further ones like it are dropped: "
            // Binary messages of a program are not lines.
            + (self == .notText ? "it is not UTF-8 text; use --exec-json to send bytes" : "\(self)")
    }

    /// Words for a line of a program's output that is longer than the limit, which ends the program.
    package static func words(forLineOf program: String, longerThan limit: Int) -> String {
        "a line of \(program)'s output has more than \(Phrase.count(limit, "byte")); raise --max-message-size to send it"
    }
}
