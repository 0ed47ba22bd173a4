import Conversation
import Formats
import Peer
import UserInterface
import WSCore

// The path from the connection to the outputs.
extension ConnectRun: ConnectionHandler {
    /// Records and decodes a message, and handles it.
    package func connection(_ connection: Connection<ConnectRun>, received payload: RawSpan, as kind: MessageKind) {
        guard !state.ignoresIncoming else { return }
        messageArrived()
        current?.transfer?.erase()
        outputs.record(payload, as: kind)
        guard let codecs = stages.codecs else {
            return handle(payload, as: kind, on: connection)
        }
        codecs.receive(payload, as: kind) {
            if !state.ignoresIncoming { handle($0, as: $1, $2, on: connection) }
        }
        waitForOutput(connection)
        if codecs.isFull { connection.pauseReading() }
    }

    /// Extends the wait for replies. With an application protocol, only its events do.
    private func messageArrived() {
        if !stages.hasProtocol { current?.linger?.messageArrived() }
    }

    /// Handles a message.
    /// - Parameters:
    ///   - decoding: How it was decoded, or `nil` if it is as received.
    ///   - connection: The connection, which the caller holds.
    @inline(__always)
    private func handle(
        _ payload: RawSpan, as kind: MessageKind, _ decoding: Decoding? = nil, on connection: Connection<ConnectRun>
    ) {
        if let pipeline = stages.pipeline {
            receive(payload, as: kind, decoding, through: pipeline, on: connection)
        } else if deliver(payload, as: kind, decoding) {
            endAtGoal()
        }
        waitForOutput(connection)
    }

    /// Keeps what the user or the next messages may refer to.
    @inline(__always)
    func remember(_ payload: RawSpan, as kind: MessageKind) {
        stages.writer?.received(payload)
        if kind == .text { outputs.prompt?.remember(payload) }
    }

    /// Writes a message that is no part of an application protocol, or holds it until it is known whether it is a reply.
    /// - Parameter mayBeReply: Whether it may be a reply, as opposed to a message that has been answered.
    /// - Returns: Whether it meets the run's goal.
    @inline(__always)
    func deliver(
        _ payload: RawSpan, as kind: MessageKind, _ decoding: Decoding?, mayBeReply: Bool = true
    ) -> Bool {
        remember(payload, as: kind)
        guard current?.greetingTimer != nil else { return take(payload, as: kind, decoding, mayBeReply: mayBeReply) }
        return tell(payload, as: kind, decoding, mayBeReply: mayBeReply)
    }

    /// Holds a message until the pong, or takes one that began before it. The parameters are those of `deliver`.
    private func tell(_ payload: RawSpan, as kind: MessageKind, _ decoding: Decoding?, mayBeReply: Bool) -> Bool {
        if current?.replies?.takesGreeting() ?? false {
            if current?.replies?.awaitsGreetings == false { current?.greetingTimer = nil }
            return take(payload, as: kind, decoding, mayBeReply: false, isGreeting: mayBeReply)
        }
        let message = ReplyCount.Held(
            payload: payload.withUnsafeBytes { Array($0) }, kind: kind, decoding: decoding, mayBeReply: mayBeReply,
            time: loop.now)
        current?.replies?.hold(message)
        guard current?.replies?.isHoldFull ?? false else { return false }
        current?.greetingTimer = nil
        return takeHeld(areGreetings: false)
    }

    /// Writes a message. The parameters are those of `deliver`.
    /// - Parameters:
    ///   - isGreeting: Whether it was sent before the peer had read a message.
    ///   - time: When it arrived, or `nil` for now.
    private func take(
        _ payload: RawSpan, as kind: MessageKind, _ decoding: Decoding?, mayBeReply: Bool, isGreeting: Bool = false,
        at time: Duration? = nil
    ) -> Bool {
        if stages.hides(payload, payload) {
            // Only an id says that a hidden message is a reply. By order, any message would be.
            if mayBeReply, let matching = lines.queue.settings.matching, matching != .order {
                _ = lines.received(payload, at: time)
            }
            outputs.show(hidden: payload, as: kind)
            return false
        }
        let isWritten: Bool
        // A greeting after a reconnect is none.
        var isReply = mayBeReply && (statistics.openedCount == 1 || current?.hasBegunSending ?? false)
        if lines.areRequests {
            let finding = mayBeReply ? lines.received(payload, at: time) : .push
            isWritten = write(payload, as: kind, finding, decoding)
            isReply = finding.reply != nil
        } else {
            isWritten = outputs.write(payload, as: kind, decoding: decoding)
        }
        return state.receive(
            payload, payload: payload, isOmitted: !isWritten, isReply: isReply, isGreeting: isGreeting)
    }

    /// Writes the messages that were held until the pong of the ping before the first message.
    /// - Parameter areGreetings: Whether there was a pong, so none of them is a reply.
    /// - Returns: Whether they meet the run's goal.
    private func takeHeld(areGreetings: Bool) -> Bool {
        for message in current?.replies?.release() ?? [] {
            let (mayBeReply, payload) = (message.mayBeReply && !areGreetings, message.payload.span.bytes)
            let isGreeting = message.mayBeReply && areGreetings
            if take(
                payload, as: message.kind, message.decoding, mayBeReply: mayBeReply, isGreeting: isGreeting,
                at: message.time)
            {
                return true
            }
        }
        return false
    }

    /// Handles the pong of the ping before the first message.
    private func greetingsEnded(_ unfinishedCount: Int) {
        guard current?.greetingTimer != nil, !state.ignoresIncoming else { return }
        current?.replies?.expectGreetings(unfinishedCount)
        if unfinishedCount == 0 { current?.greetingTimer = nil }
        if takeHeld(areGreetings: true) { endAtGoal() }
    }

