import Conversation
import Formats
import WSCore

/// Speaks an application protocol: turns lines into messages, and messages into events. This stage is next to the
/// connection, for runs with `--protocol`.
///
///     connectionWillStart ─► starting ─► opening ── ready ──► ready
///                                           └── failure, disconnect, close, timeout ──► over
///
/// With `--protocol auto`, there is no session until the protocol is detected. Until then, messages and lines pass
/// unchanged.
final class ProtocolStage {
    private enum State {
        case closed
        /// The run is still starting the connection, and looks itself whether the server is ready.
        case starting
        /// The server has to confirm the login before the timer fires.
        case opening(Timer)
        case ready
        /// The connection is useless.
        case over(ProtocolProblem, wasReady: Bool)
    }

    private unowned let host: any Host
    private let loop: EventLoop
    private let outputs: ConnectOutputs
    private let readinessTimeout: Duration
    private let awaitsReplies: Bool
    private var selection: ProtocolSelection?
    private var session: (any ProtocolSession)?
    private var state = State.closed
    /// The requested actions of the session; between calls, only before the connection has started.
    private var output = ProtocolOutput()
    /// Lets time pass for the session. Messages that have arrived are read before it finds the peer silent.
    private lazy var timer = DeadlineTimer(on: loop) { [unowned self] in
        session?.deadline
    } isReadingPaused: { [unowned self] in
        host.isReadingPaused
    } action: { [unowned self] in
        timePassed()
    }
    private var unsent = UnsentLines()
    /// Limits the time in which a session that takes no more lines neither sends nor drops any, or `nil` if it takes
    /// lines. The input is paused meanwhile, so its end is not seen.
    private var fullTimer: Timer?
    /// The numbers of the messages of the command line that must not be sent again on a new connection, because the session
    /// repeats them.
    private var renewedMessages: Set<Int> = []
    /// The number of errors that the server has reported: in replies and events, and as refusals of what a line asked for.
    private(set) var errorCounts = (replies: 0, refusals: 0)
    /// When the last line was sent.
    private var lastLineTime = Duration.zero

