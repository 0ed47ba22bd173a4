import Conversation
import Formats
import WSCore

/// Speaks an application protocol: turns lines into messages, and messages into events. This stage is next to the
/// connection, for runs with `--protocol`.
///
///     connectionWillStart ─► opening ── ready ──► ready
///                               └── failure, disconnect, timeout ──► over
///
/// With `--protocol auto`, there is no session until the protocol is detected. Until then, messages and lines pass
/// unchanged.
final class ProtocolStage {
    /// The run as the stage sees it.
    protocol Host: AnyObject {
        /// Whether messages may have arrived without being read.
        var isReadingPaused: Bool { get }
        /// Sends a message of the protocol, outside of the handler of the connection.
        /// - Returns: `false` if it cannot be encoded, which has been reported.
        func transmit(_ payload: RawSpan, as kind: MessageKind) -> Bool
        /// Passes on events that no received message caused, outside of the handler of the connection.
        func passOn(_ arrivals: [Arrival])
        /// Called at the end of the turn in which the server has confirmed the login.
        /// - Parameter hasBegun: Whether sending has begun before the protocol was detected.
        func peerBecameReady(hasBegun: Bool)
        /// Called at the end of the turn in which the connection has become useless.
        func applicationFailed(_ failure: Failure)
    }

    /// Something to pass on.
    enum Arrival: Equatable {
        case event(ProtocolEvent)
        /// The received message is passed on unchanged, because it is not understood for this reason, or because there is
        /// no protocol yet.
        case unchanged(reason: String?)
    }

    private enum State {
        case closed
        case opening
        case ready
        /// The connection is useless.
        case over(ApplicationFailure.Cause)
    }

    /// The interval of checks whether reading has resumed.
    private static let pauseInterval = Duration.milliseconds(250)

    private unowned let host: any Host
    private let loop: EventLoop
    private let outputs: ConnectOutputs
    private let readinessTimeout: Duration
    private let awaitsStreams: Bool
    private var selection: ProtocolSelection?
    private var session: (any ProtocolSession)?
    private var state = State.closed
    /// The requested actions of the session; between calls, only before the connection has started.
    private var output = ProtocolOutput()
    /// Fires when the login has taken too long.
    private var readinessTimer: Timer?
    private lazy var timer = Timer(on: loop) { [unowned self] in timerFired() }
    /// When the timer fires, or `nil` if it is not running.
    private var timerTime: UInt64?
    /// Whether data that arrived before the deadline has been read.
    private var hasReadOn = false
    /// Whether the run is still starting the connection, and looks itself whether the server is ready.
    private var isStarting = false
    /// The lines to send after the login, if the protocol was detected after the input had begun.
    private var held: [[UInt8]]?
    /// The numbers of the messages of the command line that must not be sent again on a new connection, because the session
    /// repeats them.
    var renewedMessages: Set<Int> = []
    /// The number of errors that the server has reported.
    private(set) var errorCount = 0

    /// Creates the stage before the first connection.
    /// - Parameters:
    ///   - selection: The protocol, or `nil` to detect it.
    ///   - awaitsStreams: Whether a stream is a request whose reply is its end.
    init(
        _ selection: ProtocolSelection?, readinessTimeout: Duration, awaitsStreams: Bool, outputs: ConnectOutputs,
        on loop: EventLoop, host: any Host
    ) {
        self.selection = selection
        self.readinessTimeout = readinessTimeout
        self.awaitsStreams = awaitsStreams
        self.outputs = outputs
        self.loop = loop
        self.host = host
        begin(with: selection)
    }

    /// The protocol, or `nil` if it has not been detected.
    var descriptor: ApplicationProtocol? { selection?.descriptor }
    /// Whether lines may be sent.
    var isReady: Bool {
        switch state {
        case .ready: true
        case .closed, .opening: session == nil
        case .over: false
        }
    }

    /// Whether the failure of the connection ends with the words of an event.
    func explains(_ event: ProtocolEvent) -> Bool {
        guard case .over(.unusable(let words)) = state else { return false }
        return words.hasSuffix(quoted(String(decoding: event.payload, as: UTF8.self)))
    }

    /// The number of lines that wait for a confirmation of the server, or that it has refused.
    var unsentLineCount: Int { (session?.unsentLineCount ?? 0) + (held?.count ?? 0) }
    /// The unit of the protocol that the received messages have begun and not completed, or `nil` if there is none.
    var incompleteInput: String? { session?.incompleteInput }

