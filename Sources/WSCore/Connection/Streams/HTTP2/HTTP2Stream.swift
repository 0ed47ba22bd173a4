/// A stream of an HTTP/2 connection (RFC 9113 §5), after or before its heads.
///
///      delegate ◄── received, while paused ◄── HTTP2Session ◄── HTTP2Connection
///      write(_:) ──► unsent, beyond the window ──► HTTP2Session ──► HTTP2Connection
///
/// A paused stream receives at most its window, and the other streams of its connection continue.
internal final class HTTP2Stream: ByteStream {
    /// How the peer's side ends.
    enum Ending {
        /// END_STREAM, which completes a request or response.
        case ended
        /// With the connection, or a reset without an error.
        case cut
        case failed(StreamError)
    }

    private struct State: OptionSet {
        let rawValue: UInt8

        static let closed = State(rawValue: 1 << 0)
        /// Received bytes are passed to the delegate.
        static let reading = State(rawValue: 1 << 1)
        /// ``endTurn()`` will be called.
        static let scheduled = State(rawValue: 1 << 2)
        /// The delegate waits for ``ByteStreamDelegate/streamDidDrain(_:)``.
        static let waitsForDrain = State(rawValue: 1 << 3)
        /// Our side ends after the unsent bytes.
        static let endsOutput = State(rawValue: 1 << 4)
        /// ``writeFailure`` has not been reported.
        static let hasNewWriteFailure = State(rawValue: 1 << 5)
        /// The connection will report when the kernel has accepted the bytes sent so far.
        static let framed = State(rawValue: 1 << 6)
    }

    /// What the peer may send.
    private struct Window {
        /// The size of the window that the peer may fill.
        var byteCount: Int
        /// The number of consumed bytes that no WINDOW_UPDATE has announced yet.
        var consumedBytes = 0
        /// The bytes received since a time of the loop, in milliseconds; see ``growWindow()``.
        var recent: (byteCount: Int, since: UInt64) = (0, 0)
    }

    let loop: EventLoop
    var delegate: (any ByteStreamDelegate)?
    let connection: HTTP2Connection
    /// What the stream may hold without being counted, in bytes.
    let uncountedBytes: Int
    /// The stream's number; 0 before the request.
    private(set) var identifier: Int32
    /// The request, from the view of a server.
    var request: (headBytes: Int, milliseconds: UInt64) = (0, 0)
    /// The trailers of the request, from the view of a server, once the peer's side has ended.
    private(set) var requestTrailers = HTTPFields()
    /// The trailers of the response, with names in lower case. They end our side.
    var responseTrailers: [HeaderField] = []
    /// Receives the heads of responses.
    var didReceiveHead: ((ResponseHead) -> Void)?
    /// Why the stream is about to be closed, if there is more to say than a code.
    var failure: HTTP2Error?
    private var state: State = []
    private var received = ByteBuffer()
    private var unsent = ByteBuffer()
    /// Produces what follows the unsent bytes; see ``pull(from:)``.
    private var source: LingeringClose.Refill?
    private var window: Window
    /// The end of the latest bytes in the output of the connection; see ``HTTP2Connection/producedBytes``.
    private var framedEnd = 0
    private(set) var ending: Ending?
    /// Whether the request or response of the peer is complete.
    var hasWholeMessage: Bool { if case .ended = ending { true } else { false } }
    private var writeFailure: StreamError?

    /// The maximum number of bytes passed to the delegate per turn, if they had to wait.
    private static let turnBytes = 64 << 10
    /// The round trip of a distant peer. A window that lasts longer is large enough.
    private static let longestRoundTripMilliseconds = 500
    /// The maximum number of shared bytes copied at once: a frame.
    private static let sharedPieceBytes = HTTP2Session.maximumFrameBytes
    /// A canceled request is older than this, unless the client only wants to cause work.
    private static let youthMilliseconds = 1000

    /// Creates a stream; see ``HTTP2Connection/makeStream()``.
    init(_ identifier: Int32, on connection: HTTP2Connection, uncountedBytes: Int) {
        self.identifier = identifier
        self.uncountedBytes = uncountedBytes
        self.connection = connection
        loop = connection.loop
        window = Window(byteCount: connection.windowBytes)
    }