    /// Creates the stage before the first connection.
    /// - Parameters:
    ///   - selection: The protocol, or `nil` to detect it.
    ///   - awaitsReplies: Whether a line whose reply is wanted must have one, as opposed to any line at the prompt. The
    ///     reply to a stream is its end.
    init(
        _ selection: ProtocolSelection?, readinessTimeout: Duration, awaitsReplies: Bool, outputs: ConnectOutputs,
        on loop: EventLoop, host: any Host
    ) {
        self.selection = selection
        self.readinessTimeout = readinessTimeout
        self.awaitsReplies = awaitsReplies
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
        case .closed, .starting, .opening: session == nil
        case .over: false
        }
    }

    /// Whether the failure of the connection contains an event.
    func explains(_ event: ProtocolEvent) -> Bool {
        // An end that has already begun ends the run for its own reason.
        guard event.endsConnection, !host.isClosing else { return false }
        return switch state {
        case .over(.unusable, _), .over(.refusedLine, _): true
        case .over, .closed, .starting, .opening, .ready: false
        }
    }

    /// The number of lines that wait until the server has confirmed the login or a subscription.
    var waitingLineCount: Int { unsent.waitingCount }
    /// Whether so many lines wait that their source should pause.
    var isFull: Bool { unsent.hasQueued || session?.isFull ?? false }

    /// The lines that were not sent, or that wait, as a failure. `nil` if there are none.
    var unsentLines: ApplicationFailure? {
        problemOfUnsentLines.map(failure)
    }

    private var problemOfUnsentLines: ProtocolProblem? {
        unsent.summary(waitingFor: waitsFor).map {
            .unsentLines($0.count, $0.cause, mayHaveArrived: $0.mayHaveArrived)
        }
    }

    /// What lines wait for.
    private var waitsFor: ProtocolProblem.UnsentCause {
        switch state {
        case .ready, .over(_, wasReady: true): .subscription
        case .closed, .starting, .opening, .over: .login
        }
    }

    /// The failure for unconfirmed lines of the last connection, or `nil` if all are confirmed.
    var unconfirmedLines: ApplicationFailure? {
        unsent.unconfirmedCount > 0 ? failure(.unconfirmedLines(unsent.unconfirmedCount)) : nil
    }

    /// Whether the server still has to confirm lines, for at most as long as a login may take.
    var awaitsConfirmation: Bool {
        session?.unconfirmedCount ?? 0 > 0 && loop.now - lastLineTime < readinessTimeout
    }

    /// Counts a line that will not be sent.
    /// - Parameter mayHaveArrived: Whether it may have been sent on an earlier connection.
    func dropLine(because cause: ProtocolProblem.UnsentCause, mayHaveArrived: Bool = false) {
        unsent.drop(1, because: cause, mayHaveArrived: mayHaveArrived)
    }

    /// Counts lines of the last connection that will not be sent.
    func drop(_ lines: [UnconfirmedLines.Line], because cause: ProtocolProblem.UnsentCause) {
        unsent.drop(lines.count, because: cause, mayHaveArrived: lines.contains { $0.wasSent })
    }

    /// The unit of the protocol that the received messages have begun and not completed, or `nil` if there is none.
    var incompleteInput: String? { session?.incompleteInput }

    /// Whether a message of the command line must not be sent on this connection, because the session has repeated it.
    func hasRenewed(message number: Int) -> Bool { renewedMessages.contains(number) }

    /// The first words of lines, for completion.
    private var words: [String] { (descriptor?.commands ?? []) + (session?.topics ?? []) }

    private var now: UInt64 { loop.now.nanoseconds }

    /// Continues with another server, or with a protocol that has been detected.
    private func begin(with selection: ProtocolSelection?) {
        self.selection = selection
        session = selection.map {
            let offset = UInt64(clamping: WallTime.now.millisecondsSinceEpoch) &* 1_000_000 &- now
            return $0.makeSession(connection: 1, clockOffset: offset, awaitsStreams: awaitsReplies)
        }
        outputs.protocolName = selection?.descriptor.name
    }

    /// Forgets the session with a server.
    func serverChanged() {
        begin(with: selection)
        unsent = UnsentLines()
        renewedMessages = []
        errorCounts = (0, 0)
    }

    // MARK: Connections

    /// Begins a connection, before anything is received on it.
    func connectionWillStart(url: WebSocketURL, subprotocol: String?) {
        if session == nil { detect(.detected(url: url, subprotocol: subprotocol)) }
        guard let session else { return }
        unsent.connectionStarted()
        state = .starting
        output.removeAll()
        session.connectionOpened(subprotocol: subprotocol, at: now, &output)
    }

    /// Sends the first messages of a connection. After that, the server may already be ready.
    func connectionStarted() {
        guard session != nil else { return }
        finishCall()
        if case .starting = state { awaitReadiness() }
    }

    private func awaitReadiness() {
        let timer = Timer(on: loop) { [unowned self] in fail(.notReady(after: readinessTimeout)) }
        timer.start(after: readinessTimeout)
        state = .opening(timer)
    }

    /// Handles the end of a connection, after which no line waits.
    /// - Parameter reconnects: Whether another connection may follow.
    /// - Returns: Why the connection ended, if the protocol has more to say about it; and the input lines that waited,
    ///   which the caller keeps or drops.
    func connectionEnded(
        _ end: ConnectionEnd, reconnects: Bool
    ) -> (failure: Failure?, lines: [UnconfirmedLines.Line], waitedFor: ProtocolProblem.UnsentCause) {
        let failure = failure(because: end, reconnects: reconnects)
        let waitedFor = waitsFor
        let lines = unsent.connectionEnded(waitingFor: waitedFor)
        switch state {
        case .ready, .over(_, wasReady: true): unsent.unconfirmedCount = session?.unconfirmedCount ?? 0
        case .closed, .starting, .opening, .over: break
        }
        state = .closed
        timer.stop()
        fullTimer = nil
        return (failure, lines, waitedFor)
    }

    private func failure(because end: ConnectionEnd, reconnects: Bool) -> Failure? {
        guard let session, end.violation == nil, !end.closing.wasStartedHere else { return nil }
        let frame = end.closing.received
        let isNormal = frame.map { $0.code == nil || $0.code == .normalClosure } ?? false
        let meaning = frame?.code.flatMap { session.meaning(of: $0) }
        switch state {
        case .starting, .opening: return .application(failure(.ended(frame, meaning: meaning, afterLogin: false)))
        case .ready where meaning != nil:
            return .application(failure(.ended(frame, meaning: meaning, afterLogin: true)))
        case .ready where isNormal && reconnects && session.endsWithMessage:
            return .application(failure(.unusable("the server closed it without ending the session")))
        // The connection has ended in the turn of the message.
        case .over(let problem, _):
            let failure = failure(problem)
            return failure.isNormalEnd(reconnects: reconnects) ? nil : .application(failure)
        case .ready, .closed: return nil
        }
    }

    // MARK: Sending

    /// Sends a line. A line of the input may have to wait before the session takes it.
    /// - Parameters:
    ///   - wantsReply: Whether to ask for a reply.
    ///   - isAgain: Whether the line was already sent on a lost connection.
    ///   - number: The number of the command-line message, or `nil` for other lines.
    ///   - typed: The number of the request that the line is at the prompt, or `nil` for other lines.
    /// - Returns: What happens to the line, and the key of its reply, or `nil` if there will be none.
    func send(
        _ line: RawSpan, wantsReply: Bool, again isAgain: Bool, message number: Int?, typed: Int? = nil
    ) throws(ProtocolInputError) -> (delivery: Delivery, key: ProtocolEvent.ReplyKey?) {
        guard let session else {
            host.transmit(line, as: .text)
            return (.sent(confirmedBy: .pong), nil)
        }
        let line = line.withUnsafeBytes { Array($0) }
        if number == nil, !wantsReply, isFull || !isReady {
            unsent.enqueue(line, wasSent: isAgain)
            limitFullTime(of: session)
            return (.waiting, nil)
        }
        return try pass(line, to: session, wantsReply: wantsReply, again: isAgain, message: number, typed: typed)
    }

    /// Ends the run if the session stays full for as long as a login may take.
    private func limitFullTime(of session: any ProtocolSession) {
        guard fullTimer == nil, isReady, session.isFull else { return }
        let timer = Timer(on: loop) { [unowned self] in
            if let problem = problemOfUnsentLines { fail(problem) }
        }
        timer.start(after: readinessTimeout)
        fullTimer = timer
    }

    private func pass(
        _ line: [UInt8], to session: any ProtocolSession, wantsReply: Bool = false, again isAgain: Bool,
        message number: Int? = nil, typed: Int? = nil
    ) throws(ProtocolInputError) -> (delivery: Delivery, key: ProtocolEvent.ReplyKey?) {
        lastLineTime = loop.turnTime
        let resolved = descriptor?.readsFiles == true ? try ProtocolLine.resolved(line) : line
        let key = try session.send(resolved.span.bytes, wantsReply: wantsReply, at: now, &output)
        if key == nil, wantsReply, awaitsReplies, let reason = descriptor?.missingReplyReason {
            output.removeAll()
            throw ProtocolInputError(reason)
        }
        let confirmation = session.lastConfirmation(key: key)
        var delivery = confirmation == .renewal ? Delivery.renewed : .sent(confirmedBy: confirmation)
        if let number, session.renewsLastLine { renewedMessages.insert(number) }
        if let number { unsent.operandSent(number) }
        for case .lineWaits(let waitingNumber) in output.items {
            let origin: UnsentLines.Origin =
                if key != nil, let typed {
                    .typed(typed, wasSent: isAgain)
                } else if key != nil {
                    .request
                } else if let number {
                    .operand(number)
                } else {
                    .input(wasSent: isAgain)
                }
            unsent.hold(waitingNumber, line, origin, confirmedBy: confirmation)
            delivery = .waiting
        }
        finishCall()
        return (delivery, key)
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
        return performActions(send)
    }

    private func detect(_ selection: ProtocolSelection?) {
        guard let selection else { return }
        begin(with: selection)
        outputs.console.notice("wsx: detected the protocol \(selection.descriptor.name)")
    }

    /// Begins in the middle of a connection, with its first message.
    private func beginLate() {
        guard let session else { return }
        awaitReadiness()
        session.connectionOpened(subprotocol: nil, at: now, &output)
    }

    /// Performs what a call outside of the connection's handler has caused.
    private func finishCall() {
        let arrivals = performActions { [unowned self] payload, kind in
            host.transmit(payload, as: kind)
            return true
        }
        if !arrivals.isEmpty { host.passOn(arrivals) }
    }

    private func performActions(_ send: (RawSpan, MessageKind) -> Bool) -> [Arrival] {
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
                count(event)
                if let key = event.confirmedKey { host.lineConfirmed(by: key) }
                arrivals.append(.event(event))
            // A message with several such parts is shown once, with the first reason.
            case .unknown where isUnknown: break
            case .unknown(let reason):
                isUnknown = true
                arrivals.append(.unchanged(reason: reason))
            case .ready: becomeReady()
            case .failure(let words, let isAboutLogin):
                fail(.refused(words, afterLogin: isReady, isAboutLogin: isAboutLogin))
            case .disconnect(let words): fail(.unusable(words))
            case .lineRefused(let words): fail(.refusedLine(words))
            case .close(let code, let message):
                fail(.ended(CloseFrame(code: code), meaning: message, afterLogin: isReady))
            case .lineWaits: break
            // The closing connection discards its messages, so the line still counts as waiting.
            case .lineSent where host.isClosing: break
            case .lineSent(let number):
                if let (line, confirmation) = unsent.sent(number) {
                    host.sent(waitingLine: line, confirmedBy: confirmation)
                }
                fullTimer = nil
                loop.atEndOfTurn(self)
            case .renewed(let topic): host.renewed(topic)
            case .linesDropped(let numbers):
                let count = unsent.drop(numbers)
                if count > 0 { arrivals.append(.droppedLines(count)) }
                fullTimer = nil
                loop.atEndOfTurn(self)
            }
        }
        switch state {
        case .starting, .opening, .ready: timer.update()
        case .closed, .over: break
        }
        return arrivals
    }

    private func count(_ event: ProtocolEvent) {
        if event.isRefusal { errorCounts.refusals += 1 } else if event.role.isError { errorCounts.replies += 1 }
    }

    private func becomeReady() {
        switch state {
        case .starting: break
        case .opening: loop.atEndOfTurn(self)
        case .closed, .ready, .over: return
        }
        state = .ready
        // Words that the user may type.
        outputs.prompt?.remember(Array(words.joined(separator: " ").utf8).span.bytes)
    }

    private func fail(_ problem: ProtocolProblem) {
        state = .over(problem, wasReady: isReady)
        timer.stop()
        loop.atEndOfTurn(self)
    }

    /// The failure of the protocol because of a problem.
    func failure(_ problem: ProtocolProblem) -> ApplicationFailure {
        ApplicationFailure(name: descriptor?.name ?? ProtocolChoice.automaticName, problem: problem)
    }

    private func timePassed() {
        session?.timePassed(at: now, &output)
        finishCall()
    }
}

extension ProtocolStage: EndOfTurnWork {
    /// Continues or ends the run, after the messages of the same read: they answer nothing that is sent now.
    func endTurn() {
        switch state {
        case .ready:
            if !host.isClosing { sendQueued() }
            host.peerBecameReady()
        case .over(let problem, _): host.applicationFailed(.application(failure(problem)))
        case .closed, .starting, .opening: break
        }
    }

    /// Sends the lines that have waited until the session takes them.
    private func sendQueued() {
        guard let session else { return }
        while !session.isFull, let line = unsent.dequeue() {
            do throws(ProtocolInputError) {
                _ = try pass(line.payload, to: session, again: line.wasSent)
            } catch {
                host.waitingLineFailed(error)
            }
        }
        if unsent.hasQueued { limitFullTime(of: session) }
    }
}
