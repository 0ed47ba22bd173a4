/// An HTTP/2 connection of a client, on a stream such as TCP or TLS (RFC 9113).
///
///      HTTP2Stream ◄──► HTTP2Session ◄──► stream
///
/// The stream below is always read, so that pings are answered while an ``HTTP2Stream`` is paused. The last stream that is
/// closed closes the connection.
internal final class HTTP2Connection {
    let loop: EventLoop
    private(set) lazy var session = HTTP2Session(client: self, limits: limits)
    private let stream: any ByteStream
    private let limits: HeadLimits
    private var streams: [ObjectIdentifier: HTTP2Stream] = [:]
    /// Called when the server's settings arrive for the first time.
    var didReceiveFirstSettings: (() -> Void)?
    /// The server's GOAWAY.
    var goAway: HTTP2Error?
    private var hasReceivedBytes = false
    /// nghttp2 is processing input or producing output, and must not be entered.
    private var isBusy = false
    /// The bytes that the window of the connection lacks.
    private var unreturnedBytes = 0

    /// Prepares a connection, which takes over the stream.
    /// - Parameter limits: The limits for the heads of responses. Default: ``HeadLimits/client``.
    init(client stream: any ByteStream, limits: HeadLimits = .client) {
        self.stream = stream
        self.limits = limits
        loop = stream.loop
    }

    /// Sends the preface and the settings.
    /// - Parameter firstBytes: Bytes that the layer below read beyond its own handshake.
    func start(with firstBytes: [UInt8] = []) {
        stream.delegate = self
        stream.startReading()
        flush()
        guard !firstBytes.isEmpty else { return }
        var firstBytes = firstBytes
        firstBytes.withUnsafeMutableBytes { receive($0) }
    }

    /// Creates a stream. It notices the end of the connection even before its request.
    func makeStream() -> HTTP2Stream {
        let stream = HTTP2Stream(on: self)
        streams[ObjectIdentifier(stream)] = stream
        return stream
    }

    var isWriting: Bool { stream.isWriting || !session.output.isEmpty }
    var inFlightBytes: Int { stream.inFlightBytes + session.output.count }
    var unsentBytes: Int { stream.unsentBytes + session.output.count }
    var peerPresence: PeerPresence { stream.peerPresence }

    // MARK: Sending

    /// Writes as many frames as the stream accepts.
    func flush() {
        guard !isBusy, !stream.isClosed else { return }
        isBusy = true
        var failure: StreamError?
        while !stream.isWriting {
            session.produce()
            guard !session.output.isEmpty else { break }
            do throws(StreamError) {
                try stream.write(&session.output)
            } catch {
                failure = error
                break
            }
        }
        isBusy = false
        if let failure { failWriting(failure) }
    }

    private func failWriting(_ error: StreamError) {
        for stream in streams.values { stream.failWriting(error) }
    }

    /// Reports to the streams that everything was written.
    private func drain() {
        guard !isWriting else { return }
        for stream in streams.values { stream.drainIfDue() }
    }

    // MARK: Receiving

    private func receive(_ bytes: UnsafeMutableRawBufferPointer) {
        if !hasReceivedBytes {
            hasReceivedBytes = true
            // RFC 9113 §3.4: the first frame is SETTINGS. None is longer than 64 KiB.
            if bytes.first != 0 { return fail(.notHTTP2(preview: Array(bytes.prefix(64)))) }
        }
        isBusy = true
        session.receive(bytes)
        isBusy = false
        guard !closeIfUnused() else { return }
        flush()
        drain()
        if let failure = session.failure { fail(goAway ?? failure) }
    }

    private func fail(_ error: HTTP2Error) { end(.failed(.protection(error))) }

    private func end(_ ending: HTTP2Stream.Ending) {
        stream.stopReading()
        for stream in streams.values { stream.end(ending) }
    }

    // MARK: Events of the session

    func didReceiveSettings() {
        guard let report = didReceiveFirstSettings else { return }
        didReceiveFirstSettings = nil
        report()
    }

    /// Receives data. The window of the connection never waits for a stream: those of the streams bound what they hold.
    func didReceiveData(_ bytes: UnsafeMutableRawBufferPointer, on target: HTTP2Stream?) {
        unreturnedBytes += bytes.count
        if unreturnedBytes >= HTTP2Session.windowUpdateBytes {
            session.returnToWindow(unreturnedBytes, of: 0)
            unreturnedBytes = 0
        }
        var span = bytes.mutableBytes
        target?.receive(&span)
    }

    /// The frames of a stream have ended.
    func didClose(_ stream: HTTP2Stream, code: UInt32) {
        // RFC 9113 §8.1: NO_ERROR after a complete response asks to stop sending.
        if let failure = stream.failure {
            stream.end(.failed(.protection(failure)))
        } else if code != HTTP2Error.noError {
            stream.end(.failed(.protection(goAway ?? HTTP2Error.reset(code: code))))
        } else {
            stream.end(.ended)
        }
    }

    /// The owner of a stream has closed it.
    func didClose(stream: HTTP2Stream) {
        // The session may refer to the stream until the connection is closed.
        if !isBusy { closeIfUnused() }
    }

    /// Closes the connection after its last stream.
    @discardableResult
    private func closeIfUnused() -> Bool {
        guard !streams.isEmpty, streams.values.allSatisfy(\.isClosed) else { return false }
        // Only if the kernel accepts it now, like the close_notify of TLS.
        flush()
        session.terminate()
        flush()
        stream.close()
        streams = [:]
        return true
    }
}

extension HTTP2Connection: ByteStreamDelegate {
    func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {
        bytes.withUnsafeMutableBytes { receive($0) }
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        switch goAway {
        case .goAway(let code, _)? where code != HTTP2Error.noError: if let goAway { fail(goAway) }
        default: if hasReceivedBytes { end(.ended) } else { fail(.closedBeforeSettings) }
        }
    }

    func streamDidDrain(_ stream: any ByteStream) {
        flush()
        drain()
    }

    func stream(_ stream: any ByteStream, didFailToRead error: StreamError) {
        end(.failed(goAway.map { .protection($0) } ?? error))
    }

    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) {
        session.output.removeAll()
        failWriting(error)
    }
}
