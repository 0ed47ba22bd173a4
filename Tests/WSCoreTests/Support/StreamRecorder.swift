import WSCore

/// Records the events of a stream.
final class StreamRecorder: ByteStreamDelegate {
    var received: [UInt8] = []
    var hasEnded = false
    var drainCount = 0
    var readError: IOError?
    /// The TLS error, if TLS failed.
    var tlsError: TLSError?
    /// The number of times reading has failed or ended.
    var lastWordCount = 0
    var writeError: IOError?
    /// Called after each event.
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

/// A stream and a recorder of its events.
struct StreamEnd {
    let stream: SystemStream
    let recorder = StreamRecorder()

    init(_ stream: SystemStream) {
        self.stream = stream
        stream.delegate = recorder
    }

    /// Closes the stream and removes the test's action.
    func close() {
        recorder.didChange = { _ in }
        stream.close()
    }

    /// Writes all of `bytes`.
    func write(_ bytes: [UInt8]) throws {
        var buffer = ByteBuffer()
        bytes.withUnsafeBytes { buffer.append($0.bytes) }
        try stream.write(&buffer)
    }
}

/// The loopback address with port 0, for any free port.
func anyLoopbackPort() -> SocketAddress? {
    SocketAddress(numeric: "127.0.0.1", port: 0)
}