    /// Whether lines wait for the login, and their source should pause.
    var holdsLines: Bool { held?.isEmpty == false }

    /// Whether the last line must not be sent again on a new connection, because the session repeats it.
    var renewsLastLine: Bool { session?.renewsLastLine ?? false }

    /// The first words of lines, for completion.
    private var words: [String] { (descriptor?.commands ?? []) + (session?.topics ?? []) }

    private var now: UInt64 { loop.now.nanoseconds }

    /// Continues with another server, or with a protocol that has been detected.
    private func begin(with selection: ProtocolSelection?) {
        self.selection = selection
        session = selection.map {
            let offset = UInt64(clamping: WallTime.now.millisecondsSinceEpoch) &* 1_000_000 &- now
            return $0.makeSession(connection: 1, clockOffset: offset, awaitsStreams: awaitsStreams)
        }
        outputs.protocolName = selection?.descriptor.name
    }

    /// Forgets the session with a server.
    func serverChanged() {
        begin(with: selection)
        renewedMessages = []
    }

    // MARK: Connections

    /// Begins a connection, before anything is received on it.
    func connectionWillStart(target: String, subprotocol: String?) {
        if session == nil { detect(.detected(target: target, subprotocol: subprotocol)) }
        guard let session else { return }
        held = nil
        isStarting = true
        state = .opening
        output.removeAll()
        session.connectionOpened(subprotocol: subprotocol, at: now, &output)
    }

    /// Sends the first messages of a connection. After that, the server may already be ready.
    func connectionStarted() {
        guard session != nil else { return }
        finishCall()
        isStarting = false
        guard case .opening = state else { return }
        let timer = Timer(on: loop) { [unowned self] in fail(.notReady(after: readinessTimeout)) }
        readinessTimer = timer
        timer.start(after: readinessTimeout)
    }

    /// Handles the end of a connection.
    /// - Returns: Why the connection ended, if the protocol has more to say about it.
    func connectionEnded(_ end: ConnectionEnd) -> Failure? {
        defer {
            state = .closed
            readinessTimer = nil
            stopTimer()
        }
        guard let session, end.violation == nil, !end.closing.wasStartedHere else { return nil }
        let frame = end.closing.received
        let meaning = frame?.code.flatMap { session.meaning(of: $0) }
        switch state {
        case .opening: return failure(.ended(frame, meaning: meaning, afterLogin: false))
        case .ready where meaning != nil: return failure(.ended(frame, meaning: meaning, afterLogin: true))
        case .ready, .closed, .over: return nil
        }
    }

    // MARK: Sending

    /// Sends a line.
    /// - Parameter wantsReply: Whether to ask for a reply.
    /// - Returns: The key of the reply, or `nil` if there will be none; and whether the messages of the line
    ///   can be encoded. If not, that has been reported.
    func send(
        _ line: RawSpan, wantsReply: Bool
    ) throws(ProtocolInputError) -> (key: ProtocolEvent.ReplyKey?, isEncoded: Bool) {
        guard let session, let selection else { return (nil, host.transmit(line, as: .text)) }
        if case .opening = state {
            held?.append(line.withUnsafeBytes { Array($0) })
            return (nil, true)
        }
        let line = try ProtocolLine.resolved(line, for: selection.descriptor)
        let key = try session.send(line.span.bytes, wantsReply: wantsReply, at: now, &output)
        return (key, finishCall())
    }

    // MARK: Receiving

    /// Handles a received message.
    /// - Parameter send: Sends a message in answer to it. Returns whether it was sent.
    /// - Returns: The events in it, in order.
    func received(
        _ payload: RawSpan, as kind: MessageKind, send: (RawSpan, MessageKind) -> Bool
    ) -> [Arrival] {
        if session == nil {
            detect(.detected(firstMessage: payload, as: kind))
            beginLate()
        }
        guard let session else { return [.unchanged(reason: nil)] }
        if case .over = state { return [] }
        session.received(payload, as: kind, at: now, &output)
        return carryOut(send)
    }

    private func detect(_ selection: ProtocolSelection?) {
        guard let selection else { return }
        begin(with: selection)
        outputs.console.notice("wsx: detected the protocol \(selection.descriptor.name)")
    }

