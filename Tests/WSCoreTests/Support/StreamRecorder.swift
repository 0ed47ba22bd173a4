import WSCore

/// Remembers what happens on a stream.
final class StreamRecorder: ByteStreamDelegate {
    var received: [UInt8] = []
    var hasEnded = false
    var drainCount = 0
    var readError: IOError?
    /// What TLS says, where it was TLS that failed.
    var tlsError: TLSError?
    /// How often reading has failed or ended.
    var lastWordCount = 0
    var writeError: IOError?
    /// Called after each of these.
    var didChange: (any ByteStream) -> Void = { _ in }

    func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {
        bytes.withUnsafeBytes { received.append(contentsOf: $0) }
        didChange(stream)
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        hasEnded = true
        lastWordCount += 1
        didChange(stream)
    }

    func streamDidDrain(_ stream: any ByteStream) {
        drainCount += 1
        didChange(stream)
    }

    func stream(_ stream: any ByteStream, didFailToRead error: StreamError) {
        readError = IOError(of: error)
        if case .protection(let error as TLSError) = error { tlsError = error }
        lastWordCount += 1
        didChange(stream)
    }

    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) {
        writeError = IOError(of: error)
        didChange(stream)
    }
}

/// A stream, what happens on it, and what waits to be written to it.
struct StreamEnd {
    let stream: SystemStream
    let recorder = StreamRecorder()

    init(_ stream: SystemStream) {
        self.stream = stream
        stream.delegate = recorder
    }

    /// Closes the stream and forgets what was to be done.
    func close() {
        recorder.didChange = { _ in }
        stream.close()
    }

    /// Writes all of `bytes`, offering the rest whenever the stream has drained.
    func write(_ bytes: [UInt8]) throws {
        var buffer = ByteBuffer()
        bytes.withUnsafeBytes { buffer.append($0.bytes) }
        try stream.write(&buffer)
    }
}

/// The loopback address with a port that the system picks.
func anyLoopbackPort() -> SocketAddress? {
    SocketAddress(numeric: "127.0.0.1", port: 0)
}
