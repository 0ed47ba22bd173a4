import Conversation
import Formats
import WSCore

// The path from the connection to the outputs.
extension ConnectRun: ConnectionHandler {
    /// Writes a message. Closes the connection if the message meets the run's goal.
    func connection(
        _ connection: Connection<ConnectRun>, received payload: RawSpan, as kind: MessageKind, outbox: inout Outbox
    ) {
        guard !state.ignoresIncoming else { return }
        lingerTimer?.messageArrived()
        if kind == .text { outputs.prompt?.remember(payload) }
        outputs.record(payload, as: kind)
        if let exchange, exchange.receives(payload, as: kind, send: { outbox.send($0, as: .text) }) {
            return waitForOutput(connection)
        }
        let isWritten: Bool
        var isReply = true
        if let requests {
            let finding = requests.received(payload)
            isWritten = write(payload, as: kind, finding)
            isReply = finding.reply != nil
        } else {
            isWritten = outputs.write(payload, as: kind)
        }
        waitForOutput(connection)
        if state.isLast(payload, isOmitted: !isWritten, isReply: isReply) {
            input.pause()
            close(with: closeFrame, on: &outbox)
        }
    }

    /// Writes a message, and reports a late reply.
    /// - Returns: Whether the message was written, as opposed to omitted.
    private func write(_ payload: RawSpan, as kind: MessageKind, _ finding: RequestTracker.Finding) -> Bool {
        switch finding {
        case .push: return outputs.write(push: payload, as: kind)
        case .reply(let reply): return outputs.write(payload, as: kind, reply: reply)
        case .lateReply(let reply, let delay):
            let isWritten = outputs.write(payload, as: kind, reply: reply)
            outputs.console.error("request \(reply.number): the reply arrived \(Phrase.duration(delay)) late")
            return isWritten
        }
    }

    /// Closes the connection from within a handler, which must send through its outbox.
    private func close(with frame: CloseFrame, on outbox: inout Outbox) {
        if outbox.sendClose(frame) { outputs.writeSent(close: frame) }
    }

    /// Shows a ping.
    func connection(_ connection: Connection<ConnectRun>, receivedPing payload: RawSpan, outbox: inout Outbox) {
        outputs.writeEvent { $0.writeControl(.ping, payload) }
        outputs.show(control: .ping, payload, .received)
        waitForOutput(connection)
    }

    /// Shows a pong with its round trip.
    func connection(_ connection: Connection<ConnectRun>, receivedPong payload: RawSpan, outbox: inout Outbox) {
        let (isConfirmation, endsWait) = acknowledgements?.pongReceived(payload) ?? (false, false)
        if endsWait {
            state.closing = .begun
            close(with: closeFrame, on: &outbox)
        }
        if isConfirmation { readOn() }
        let replyRoundTrip = replies?.pongReceived(
            payload, at: loop.now, receivedCount: state.conditions.receivedCount)
        if let replyRoundTrip { lingerTimer?.measured(roundTrip: replyRoundTrip) }
        let ownRoundTrip = heartbeat?.pongReceived(payload) ?? replyRoundTrip
        if let ownRoundTrip { statistics.measured(roundTrip: ownRoundTrip) }
        let roundTrip = ownRoundTrip ?? statistics.pongReceived(payload, at: loop.now)
        let isHidden = isConfirmation || replyRoundTrip != nil
        if !isHidden { outputs.writeEvent { $0.writeControl(.pong, payload, roundTrip: roundTrip) } }
        if !isHidden || outputs.isVerbose {
            let note = roundTrip.map { "(after \(Phrase.milliseconds($0)) ms)" } ?? ""
            outputs.show(control: .pong, payload, .received, note: note)
        }
        waitForOutput(connection)
    }

    /// Shows the peer's close frame.
    func connection(_ connection: Connection<ConnectRun>, receivedClose frame: CloseFrame, outbox: inout Outbox) {
        outputs.show(close: frame)
    }