    /// Begins in the middle of a connection, with its first message.
    private func beginLate() {
        guard let session else { return }
        held = []
        state = .opening
        session.connectionOpened(subprotocol: nil, at: now, &output)
    }

    /// Carries out what a call outside of the connection's handler has caused.
    /// - Returns: Whether all messages can be encoded.
    @discardableResult
    private func finishCall() -> Bool {
        var areEncoded = true
        let arrivals = carryOut { [host] payload, kind in
            let isEncoded = host.transmit(payload, as: kind)
            areEncoded = areEncoded && isEncoded
            return isEncoded
        }
        if !arrivals.isEmpty { host.passOn(arrivals) }
        return areEncoded
    }

    private func carryOut(_ send: (RawSpan, MessageKind) -> Bool) -> [Arrival] {
        let items = output.items
        output.removeAll()
        var arrivals: [Arrival] = []
        var isUnknown = false
        for item in items {
            if case .over = state { break }
            switch item {
            case .send(let message, let kind):
                guard send(message.span.bytes, kind) else { continue }
                outputs.writeSent(protocolMessage: message.span.bytes, as: kind)
            case .event(let event):
                if event.role.isError { errorCount += 1 }
                arrivals.append(.event(event))
            // A message with several such parts is shown once, with the first reason.
            case .unknown where isUnknown: break
            case .unknown(let reason):
                isUnknown = true
                arrivals.append(.unchanged(reason: reason))
            case .ready: becomeReady()
            case .failure(let words): fail(.refused(words, afterLogin: isReady))
            case .disconnect(let words): fail(.unusable(words))
            }
        }
        startTimer()
        return arrivals
    }

    private func becomeReady() {
        guard case .opening = state else { return }
        state = .ready
        readinessTimer = nil
        // Words that the user may type.
        outputs.prompt?.remember(Array(words.joined(separator: " ").utf8).span.bytes)
        if !isStarting { loop.atEndOfTurn(self) }
    }

    private func fail(_ cause: ApplicationFailure.Cause) {
        state = .over(cause)
        readinessTimer = nil
        stopTimer()
        loop.atEndOfTurn(self)
    }

    private func failure(_ cause: ApplicationFailure.Cause) -> Failure {
        .application(ApplicationFailure(name: descriptor?.name ?? "auto", cause: cause))
    }

    // MARK: Time

    /// Starts the timer, unless it fires before the deadline anyway. Most messages therefore start no timer.
    private func startTimer() {
        switch state {
        case .closed, .over: return
        case .opening, .ready: break
        }
        guard let deadline = session?.deadline else { return stopTimer() }
        if let timerTime, timerTime <= deadline { return }
        startTimer(at: deadline)
    }

    private func startTimer(at time: UInt64) {
        timerTime = time
        timer.start(after: .nanoseconds(Int64(clamping: time > now ? time - now : 0)))
    }

    private func stopTimer() {
        guard timerTime != nil else { return }
        timerTime = nil
        timer.stop()
    }

    private func timerFired() {
        timerTime = nil
        guard let session, let deadline = session.deadline else { return }
        let time = now
        guard deadline <= time else {
            hasReadOn = false
            return startTimer(at: deadline)
        }
        // Messages that have arrived are read before the session finds the peer silent.
        guard !host.isReadingPaused else {
            hasReadOn = false
            return startTimer(at: time + Self.pauseInterval.nanoseconds)
        }
        guard hasReadOn else {
            hasReadOn = true
            return startTimer(at: time + 1_000_000)
        }
        hasReadOn = false
        session.timePassed(at: time, &output)
        finishCall()
    }
}

extension ProtocolStage: EndOfTurnWork {
    private func sendHeld(_ line: [UInt8]) {
        do throws(ProtocolInputError) {
            _ = try send(line.span.bytes, wantsReply: false)
        } catch {
            guard outputs.prompt == nil else { return outputs.console.error("a line was not sent: \(error)") }
            host.applicationFailed(.badInput(what: "a line that waited for the login", why: "\(error)"))
        }
    }

    /// Continues or ends the run, which cannot send while it handles a message.
    func endTurn() {
        switch state {
        case .ready:
            let lines = held
            held = nil
            for line in lines ?? [] { sendHeld(line) }
            host.peerBecameReady(hasBegun: lines != nil)
        case .over(let cause): host.applicationFailed(failure(cause))
        case .closed, .opening: break
        }
    }
}
