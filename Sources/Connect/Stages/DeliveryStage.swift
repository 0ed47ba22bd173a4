import Conversation
import Formats
import Peer
import UserInterface
import WSCore

/// Delivers what the peer says to the outputs: finds out what a message is (hidden, a greeting, a reply, or none of
/// them), writes it, and counts it.
///
///     ConnectRun ─► [hidden] ─► [held until the pong] ─► LineQueue (reply?) ─► ConnectOutputs ─► RunState (goal met?)
final class DeliveryStage {
    /// Set before the first call.
    unowned var run: ConnectRun!
    private let lines: LineStage
    private let outputs: ConnectOutputs
    /// The conditions of messages that are neither written nor counted, with `--hide`.
    private var hiding: [MessageCondition]
    /// The conditions of messages after which the connection is left, with `--reconnect-when`.
    private let reconnectConditions: [MessageCondition]
    /// The condition that a message of the connection has met, as typed, or `nil` if none has.
    private var metReconnectCondition: String?
    /// Limits the time without messages on the current connection, or `nil` without `--stale`.
    private var staleTimer: InactivityTimer?
    /// Tells replies from greetings on the current connection, or `nil` if nothing depends on it.
    private(set) var replies: ReplyCount?
    /// Limits the wait for the pong of ``replies`` while it tells greetings from replies. Otherwise `nil`.
    private var greetingTimer: DeadlineTimer?
    /// Whether the current connection is the first one to the server.
    private var isFirst = true

    init(
        hiding hidden: HiddenMessages, reconnectingAt reconnectConditions: [MessageCondition], _ lines: LineStage,
        _ outputs: ConnectOutputs
    ) {
        hiding = hidden.compiled.concerning()
        self.reconnectConditions = reconnectConditions
        self.lines = lines
        self.outputs = outputs
        hidden.didChange = { [unowned self, unowned hidden] in hiding = hidden.compiled.concerning() }
    }

    // MARK: Messages

    /// Keeps what the user or the next messages may refer to.
    @inline(__always)
    private func remember(_ payload: RawSpan, as kind: MessageKind, of run: ConnectRun) {
        run.stages.writer?.received(payload)
        if kind == .text { outputs.prompt?.remember(payload) }
    }

    /// Shows a message of the login.
    func deliver(login payload: RawSpan, as kind: MessageKind, of run: ConnectRun) {
        remember(payload, as: kind, of: run)
        if !reconnectConditions.isEmpty { checkReconnectConditions(payload, payload) }
        outputs.page?.events.writeMessage(payload, as: kind)
        outputs.show(unwritten: payload, as: kind)
    }

    /// Finds out whether the connection is to be left. The parameters are those of
    /// ``MessageCondition/matches(_:payload:)``.
    private func checkReconnectConditions(_ text: RawSpan, _ payload: RawSpan) {
        guard metReconnectCondition == nil,
            let condition = reconnectConditions.first(where: { $0.matches(text, payload: payload) })
        else {
            return
        }
        metReconnectCondition = condition.source
        // The message is delivered first, with those of the same read: it may meet a goal.
        run.loop.atEndOfTurn(self)
    }

    /// Checks whether a message that counts meets the run's goal. The parameters are those of ``RunState``.
    @inline(__always)
    private func count(
        _ text: RawSpan, payload: RawSpan, isOmitted: Bool, isReply: Bool = true, isGreeting: Bool = false,
        of run: ConnectRun
    ) -> Bool {
        staleTimer?.messageArrived()
        return run.state.receive(
            text, payload: payload, isOmitted: isOmitted, isReply: isReply, isGreeting: isGreeting)
    }

    /// Writes a message that is no part of an application protocol, or holds it until it is known whether it is a reply.
    /// - Parameters:
    ///   - decoding: How it was decoded, or `nil` if it is as received.
    ///   - mayBeReply: Whether it may be a reply, as opposed to a message that has been answered.
    ///   - run: The run. Reading it from the stage would cost reference counting for each message.
    /// - Returns: Whether it meets the run's goal.
    @inline(__always)
    func deliver(
        _ payload: RawSpan, as kind: MessageKind, _ decoding: Decoding?, mayBeReply: Bool = true, of run: ConnectRun
    ) -> Bool {
        remember(payload, as: kind, of: run)
        guard greetingTimer != nil else {
            return take(payload, as: kind, decoding, mayBeReply: mayBeReply, of: run)
        }
        return tell(payload, as: kind, decoding, mayBeReply: mayBeReply)
    }

