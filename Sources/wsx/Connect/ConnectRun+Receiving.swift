import Formats
import WSCore

extension ConnectRun: ConnectionHandler {
    /// Shows a message, and closes after the last one that was asked for.
    func connection(
        _ connection: Connection<ConnectRun>, received payload: RawSpan, as kind: MessageKind, outbox: inout Outbox
    ) {
        guard !ignoresIncoming else { return }
        lingerTimer?.messageArrived()
        if kind == .text { repl?.editor.words.remember(payload) }
        outputs.recorder?.events.writeMessage(payload, as: kind)
        if requests == nil { show(payload, as: kind) } else { takeReply(payload, as: kind) }
        waitForOutput(connection)
        if conditions.isLast(payload) {
            ignoresIncoming = true
            isEnding = true
            hasClosed = true
            input?.pause()
            if outbox.sendClose(closeFrame) { showSent(closeFrame) }
        }
    }

    /// Shows a received message.
    /// - Parameter reply: What it answers, if it does.
    func show(_ payload: RawSpan, as kind: MessageKind, reply: Reply? = nil) {
        if let output = outputs.messages {
            output.write(payload, as: kind, reply: reply)
            repl?.show(payload, as: kind, .received, isShown: false)
        } else {
            let note = reply.map { "(request \($0.number), \(Self.milliseconds($0.roundTrip)) ms)" } ?? ""
            show(payload, as: kind, .received, note: note)
        }
    }

    /// Shows a ping.
    func connection(_ connection: Connection<ConnectRun>, receivedPing payload: RawSpan, outbox: inout Outbox) {
        writeEvent { $0.writeControl(.ping, payload) }
        if showsFrames { console.show(transcript.control(.ping, payload, .received)) }
        waitForOutput(connection)
    }

    /// Shows a pong, with the time since the ping.
    func connection(_ connection: Connection<ConnectRun>, receivedPong payload: RawSpan, outbox: inout Outbox) {
        let isOurs = confirmed(by: payload, outbox: &outbox)
        let roundTrip = heartbeat?.pongReceived(payload) ?? roundTrip(of: payload)
        if let roundTrip { lastRoundTrip = roundTrip }
        if !isOurs { writeEvent { $0.writeControl(.pong, payload, roundTrip: roundTrip) } }
        if isOurs ? verbosity > 0 : showsFrames {
            let note = roundTrip.map { "(after \(Self.milliseconds($0)) ms)" } ?? ""
            console.show(transcript.control(.pong, payload, .received, note: note))
        }
        waitForOutput(connection)
    }

    /// Shows the peer's close frame.
    func connection(_ connection: Connection<ConnectRun>, receivedClose frame: CloseFrame, outbox: inout Outbox) {
        if showsFrames { console.show(transcript.close(frame, .received)) }
    }

    /// Shows a frame's header, to who asked for it.
    func connection(_ connection: Connection<ConnectRun>, receivedHeader header: FrameHeader) {
        if let trace {
            trace.received(header)
            waitForOutput(connection)
        }
        if let repl, header.payloadBytes > ReplStatus.largeBytes || header.opcode == .continuation {
            repl.status.watch()
        }
    }

    /// Shows a frame's payload, to who asked for it.
    func connection(_ connection: Connection<ConnectRun>, receivedPiece piece: RawSpan, of header: FrameHeader) {
        guard let trace else { return }
        trace.received(piece, of: header)
        waitForOutput(connection)
    }

    /// Shows the frames that are sent, to who asked for them.
    var sentFrameObserver: (any SentFrameObserver)? { trace }

    /// Goes on with the input.
    func connectionDidDrain(_ connection: Connection<ConnectRun>) {
        readOn()
        scheduleRequestWork()
    }

    /// Ends the run.
    func connection(_ connection: Connection<ConnectRun>, didEnd end: ConnectionEnd) {
        connectionEnded(end)
    }

    /// Shows our own close frame, and records it.
    func showSent(_ frame: CloseFrame) {
        outputs.recorder?.events.writeClose(sent: frame)
        if showsFrames { console.show(transcript.close(frame, .sent)) }
    }

    /// Shows a message, and keeps it where there is a prompt.
    /// - Parameter note: What is said about it.
    func show(_ payload: RawSpan, as kind: MessageKind, _ direction: Transcript.Direction, note: String = "") {
        if let repl { return repl.show(payload, as: kind, direction, note: note) }
        console.show(transcript.message(payload, as: kind, direction, note: note).text)
    }

    /// Pauses the peer while the outputs do not keep up; ``outputDidDrain()`` has it go on.
    private func waitForOutput(_ connection: Connection<ConnectRun>) {
        guard outputs.isFull else { return }
        connection.pauseReading()
        outputs.watchLog()
    }

    /// Goes on reading what the peer sends, in which there may be replies.
    func resumeReading() {
        guard let connection, connection.isPausedByUser else { return }
        requests?.holdExpiry(at: loop.now)
        connection.resumeReading()
    }

    /// Whether control frames are shown.
    var showsFrames: Bool { repl != nil || verbosity > 0 }
    /// Whether messages are shown that are sent.
    var showsSentMessages: Bool { repl != nil || verbosity > 1 }

    /// The time since the latest ping, when the pong answers that one (RFC 6455 §5.5.3: it has the same payload).
    private func roundTrip(of payload: RawSpan) -> Duration? {
        guard let ping, payload.withUnsafeBytes({ $0.elementsEqual(ping.payload) }) else { return nil }
        self.ping = nil
        return loop.now - ping.time
    }

    /// A duration in milliseconds, to the microsecond: `12.345`.
    static func milliseconds(_ duration: Duration) -> String {
        let microseconds = Int(duration / .microseconds(1))
        return "\(microseconds / 1000).\(Formats.padded(microseconds % 1000, to: 3))"
    }
}