    /// Takes the messages that were held, because there is no pong in time. They are replies.
    /// - Parameter isSentAgain: Whether another connection follows, on which the messages are sent again. Nothing held is a
    ///   reply then.
    func takeHeldAsReplies(isSentAgain: Bool = false) {
        guard !state.ignoresIncoming, current?.greetingTimer != nil else { return }
        current?.greetingTimer = nil
        if takeHeld(areGreetings: isSentAgain) { endAtGoal() }
        if let connection { waitForOutput(connection) }
    }

    /// Takes the messages that were held, and ends the run because its time is over.
    func timeLimitPassed(_ failure: Failure?) {
        let wasMet = state.ignoresIncoming
        takeHeldAsReplies()
        let areReplied = input.isOver && lines.areRequests && lines.queue.isSettled && settings.linger.limit == .zero
        let isMet = state.ignoresIncoming || areReplied && state.conditions.unmetGoal == nil
        end(with: isMet && !wasMet ? nil : failure, hurried: true)
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
            outputs.diagnostics.error("request \(reply.number): the reply arrived \(Phrase.duration(delay)) late")
            return isWritten
        }
    }

    /// Shows a ping.
    package func connection(_ connection: Connection<ConnectRun>, receivedPing payload: RawSpan) {
        outputs.writeEvent { $0.writeControl(.ping, payload) }
        outputs.show(control: .ping, payload, .received)
        waitForOutput(connection)
    }

    /// Shows a pong with its round trip.
    package func connection(_ connection: Connection<ConnectRun>, receivedPong payload: RawSpan) {
        let (isConfirmation, endsWait) = lines.pongReceived(payload)
        if endsWait {
            state.closing = .begun
            close(with: closeFrame)
        }
        if isConfirmation { resumeInput() }
        // A message that began before the pong is a greeting, too.
        let unfinishedCount = (stages.codecs?.waitingCount ?? 0) + (current?.hasUnfinishedMessage ?? false ? 1 : 0)
        let replyRoundTrip = current?.replies?.pongReceived(
            payload, at: loop.now, receivedCount: state.conditions.replyCount + unfinishedCount)
        if let replyRoundTrip {
            current?.linger?.measured(roundTrip: replyRoundTrip)
            greetingsEnded(unfinishedCount)
        }
        let ownRoundTrip = current?.heartbeat?.pongReceived(payload) ?? replyRoundTrip
        if let ownRoundTrip { statistics.measured(roundTrip: ownRoundTrip) }
        let roundTrip = ownRoundTrip ?? statistics.pongReceived(payload, at: loop.now)
        let isHidden = isConfirmation || replyRoundTrip != nil
        if !isHidden { outputs.writeEvent { $0.writeControl(.pong, payload, roundTrip: roundTrip) } }
        if !isHidden || outputs.isVerbose {
            let note = roundTrip.map { "(after \(Phrase.latency($0)))" } ?? ""
            outputs.show(
                control: .pong, payload, .received, note: note, isRequested: roundTrip != nil && ownRoundTrip == nil)
        }
        waitForOutput(connection)
    }

    /// Shows the peer's close frame.
    package func connection(_ connection: Connection<ConnectRun>, receivedClose frame: CloseFrame) {
        outputs.show(close: frame)
    }

    /// Traces a frame's header, with `-vv`.
    package func connection(_ connection: Connection<ConnectRun>, receivedHeader header: FrameHeader) {
        if let trace = outputs.trace {
            trace.received(header)
            waitForOutput(connection)
        }
        if let prompt = outputs.prompt {
            prompt.status.frameBegan(header)
        } else if header.payloadBytes > TransferProgress.largeBytes || header.opcode == .continuation || !header.isFinal
        {
            current?.hasUnfinishedMessage = !header.isFinal
            watchTransfer()
        }
    }

    /// Traces a piece of a frame's payload, with `-vv`.
    package func connection(_ connection: Connection<ConnectRun>, receivedPiece piece: RawSpan, of header: FrameHeader)
    {
        guard let trace = outputs.trace else { return }
        trace.received(piece, of: header)
        waitForOutput(connection)
    }

    /// Traces sent frames, with `-vv`.
    package var sentFrameObserver: (any SentFrameObserver)? { outputs.trace }

    /// Resumes the input.
    package func connectionDidDrain(_ connection: Connection<ConnectRun>) {
        resumeInput()
        if lines.queue.hasWaiting { lines.scheduleWork() }
    }

    /// Opens another connection or ends the run.
    package func connection(_ connection: Connection<ConnectRun>, didEnd end: ConnectionEnd) {
        let isDelayed =
            !state.ignoresIncoming && !state.isHurried
            && stages.codecs?.delaysEnd(atMost: settings.arguments.client.limits.closeTimeout) { [unowned self] in
                connectionEnded(end)
            } ?? false
        if !isDelayed { connectionEnded(end) }
    }

    /// Pauses the peer while an output has a backlog; ``outputDidDrain()`` resumes it.
    func waitForOutput(_ connection: Connection<ConnectRun>) {
        guard outputs.isFull else { return }
        connection.pauseReading()
        outputs.watchLog()
    }
}

extension ConnectRun: CodecStage.Host {
    var takesDecoded: Bool { !outputs.isFull }

    func received(decoded payload: RawSpan, as kind: MessageKind, _ decoding: Decoding?) {
        guard let connection, !state.ignoresIncoming else { return }
        messageArrived()
        handle(payload, as: kind, decoding, on: connection)
    }

    func codecsDidDrain() {
        if !outputs.isFull { resumeReading() }
    }

    /// Ends the run, except at the prompt, which then shows messages as received.
    func codecFailed(_ failure: Failure) {
        if prompt == nil { end(with: failure) } else { diagnostics.report(failure) }
    }
}
