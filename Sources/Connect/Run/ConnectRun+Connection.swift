import Conversation
import Formats
import Peer
import UserInterface
import WSCore

// What the connection reports.
extension ConnectRun: ConnectionHandler {
    /// Records and handles a message.
    package func connection(_ connection: Connection<ConnectRun>, received payload: RawSpan, as kind: MessageKind) {
        guard !state.ignoresIncoming else { return }
        messageArrived()
        current?.transfer?.erase()
        if let pipeline = stages.pipeline {
            receive(payload, as: kind, through: pipeline, on: connection)
        } else {
            outputs.record(payload, as: kind)
            if delivery.deliver(payload, as: kind, nil, of: self) { endAtGoal() }
        }
        waitForOutput(connection)
    }

    /// Extends the wait for replies. With an application protocol, only its events do.
    func messageArrived() {
        if !stages.hasProtocol { current?.linger?.messageArrived() }
    }

    /// Takes the messages that were held, and ends the run because its time is over.
    func timeLimitPassed(_ failure: Failure?) {
        let wasMet = state.ignoresIncoming
        delivery.takeHeldAsReplies()
        let isMet = state.ignoresIncoming || hasAllReplies
        end(with: isMet && !wasMet ? nil : failure, hurried: true)
    }

    /// Whether the run only waited for replies, and all have arrived.
    var hasAllReplies: Bool {
        input.isOver && lines.areRequests && lines.queue.isSettled && settings.linger.limit == .zero
            && state.conditions.unmetGoal == nil
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
        let unfinishedCount = (stages.pipeline?.waitingCount ?? 0) + (current?.hasUnfinishedMessage ?? false ? 1 : 0)
        let replyRoundTrip = delivery.pongReceived(payload, unfinishedCount: unfinishedCount)
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
            && stages.programs?.delaysEnd(atMost: settings.arguments.client.limits.closeTimeout) { [unowned self] in
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