    /// Sends the head of a request. Returns false if the connection accepts no more streams.
    func request(_ fields: [HeaderField], endsStream: Bool) -> Bool {
        let identifier = connection.session.submitRequest(fields, for: self, endsStream: endsStream)
        guard identifier > 0 else { return false }
        self.identifier = identifier
        connection.scheduleFlush()
        return true
    }

    /// Sends the head of a response, which the written bytes follow, or that of an interim response.
    func respond(_ head: ResponseHead) {
        guard !isClosed else { return }
        if head.status < 200 {
            connection.session.submitInterim(head.http2Fields, for: self)
        } else {
            connection.session.submitResponse(head.http2Fields, for: self)
        }
        connection.scheduleFlush()
    }

    var isClosed: Bool { state.contains(.closed) }

    // MARK: Writing

    // What the window of the peer does not allow yet is unsent. Frames that the socket can take are sent at the end of the
    // turn, together with those of other streams, and count as accepted.

    var isWriting: Bool { !isClosed && (!unsent.isEmpty || (connection.isBlocked && framedBytes > 0)) }
    var inFlightBytes: Int { isClosed ? 0 : unsent.count + framedBytes }
    /// The connection counts what is in frames.
    var storageBytes: Int { isClosed ? 0 : unsent.storageBytes }
    var unsentBytes: Int { isClosed ? 0 : unsent.count + max(0, framedEnd - connection.arrivedBytes) }

    /// The number of bytes in frames that the kernel has not accepted, with the frames of other streams before them.
    private var framedBytes: Int { max(0, framedEnd - connection.acceptedBytes) }

    func write(_ buffer: inout ByteBuffer) throws(StreamError) {
        guard !isClosed, !buffer.isEmpty else { return }
        if let writeFailure {
            buffer.removeAll()
            throw writeFailure
        }
        guard !isWriting else { return state.formUnion(.waitsForDrain) }
        swap(&buffer, &unsent)
        send()
        // The caller's storage may be lent to it.
        if unsent.isEmpty { swap(&buffer, &unsent) }
    }

    func write(_ shared: SharedBytes, from offset: Int) throws(StreamError) -> Int {
        guard !isClosed else { return 0 }
        if let writeFailure { throw writeFailure }
        guard !isWriting else {
            state.formUnion(.waitsForDrain)
            return 0
        }
        let count = shared.withBytes(from: offset) { bytes in
            let piece = bytes.extracting(first: Self.sharedPieceBytes)
            unsent.append(piece)
            return piece.byteCount
        }
        send()
        if unsent.isEmpty { unsent.releaseStorage(above: 0) }
        return count
    }

    /// Takes further output from `source` whenever the window of the peer has room for it, until `source` appends
    /// nothing. Then, or if frames had to wait for the kernel, ``ByteStreamDelegate/streamDidDrain(_:)`` follows.
    ///
    /// A stream without a window thus holds nothing, however many streams the peer opens.
    func pull(from source: @escaping LingeringClose.Refill) {
        guard !isClosed, self.source == nil, writeFailure == nil else { return }
        self.source = source
        connection.session.resume(identifier)
        connection.scheduleFlush()
    }

    private func refill(atMost byteCount: Int) {
        guard let source else { return }
        var bytes = unsent.takeAll()
        source(&bytes, byteCount)
        guard !isClosed else { return }
        swap(&bytes, &unsent)
        state.insert(.waitsForDrain)
        guard unsent.isEmpty else { return }
        self.source = nil
        // Otherwise, the end follows the frames.
        if !state.contains(.framed) { schedule() }
    }

    private func send() {
        connection.session.resume(identifier)
        connection.produce()
        if isWriting { state.formUnion(.waitsForDrain) }
    }

    func shutdown() {
        guard !isClosed, state.insert(.endsOutput).inserted else { return }
        connection.session.resume(identifier)
        connection.scheduleFlush()
    }

