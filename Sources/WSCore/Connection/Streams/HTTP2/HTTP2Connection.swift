/// An HTTP/2 connection, on a stream such as TCP or TLS (RFC 9113).
///
///      HTTP2Stream ◄──► HTTP2Session ◄──► stream
///
/// The stream below is always read, so that pings are answered while an ``HTTP2Stream`` is paused. A client's connection
/// ends with its last stream. That of a server waits for further requests until a timeout.
internal final class HTTP2Connection {
    /// What a server's connection needs.
    struct ServerContext {
        /// The maximum number of concurrent streams. Further ones are refused.
        let maximumStreams: Int
        /// The time without streams after which the connection is closed.
        let idleTimeout: Duration
        /// The bytes by which windows may grow.
        let windowBudget: HTTP2WindowBudget
        /// Counts what the streams and the connection hold.
        let memory: HeldMemory?
        /// A request has arrived, with the size of its head in bytes, or a head that cannot be read.
        let didReceiveRequest: (HTTP2Stream, Result<RequestHead, HTTPHeadError>, _ byteCount: Int) -> Void
        /// The first stream has begun, or the last one has ended. A new connection is idle.
        let didChangeIdleness: (_ isIdle: Bool) -> Void
        /// The connection is closed, perhaps because of a violation.
        let didEnd: (HTTP2Connection, _ violation: HTTP2Error?) -> Void
    }

    private(set) lazy var session = HTTP2Session(role, of: self, limits: limits)
    private let stream: any ByteStream
    private let role: HTTP2Session.Role
    private let limits: HeadLimits
    /// Nil for a client.
    private let server: ServerContext?
    /// The streams that the session may refer to.
    private var streams: [ObjectIdentifier: HTTP2Stream] = [:]
    /// The streams with frames that the kernel has not accepted.
    private var framedStreams: [HTTP2Stream] = []
    /// The number of streams that their owners have not closed.
    private var openCount = 0
    /// The peer's GOAWAY.
    var goAway: HTTP2Error?
    private var phase = Phase.open
    /// Called when the peer's settings arrive; nil afterwards.
    private var readyActions: [() -> Void]? = []
    private var state: State = []
    /// The number of consumed bytes that no WINDOW_UPDATE has announced yet.
    private var consumedBytes = 0
    /// The number of bytes passed to the stream below.
    private var writtenBytes = 0
    private var idleTimer: Timer?

    /// The steps of its life, in order.
    private enum Phase: Comparable {
        case open
        /// The connection ends after its last stream.
        case draining
        /// The stream below is closed, or about to be.
        case over
    }

    private struct State: OptionSet {
        let rawValue: UInt8

        static let hasReceivedBytes = State(rawValue: 1 << 0)
        /// nghttp2 is processing input or producing output, and must not be entered.
        static let busy = State(rawValue: 1 << 1)
        /// ``endTurn()`` will be called.
        static let scheduled = State(rawValue: 1 << 2)
        /// The connection of a client waits for further streams.
        static let keptOpen = State(rawValue: 1 << 3)
        /// The peer has acknowledged our settings, such as the size of windows.
        static let acknowledged = State(rawValue: 1 << 4)
        /// ``HeldMemory`` counts the output.
        static let counted = State(rawValue: 1 << 5)
    }

    /// The maximum number of streams of a client that has not acknowledged the settings. Its windows may be larger.
    private static let maximumUnacknowledgedStreams = 100

    /// Prepares the connection of a client, or of a server, which takes over the stream.
    /// - Parameter limits: The limits for heads. Default: ``HeadLimits/client`` or ``HeadLimits/server``.
    init(_ stream: any ByteStream, server: ServerContext? = nil, limits: HeadLimits? = nil) {
        self.stream = stream
        self.server = server
        self.limits = limits ?? (server == nil ? .client : .server)
        role = server.map { .server(maximumStreams: $0.maximumStreams) } ?? .client
    }

    /// Sends the preface and the settings.
    /// - Parameter firstBytes: Bytes that the layer below read beyond its own handshake.
    func start(with firstBytes: [UInt8] = []) {
        stream.delegate = self
        if let server {
            let timer = Timer(on: loop) { [unowned self] in drain() }
            timer.start(after: server.idleTimeout)
            idleTimer = timer
        }
        stream.startReading()
        flush()
        guard !firstBytes.isEmpty else { return }
        var firstBytes = firstBytes
        firstBytes.withUnsafeMutableBytes { receive($0) }
    }

    /// Creates a stream. It notices the end of the connection even before its request.
    /// - Parameter identifier: The stream's number; 0 before a request is sent.
    func makeStream(_ identifier: Int32 = 0) -> HTTP2Stream {
        openCount += 1
        let stream = HTTP2Stream(
            identifier, on: self, uncountedBytes: HeldMemory.uncountedBytes(amongStreams: openCount))
        streams[ObjectIdentifier(stream)] = stream
        if openCount == 1 { server?.didChangeIdleness(false) }
        return stream
    }

