import WSCore

/// Reads what a program writes, until it writes no more.
final class ProgramOutput {
    /// Whether there is no more.
    private(set) var isOver = false

    private let stream: SystemStream
    private let receive: (RawSpan) -> Void
    private let finish: () -> Void

    /// Takes our end of the pipe over and begins to read.
    /// - Parameters:
    ///   - stream: Our end.
    ///   - receive: Takes what was read.
    ///   - finish: Called once, at the end.
    init(_ stream: SystemStream, receive: @escaping (RawSpan) -> Void, finish: @escaping () -> Void) {
        self.stream = stream
        self.receive = receive
        self.finish = finish
        stream.delegate = self
        stream.startReading()
    }

    /// Stops reading: the pipe fills, and then the program has to wait.
    func pause() {
        stream.stopReading()
    }

    /// Goes on reading.
    func resume() {
        stream.startReading()
    }

    /// Closes the pipe, whoever still writes to it.
    func close() {
        guard !isOver else { return }
        isOver = true
        stream.close()
        finish()
    }
}

extension ProgramOutput: ByteStreamDelegate {
    /// Hands on what was read.
    func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {
        receive(bytes.bytes)
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
