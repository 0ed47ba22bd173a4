import WSCore

/// Writes to a program's standard input, with one write per turn of the loop.
package final class ProgramInput {
    /// Called when the program has read the backlog or has closed its input.
    package var didDrain: (() -> Void)?
    /// Whether the pipe is closed.
    private(set) var isClosed = false

    private let stream: SystemStream
    private var queue = ByteBuffer()
    private var isFinishing = false
    private var isTurnEndScheduled = false

    /// Takes ownership of our end of the pipe.
    package init(_ stream: SystemStream) {
        self.stream = stream
        stream.delegate = self
    }

    /// The number of bytes queued or in the current write, which counts in full until it completes.
    package var waitingBytes: Int { queue.count + stream.inFlightBytes }

    /// The number of queued bytes that the pipe has not accepted.
    package var untakenBytes: Int { queue.count + stream.unsentBytes }

    /// Appends a message, optionally with a newline. Does nothing if the program has closed its input.
    package func append(_ payload: RawSpan, asLine: Bool) {
        guard !isClosed, !isFinishing else { return }
        queue.append(payload)
        if asLine { queue.append(byte: UInt8(ascii: "\n")) }
        scheduleTurnEnd()
    }

    /// Appends a line with an event. Does nothing if the program has closed its input.
    package func append(_ type: StaticString, time: RawSpan, _ addFields: (inout JSONEvent) -> Void) {
        guard !isClosed, !isFinishing else { return }
        var event = JSONEvent(type, time: time, into: queue.takeAll())
        addFields(&event)
        queue = event.finish()
        scheduleTurnEnd()
    }

    /// Closes the pipe when the program has read all queued data.
    package func finish() {
        isFinishing = true
        scheduleTurnEnd()
    }

    /// Closes the pipe and discards queued data.
    package func close() {
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
            // A program may stop reading at any time.
            return close()
        }
        if isFinishing, queue.isEmpty, !stream.isWriting { close() }
    }
}

extension ProgramInput: EndOfTurnWork {
    /// Writes what the turn produced.
    package func endTurn() {
        isTurnEndScheduled = false
        flush()
    }
}

extension ProgramInput: ByteStreamDelegate {
    /// Does nothing: this end is never read from.
    package func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {}

    /// Does nothing: this end is never read from.
    package func streamDidReachEnd(_ stream: any ByteStream) {}

    /// Continues writing.
    package func streamDidDrain(_ stream: any ByteStream) {
        flush()
        didDrain?()
    }

    /// Does nothing: this end is never read from.
    package func stream(_ stream: any ByteStream, didFailToRead error: StreamError) {}

    /// Closes the pipe because the program stopped reading.
    package func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) {
        close()
    }
}