    /// Calls `body` when the peer's settings have arrived.
    func whenReady(_ body: @escaping () -> Void) {
        guard readyActions != nil else { return body() }
        readyActions?.append(body)
    }

    /// Whether a client can open further streams.
    var acceptsStreams: Bool { phase == .open && goAway == nil }

    /// Lets the connection of a client wait for further streams after its last one, or ends that.
    func keepOpen(_ keepsOpen: Bool) {
        if keepsOpen {
            state.insert(.keptOpen)
        } else {
            state.remove(.keptOpen)
            closeIfUnused()
        }
    }

    /// Accepts no further streams, and ends the connection with the last one.
    func drain() {
        guard phase == .open else { return }
        phase = .draining
        // Without streams, the connection ends with GOAWAY at once.
        if openCount > 0 { session.sendGoAway() }
        scheduleFlush()
    }

    var loop: EventLoop { stream.loop }
    var peerPresence: PeerPresence { stream.peerPresence }
    /// The first size of the window of a stream.
    var windowBytes: Int { Int(role.windowBytes) }
    /// Whether the peer has acknowledged our settings, such as the size of windows.
    var hasAcknowledgedSettings: Bool { state.contains(.acknowledged) }
    /// The bytes by which windows may grow; nil for clients, which have large windows from the start.
    var windowBudget: HTTP2WindowBudget? { server?.windowBudget }

    // MARK: Sending

    /// The number of bytes produced so far.
    var producedBytes: Int { writtenBytes + session.output.count }
    /// The number of bytes that the kernel has accepted.
    var acceptedBytes: Int { writtenBytes - stream.inFlightBytes }
    /// The number of bytes that have reached the peer's side.
    var arrivedBytes: Int { writtenBytes - stream.unsentBytes }
    /// Whether the kernel takes no more bytes now.
    var isBlocked: Bool { stream.isWriting }

    /// Writes the produced frames at the end of the turn.
    func scheduleFlush() {
        if phase != .over, state.insert(.scheduled).inserted { loop.atEndOfTurn(self) }
    }

    /// Produces frames, and writes them at the end of the turn.
    func produce() {
        scheduleFlush()
        guard phase != .over, !state.contains(.busy) else { return }
        state.insert(.busy)
        session.produce()
        state.remove(.busy)
    }

    /// Writes as many frames as the stream below accepts.
    private func flush() {
        guard phase != .over, !state.contains(.busy) else { return }
        state.insert(.busy)
        var failure: StreamError?
        while !stream.isWriting {
            session.produce()
            guard !session.output.isEmpty else { break }
            let byteCount = session.output.count
            do throws(StreamError) {
                try stream.write(&session.output)
            } catch {
                failure = error
                break
            }
            writtenBytes += byteCount - session.output.count
        }
        state.remove(.busy)
        if let failure { return failWriting(failure) }
        if !stream.isWriting { reportAcceptance() }
        countMemory()
    }

    /// A stream has frames in the output.
    func didFrame(_ stream: HTTP2Stream) { framedStreams.append(stream) }

    private func reportAcceptance() {
        let streams = framedStreams
        framedStreams = []
        for stream in streams { stream.didWriteFrames() }
    }

    private func failWriting(_ error: StreamError) {
        session.output.removeAll()
        framedStreams = []
        for stream in streams.values { stream.failWriting(error) }
    }

    // MARK: Receiving

    private func receive(_ bytes: UnsafeMutableRawBufferPointer) {
        guard phase != .over else { return }
        // RFC 9113 §3.4: the first frame of a server is SETTINGS. None is longer than 64 KiB.
        if state.insert(.hasReceivedBytes).inserted, !role.isServer, bytes.first != 0 {
            return fail(.notHTTP2(preview: Array(bytes.prefix(64))))
        }
        state.insert(.busy)
        session.receive(bytes)
        session.produce()
        state.remove(.busy)
        if session.isOver { return becomeOver() }
        scheduleFlush()
        closeIfUnused()
    }

    /// Nothing more can be received, because of a violation or a GOAWAY.
    private func becomeOver() {
        phase = max(phase, .draining)
        // A server's streams have ended unless there is a violation.
        if let violation = session.violation {
            fail(goAway ?? violation)
        } else if !role.isServer {
            fail(goAway ?? .goAway(code: HTTP2Error.noError, debugData: ""))
        }
        flush()
        closeIfUnused()
    }

    private func fail(_ error: HTTP2Error) { end(.failed(.protection(error))) }

    private func end(_ ending: HTTP2Stream.Ending) {
        phase = max(phase, .draining)
        stream.stopReading()
        for stream in streams.values { stream.end(ending) }
        closeIfUnused()
    }

    // MARK: Events of the session

    /// The peer applies our settings.
    func didAcknowledgeSettings() { state.insert(.acknowledged) }

    func didReceiveSettings() {
        guard let actions = readyActions else { return }
        readyActions = nil
        for action in actions { action() }
    }