    func close() {
        // RFC 8441 §5: the end of a TCP connection is a stream's END_STREAM, and a TCP reset is RST_STREAM with CANCEL.
        // RFC 9113 §8.1: after a complete response, NO_ERROR asks to stop sending.
        let isComplete = state.contains(.endsOutput) && unsent.isEmpty && connection.session.role.isServer
        close(resettingWith: isComplete ? HTTP2Error.noError : HTTP2Error.cancel)
    }

    /// Rejects a request, which the client may repeat.
    func refuse() { close(resettingWith: HTTP2Error.refusedStream) }

    /// Ends an incomplete response. ``close()`` might complete it.
    func abort() { close(resettingWith: HTTP2Error.internalError) }

    private func close(resettingWith code: UInt32) {
        guard !isClosed else { return }
        let endsGently = unsent.isEmpty && source == nil && [HTTP2Error.noError, HTTP2Error.cancel].contains(code)
        switch ending {
        case .ended where endsGently, .cut where endsGently: shutdown()
        case .failed: break
        case nil, .ended, .cut: if identifier > 0 { connection.session.reset(identifier, code: code) }
        }
        state.insert(.closed)
        state.remove([.reading, .waitsForDrain])
        delegate = nil
        didReceiveHead = nil
        connection.windowBudget?.release(window.byteCount - connection.windowBytes)
        received = ByteBuffer()
        unsent = ByteBuffer()
        source = nil
        connection.ownerDidClose(self)
    }

    /// The number of bytes for the next data frame, at most `maximumBytes`; nil if there are none yet.
    func nextData(maximumBytes: Int) -> (byteCount: Int, endsStream: Bool)? {
        if unsent.isEmpty { refill(atMost: maximumBytes) }
        let endsOutput = state.contains(.endsOutput)
        guard !unsent.isEmpty || endsOutput else { return nil }
        let byteCount = min(unsent.count, maximumBytes)
        return (byteCount, endsOutput && byteCount == unsent.count)
    }

    /// Moves the bytes of a data frame to the output of the connection.
    func moveData(_ byteCount: Int, to output: inout ByteBuffer) {
        let byteCount = min(byteCount, unsent.count)
        unsent.withReadableBytes { output.append($0.extracting(first: byteCount)) }
        unsent.consume(byteCount)
        if source != nil { unsent.releaseStorage(above: 0) }
    }

    /// The bytes of a data frame are in the output of the connection.
    func didFrame() {
        framedEnd = connection.producedBytes
        if state.insert(.framed).inserted { connection.didFrame(self) }
    }

    /// The kernel has accepted the frames. Reports that everything was written, if the delegate waits for it.
    func didWriteFrames() {
        state.remove(.framed)
        reportDrain()
    }

    private func reportDrain() {
        guard state.contains(.waitsForDrain), !state.contains(.framed), !isWriting else { return }
        state.remove(.waitsForDrain)
        unsent.releaseStorage(above: 0)
        delegate?.streamDidDrain(self)
    }

    /// Discards unsent bytes. The delegate is notified at the end of the turn, unless ``write(_:)`` throws the error.
    func failWriting(_ error: StreamError) {
        guard !isClosed, writeFailure == nil else { return }
        writeFailure = error
        unsent = ByteBuffer()
        source = nil
        state.remove(.waitsForDrain)
        state.insert(.hasNewWriteFailure)
        schedule()
    }

    // MARK: Reading

    var peerPresence: PeerPresence {
        switch ending {
        case nil: connection.peerPresence
        case .ended, .cut: .hasEnded
        case .failed: .isGone
        }
    }

    var hasUnreadBytes: Bool { !received.isEmpty }
    /// The request is kept for the log.
    var unreadStorageBytes: Int { isClosed ? 0 : received.storageBytes + request.headBytes }

    func startReading() {
        guard !isClosed, state.insert(.reading).inserted else { return }
        if !received.isEmpty || ending != nil { schedule() }
    }

    func stopReading() {
        state.remove(.reading)
    }

    /// Receives the head of a response.
    func didReceive(_ head: ResponseHead) { didReceiveHead?(head) }