    /// Writes a message. The parameters are those of `deliver`.
    /// - Parameters:
    ///   - isGreeting: Whether it was sent before the peer had read a message.
    ///   - time: When it arrived, or `nil` for now.
    private func take(
        _ payload: RawSpan, as kind: MessageKind, _ decoding: Decoding?, mayBeReply: Bool, isGreeting: Bool = false,
        at time: Duration? = nil, of run: ConnectRun
    ) -> Bool {
        if !reconnectConditions.isEmpty { checkReconnectConditions(payload, payload) }
        if hides(payload, payload) {
            // Only an id says that a hidden message is a reply. By order, any message would be.
            if mayBeReply, let matching = lines.queue.settings.matching, matching != .order {
                _ = lines.received(payload, at: time)
            }
            outputs.show(hidden: payload, as: kind)
            return false
        }
        let isWritten: Bool
        // A greeting after a reconnect is none.
        var isReply = mayBeReply && (isFirst || run.current?.hasBegunSending ?? false)
        if lines.areRequests {
            let finding = mayBeReply ? lines.received(payload, at: time) : .push
            isWritten = write(payload, as: kind, finding, decoding)
            isReply = finding.reply != nil
        } else {
            isWritten = outputs.write(payload, as: kind, decoding: decoding)
        }
        return count(
            payload, payload: payload, isOmitted: !isWritten, isReply: isReply, isGreeting: isGreeting, of: run)
    }

    /// Writes a message, and reports a late reply.
    /// - Returns: Whether the message was written, as opposed to omitted.
    private func write(
        _ payload: RawSpan, as kind: MessageKind, _ finding: LineQueue.Finding, _ decoding: Decoding?
    ) -> Bool {
        switch finding {
        case .push: return outputs.write(push: payload, as: kind, decoding: decoding)
        case .reply(let reply): return outputs.write(payload, as: kind, reply: reply, decoding: decoding)
        case .lateReply(let reply, let delay):
            let isWritten = outputs.write(payload, as: kind, reply: reply, decoding: decoding)
            report(late: reply, by: delay)
            return isWritten
        }
    }

    private func report(late reply: Reply, by delay: Duration) {
        outputs.diagnostics.error("request \(reply.number): the reply arrived \(Phrase.duration(delay)) late")
    }

    /// Whether a message is hidden. The parameters are those of ``MessageCondition/matches(_:payload:)``.
    @inline(__always)
    private func hides(_ text: RawSpan, _ payload: RawSpan) -> Bool {
        // Most runs have no condition.
        !hiding.isEmpty && hiding.anyMatches(text, payload: payload)
    }

    // MARK: Application protocols

    /// Delivers a message that the protocol does not understand.
    /// - Returns: Whether it meets the run's goal.
    func deliver(
        unchanged payload: RawSpan, as kind: MessageKind, _ decoding: Decoding?, because reason: String?
    ) -> Bool {
        run.current?.linger?.messageArrived()
        remember(payload, as: kind, of: run)
        if !reconnectConditions.isEmpty { checkReconnectConditions(payload, payload) }
        if let reason { outputs.diagnostics.notice("wsx: the next message is shown unchanged: \(reason)") }
        if hides(payload, payload) {
            outputs.show(hidden: payload, as: kind)
            return false
        }
        let isWritten = outputs.write(payload, as: kind, decoding: decoding)
        return count(payload, payload: payload, isOmitted: !isWritten, of: run)
    }

    /// Delivers an event.
    /// - Returns: Whether it meets the run's goal.
    func deliver(_ event: ProtocolEvent) -> Bool {
        var finding = LineQueue.Finding.push
        let isReported = isReportedAtEnd(event)
        switch event.role {
        case .hidden, .notice, .refusal:
            outputs.show(aside: event, isReported: isReported)
            return false
        case .event: break
        case .reply(let key, _): finding = key.map { lines.received(key: $0) } ?? .push
        }
        run.current?.linger?.messageArrived()
        run.stages.writer?.received(event.payload.span.bytes)
        let line = event.line
        if event.isText { outputs.prompt?.remember(line.span.bytes) }
        if !reconnectConditions.isEmpty { checkReconnectConditions(line.span.bytes, event.payload.span.bytes) }
        if hides(line.span.bytes, event.payload.span.bytes) {
            outputs.show(hidden: line.span.bytes, as: .text)
            return false
        }
        let isPush = lines.areRequests && finding.reply == nil
        let isWritten = outputs.write(event, reply: finding.reply, isPush: isPush)
        if event.role.isError, !isReported { outputs.report(error: event, asReplyTo: finding.reply?.number) }
        if case .lateReply(let reply, let delay) = finding, outputs.prompt == nil { report(late: reply, by: delay) }
        return count(
            line.span.bytes, payload: event.payload.span.bytes, isOmitted: !isWritten,
            isReply: !lines.areRequests || finding.reply != nil, of: run)
    }

    /// Whether the failure of the connection contains an event.
    private func isReportedAtEnd(_ event: ProtocolEvent) -> Bool {
        // An end that has already begun ends the run for its own reason.
        guard event.traits.contains(.endsConnection), !run.state.isClosing else { return false }
        return switch run.stages.pipeline?.problem {
        case .unusable, .refusedLine: true
        default: false
        }
    }
}

// Greetings, and the count of replies.
extension DeliveryStage {
    /// Begins a connection.
    func connectionOpened() {
        replies = run.settings.countsReplies || run.settings.tellsGreetings ? ReplyCount() : nil
        greetingTimer = nil
        isFirst = run.statistics.openedCount == 1
        staleTimer = run.settings.arguments.staying.staleTime.map { makeStaleTimer($0) }
    }