    /// Traces a frame's header, with `-vv`.
    func connection(_ connection: Connection<ConnectRun>, receivedHeader header: FrameHeader) {
        if let trace = outputs.trace {
            trace.received(header)
            waitForOutput(connection)
        }
        if let prompt = outputs.prompt { prompt.status.frameBegan(header) }
    }

    /// Traces a piece of a frame's payload, with `-vv`.
    func connection(_ connection: Connection<ConnectRun>, receivedPiece piece: RawSpan, of header: FrameHeader) {
        guard let trace = outputs.trace else { return }
        trace.received(piece, of: header)
        waitForOutput(connection)
    }

    /// Traces sent frames, with `-vv`.
    var sentFrameObserver: (any SentFrameObserver)? { outputs.trace }

    /// Resumes the input.
    func connectionDidDrain(_ connection: Connection<ConnectRun>) {
        readOn()
        requests?.scheduleWork()
    }

    /// Opens another connection or ends the run.
    func connection(_ connection: Connection<ConnectRun>, didEnd end: ConnectionEnd) {
        connectionEnded(end)
    }

    /// Pauses the peer while an output has a backlog; ``outputDidDrain()`` resumes it.
    private func waitForOutput(_ connection: Connection<ConnectRun>) {
        guard outputs.isFull else { return }
        connection.pauseReading()
        outputs.watchLog()
    }
}

extension ConnectRun: ExchangeStage.Host {
    func peerBecameReady() {
        guard let connection, !state.isEnding else { return }
        beginSending(on: connection)
    }

    func readinessTimedOut(_ failure: Failure) {
        state.silence = failure
        connection?.terminate()
    }

    func exchangeFailed(_ failure: Failure) {
        end(with: failure)
    }
}

extension ConnectRun: ConnectionSequence.Delegate {
    func sequenceWillStart(_ sequence: ConnectionSequence) {
        statistics.connectionStarted()
        showProgress(of: sequence)
    }

    /// Records a step and shows it with `-v`, with secrets removed.
    func sequence(_ sequence: ConnectionSequence, didStep step: Connector.Step) {
        switch step {
        case .reached(let peer, let proxy):
            outputs.noticeVerbosely("Reached \(peer)" + (proxy.map { ", the proxy \($0)" } ?? ""))
        case .sent(let head): keep(ReportedHead.lines(ofSent: head), .sent)
        case .received(let head): keep(ReportedHead.lines(of: head), .received)
        case .secured(let summary, let proxy):
            outputs.noticeVerbosely(ReportedTLS.lines(summary, with: proxy).joined(separator: "\n"))
        case .redirected(let url): outputs.noticeVerbosely("Redirected to \(url)")
        }
    }

    private func keep(_ lines: [String], _ direction: Transcript.Direction) {
        for line in lines {
            statistics.add(head: line, direction)
            outputs.show(head: line, direction)
        }
    }

    /// Continues with an open connection.
    func sequence(_ sequence: ConnectionSequence, didOpen opened: Connector.Opened) {
        showProgress(of: nil)
        self.opened(opened)
    }

    /// Reports why there is no connection, and when the next attempt follows.
    func sequence(_ sequence: ConnectionSequence, willWait wait: Duration, because failure: Failure) {
        showProgress(of: nil)
        outputs.writeEvent { $0.writeFailure(failure) }
        outputs.prompt?.showsWait(wait)
        let next = "reconnecting in \(Phrase.seconds(wait)) (attempt \(sequence.tryCount))"
        outputs.console.notice("wsx: " + Failure.joined(failure.message ?? "", next))
    }

    /// Returns to the prompt, or ends the run.
    func sequence(_ sequence: ConnectionSequence, didGiveUp failure: Failure) {
        showProgress(of: nil)
        state.gaveUp(failure)
        if staysAtPrompt() { return }
        state.end()
        finish()
    }
}