    /// Receives the trailers of a request.
    func didReceive(trailers: HTTP2Head) {
        guard !isClosed else { return }
        requestTrailers = trailers.fields
        request.headBytes += trailers.byteCount
    }

    /// Receives data, which the delegate may modify.
    func receive(_ bytes: inout MutableRawSpan) {
        guard !isClosed else { return }
        guard state.contains(.reading), received.isEmpty else {
            received.append(bytes.bytes)
            delegate?.streamDidKeepInput(self)
            return
        }
        let byteCount = bytes.byteCount
        delegate?.stream(self, didRead: &bytes)
        consume(byteCount)
    }

    /// Ends the peer's side, after the bytes received so far.
    func end(_ ending: Ending) {
        guard !isClosed else { return }
        if case .failed(let error) = ending { failWriting(error) }
        guard self.ending == nil else { return }
        self.ending = ending
        schedule()
    }

    /// Whether its request is so recent that a reset by the client is none of a reader who has lost interest.
    var isYoung: Bool { loop.turnMilliseconds - request.milliseconds < Self.youthMilliseconds }

    private func consume(_ byteCount: Int) {
        window.consumedBytes += byteCount
        window.recent.byteCount += byteCount
        guard !isClosed, ending == nil, window.consumedBytes >= window.byteCount / 8 else { return }
        connection.session.sendWindowUpdate(window.consumedBytes, of: identifier)
        window.consumedBytes = 0
        growWindow()
        connection.scheduleFlush()
    }

    /// Doubles the window if the peer has sent as much within the round-trip time of a distant peer.
    private func growWindow() {
        // Until the peer knows the first size, nghttp2 takes a larger one for a reduction of the default.
        guard let budget = connection.windowBudget, connection.hasAcknowledgedSettings,
            window.recent.byteCount >= window.byteCount
        else { return }
        let elapsed = loop.turnMilliseconds - window.recent.since
        window.recent = (0, loop.turnMilliseconds)
        guard elapsed <= Self.longestRoundTripMilliseconds,
            window.byteCount * 2 <= Int(HTTP2Session.connectionWindowBytes), budget.take(window.byteCount)
        else { return }
        window.byteCount *= 2
        connection.session.setWindow(window.byteCount, of: identifier)
    }

    private func schedule() {
        guard state.insert(.scheduled).inserted else { return }
        loop.atEndOfTurn(self)
    }

    /// Passes bytes that had to wait to the delegate, a part per turn.
    private func deliver() {
        var bytes = received.takeAll()
        let count = min(bytes.count, Self.turnBytes)
        bytes.withMutableReadableBytes { whole in
            var part = whole._mutatingExtracting(0..<count)
            delegate?.stream(self, didRead: &part)
        }
        guard !isClosed else { return }
        bytes.consume(count)
        received = bytes
        consume(count)
        guard received.isEmpty else {
            if state.contains(.reading), state.insert(.scheduled).inserted { loop.atEndOfNextTurn(self) }
            return
        }
        received.releaseStorage(above: 0)
    }

    private func reportEnding() {
        guard let ending else { return }
        // Another delegate that starts reading receives it, too.
        state.remove(.reading)
        switch ending {
        case .ended, .cut: delegate?.streamDidReachEnd(self)
        case .failed(let error): delegate?.stream(self, didFailToRead: error)
        }
    }
}

extension HTTP2Stream: EndOfTurnWork {
    /// Reports what could not be reported at once.
    func endTurn() {
        state.remove(.scheduled)
        if state.contains(.reading), !received.isEmpty { deliver() }
        if state.contains(.reading), received.isEmpty { reportEnding() }
        reportDrain()
        if !isClosed, state.remove(.hasNewWriteFailure) != nil, let writeFailure {
            delegate?.stream(self, didFailToWrite: writeFailure)
        }
    }
}

extension ByteStream {
    /// What the owner of the stream may hold without being counted, in bytes; see ``HeldMemory``.
    var uncountedBytes: Int { (self as? HTTP2Stream)?.uncountedBytes ?? HeldMemory.uncountedBytes }
}