    /// A request has arrived.
    func didReceiveRequest(_ head: HTTP2Head, on stream: HTTP2Stream) {
        idleTimer?.stop()
        stream.request = (head.listBytes, loop.turnMilliseconds)
        // RFC 9113 §5.1.2.
        guard let server, openCount <= server.maximumStreams,
            hasAcknowledgedSettings || openCount <= Self.maximumUnacknowledgedStreams
        else { return stream.refuse() }
        if let error = head.error {
            server.didReceiveRequest(stream, .failure(error), head.byteCount)
        } else if let request = head.request {
            server.didReceiveRequest(stream, .success(request), head.byteCount)
        }
    }

    /// Receives data. The window of the connection never waits for a stream: those of the streams bound what they hold.
    func didReceiveData(_ bytes: UnsafeMutableRawBufferPointer, on target: HTTP2Stream?) {
        consumedBytes += bytes.count
        if consumedBytes >= Int(HTTP2Session.connectionWindowBytes) / 8 {
            session.sendWindowUpdate(consumedBytes, of: 0)
            consumedBytes = 0
        }
        var span = bytes.mutableBytes
        target?.receive(&span)
    }

    /// The frames of a stream have ended, so the session no longer refers to it.
    func didEnd(_ stream: HTTP2Stream, code: UInt32) {
        streams[ObjectIdentifier(stream)] = nil
        if code == HTTP2Error.noError { session.cancellationCount = 0 }
        // RFC 9113 §8.1: NO_ERROR after a complete response asks to stop sending.
        if let failure = stream.failure {
            stream.end(.failed(.protection(failure)))
        } else if code != HTTP2Error.noError {
            stream.end(.failed(.protection(goAway ?? HTTP2Error.reset(code: code))))
        } else {
            stream.end(.cut)
        }
    }

    // MARK: Closing

    /// The owner of a stream has closed it.
    func ownerDidClose(_ stream: HTTP2Stream) {
        // Its reset, or its end.
        scheduleFlush()
        openCount -= 1
        // The session may refer to others until their frames have ended.
        if stream.identifier == 0 || phase == .over { streams[ObjectIdentifier(stream)] = nil }
        guard openCount == 0 else { return }
        if let server {
            server.didChangeIdleness(true)
            idleTimer?.start(after: server.idleTimeout)
        }
        closeIfUnused()
    }

    /// Closes the connection after its last stream.
    private func closeIfUnused() {
        guard openCount == 0, phase != .over, !state.contains(.busy) else { return }
        // A server waits for further streams, and so does a client that is kept open.
        guard phase != .open || (server == nil && !state.contains(.keptOpen)) else { return }
        // Also while a write is in progress, which LingeringClose continues.
        produce()
        session.terminate()
        produce()
        flush()
        close()
    }

    private func close() {
        phase = .over
        idleTimer = nil
        streams = [:]
        framedStreams = []
        if state.remove(.counted) != nil { server?.memory?.remove(self) }
        guard let server else { return stream.close() }
        // The client may still send, such as window updates, and a reset would destroy the last output.
        var output = ByteBuffer()
        swap(&output, &session.output)
        _ = LingeringClose(stream, output: output, closesOwnSide: true, memory: server.memory) { [self] _, _ in
            server.didEnd(self, session.violation)
        }
    }
}

extension HTTP2Connection: EndOfTurnWork {
    func endTurn() {
        state.remove(.scheduled)
        flush()
        closeIfUnused()
    }
}

extension HTTP2Connection: ByteStreamDelegate {
    func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {
        bytes.withUnsafeMutableBytes { receive($0) }
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        switch goAway {
        case _ where !state.contains(.hasReceivedBytes): fail(.closedBeforeSettings)
        case nil, .goAway(HTTP2Error.noError, _)?:
            // A client that has left does not read the rest of a response.
            if role.isServer {
                for stream in streams.values where stream.ending != nil {
                    stream.failWriting(.system(.connectionReset))
                }
            }
            end(.cut)
        case let goAway?: fail(goAway)
        }
    }

    func streamDidDrain(_ stream: any ByteStream) { flush() }

    func stream(_ stream: any ByteStream, didFailToRead error: StreamError) {
        end(.failed(goAway.map { .protection($0) } ?? error))
    }

    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) { failWriting(error) }
}

// The frames that the client has not taken. What streams have not framed is counted by their owners.
extension HTTP2Connection: MemoryHolder {
    private func countMemory() {
        guard let memory = server?.memory, phase != .over, stream.isWriting || state.contains(.counted) else { return }
        if memory.update(self) { state.insert(.counted) } else { state.remove(.counted) }
    }

    var uncountedBytes: Int { HeldMemory.uncountedBytes }
    var incompleteBytes: Int { 0 }
    var outputBytes: Int { session.output.storageBytes + stream.storageBytes }
    var movedBytes: Int { arrivedBytes }

    func freeMemory() {
        let violation = HTTP2Error.violation(reason: "the client does not read, and memory is scarce")
        session.violation = session.violation ?? violation
        fail(violation)
    }
}