    /// Ends a connection, after the messages held have been taken.
    func connectionEnded() {
        (replies, greetingTimer, metReconnectCondition, staleTimer) = (nil, nil, nil, nil)
    }

    /// Sends the ping that precedes the first message of a connection, if replies are counted, or told from greetings.
    func sendPingBeforeMessages() {
        guard replies?.needsPing ?? false, let connection = run.connection else { return }
        replies?.pingSent(
            at: run.loop.now, sentCount: run.sentLineCount(on: connection),
            receivedCount: run.state.conditions.replyCount)
        guard run.sendHidden(ping: ReplyCount.payload), run.settings.tellsGreetings else { return }
        let timer = DeadlineTimer(on: run.loop) { [unowned self] in
            replies?.holdDeadline
        } isReadingPaused: { [unowned self] in
            run.isReadingPaused
        } action: { [unowned self] in
            takeHeldAsReplies()
        }
        greetingTimer = timer
        timer.update()
    }

    /// Handles a pong.
    /// - Parameter unfinishedCount: The number of messages that have begun before it, and are not delivered yet.
    /// - Returns: The round trip if it answers the ping before the first message, or `nil` otherwise.
    func pongReceived(_ payload: RawSpan, unfinishedCount: Int) -> Duration? {
        let roundTrip = replies?.pongReceived(
            payload, at: run.loop.now, receivedCount: run.state.conditions.replyCount + unfinishedCount)
        guard let roundTrip else { return nil }
        run.current?.linger?.measured(roundTrip: roundTrip)
        guard greetingTimer != nil, !run.state.ignoresIncoming else { return roundTrip }
        replies?.expectGreetings(unfinishedCount)
        if unfinishedCount == 0 { greetingTimer = nil }
        if takeHeld(areGreetings: true) { run.endAtGoal() }
        return roundTrip
    }

    /// Holds a message until the pong, or takes one that began before it. The parameters are those of `deliver`.
    private func tell(_ payload: RawSpan, as kind: MessageKind, _ decoding: Decoding?, mayBeReply: Bool) -> Bool {
        if replies?.takesGreeting() ?? false {
            if replies?.awaitsGreetings == false { greetingTimer = nil }
            return take(payload, as: kind, decoding, mayBeReply: false, isGreeting: mayBeReply, of: run)
        }
        let message = ReplyCount.Held(
            payload: payload.withUnsafeBytes { Array($0) }, kind: kind, decoding: decoding, mayBeReply: mayBeReply,
            time: run.loop.now)
        replies?.hold(message)
        guard replies?.isHoldFull ?? false else { return false }
        greetingTimer = nil
        return takeHeld(areGreetings: false)
    }

    /// Writes the messages that were held until the pong of the ping before the first message.
    /// - Parameter areGreetings: Whether there was a pong, so none of them is a reply.
    /// - Returns: Whether they meet the run's goal.
    private func takeHeld(areGreetings: Bool) -> Bool {
        for message in replies?.release() ?? [] {
            let (mayBeReply, payload) = (message.mayBeReply && !areGreetings, message.payload.span.bytes)
            let isGreeting = message.mayBeReply && areGreetings
            if take(
                payload, as: message.kind, message.decoding, mayBeReply: mayBeReply, isGreeting: isGreeting,
                at: message.time, of: run)
            {
                return true
            }
        }
        return false
    }

    /// Takes the messages that were held, because there is no pong in time. They are replies.
    /// - Parameter isSentAgain: Whether another connection follows, on which the messages are sent again. Nothing held is a
    ///   reply then.
    func takeHeldAsReplies(isSentAgain: Bool = false) {
        guard !run.state.ignoresIncoming, greetingTimer != nil else { return }
        greetingTimer = nil
        if takeHeld(areGreetings: isSentAgain) { run.endAtGoal() }
        if let connection = run.connection { run.waitForOutput(connection) }
    }

    /// The replies that are missing at the end of the default wait, or `nil` if none are.
    var missingReplies: MissingReplies? {
        guard run.settings.countsReplies, let current = run.current else { return nil }
        return replies?.missingReplies(
            sentCount: run.sentLineCount(on: current.connection), receivedCount: run.state.conditions.replyCount)
    }
}

// The reasons to leave a connection.
extension DeliveryStage: EndOfTurnWork {
    /// Leaves the connection after the messages of the same read.
    func endTurn() { leaveIfAsked() }

    /// Leaves the connection if a message has met a condition of `--reconnect-when`.
    func leaveIfAsked() {
        if let metReconnectCondition { run.leave(because: .left(because: metReconnectCondition)) }
    }

    /// Starts the wait for messages. One that is being received, and a pause of reading, extend it.
    private func makeStaleTimer(_ limit: Duration) -> InactivityTimer {
        InactivityTimer(limit, restartsOnArrival: true, on: run.loop) { [unowned self] in
            InactivityWait.Activity(
                // Control frames are none of the message.
                receivedBytes: run.connection?.incomingProgress?.bytes ?? 0,
                isInMessage: run.connection?.isInMessage ?? false, isHeldUp: run.isReadingPaused)
        } action: { [unowned self] _ in
            run.leave(because: .stale(for: limit))
        }
    }
}
