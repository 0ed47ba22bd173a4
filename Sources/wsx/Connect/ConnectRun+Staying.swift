import Formats
import WSCore

/// How far the wait has come for the pong that confirms the last messages, before the connection is closed.
enum ConfirmationWait {
    case none
    case running(Timer)
    /// The peer did not answer in time, or there is no time for it.
    case over
}

// Staying connected: heartbeats, what the peer has read for certain, and further connections.
extension ConnectRun {
    // MARK: Heartbeats

    /// Begins the heartbeat of a connection, if there is to be one.
    func startHeartbeat(of connection: Connection<ConnectRun>) {
        guard let beat = settings.heartbeat else { return }
        heartbeat = HeartbeatTimer(beat, of: connection) { [unowned self] event in
            switch event {
            case .sentPing(let payload):
                if showsFrames { console.show(transcript.control(.ping, payload.span.bytes, .sent)) }
            case .sentMessage(let message):
                if showsSentMessages { show(message.span.bytes, as: .text, .sent) }
            case .lost(let silence):
                silenceFailure = .silent(for: silence, misses: beat.maximumMisses)
                self.connection?.terminate()
            }
        }
    }

    // MARK: Confirming

    /// Sends a message of the input. Where connections follow one another it is kept until the peer has read it, and
    /// sent when there is a connection again.
    func sendLasting(_ payload: RawSpan, as kind: MessageKind) {
        guard unacknowledged != nil, !hasClosed else { return send(payload, as: kind) }
        unacknowledged?.record(payload, as: kind, at: loop.turnTime)
        outputs.recorder?.events.writeMessage(payload, as: kind, .outgoing)
        let isSent = connection?.send(payload, as: kind) ?? false
        if showsSentMessages { show(payload, as: kind, isSent ? .sent : .queued) }
    }

    /// Sends the ping that confirms what has been sent, or has it sent when it is due.
    func confirmInTime() {
        guard let connection, let dueTime = unacknowledged?.pingDueTime else { return }
        let wait = dueTime - loop.turnTime
        guard wait <= .zero else {
            let timer = confirmTimer ?? Timer(on: loop) { [unowned self] in confirmInTime() }
            confirmTimer = timer
            return timer.start(after: wait)
        }
        guard let ping = unacknowledged?.makePing(), connection.sendPing(ping.span.bytes) else { return }
        if settings.arguments.verbosity > 0 { console.show(transcript.control(.ping, ping.span.bytes, .sent)) }
    }

    /// Takes a pong that confirms messages.
    /// - Returns: Whether it does.
    func confirmed(by payload: RawSpan, outbox: inout Outbox) -> Bool {
        guard let count = unacknowledged?.pongReceived(payload), count > 0 else { return false }
        hasConfirmed = true
        if case .running = confirmationWait, unacknowledged?.isEmpty ?? true {
            confirmationWait = .over
            hasClosed = true
            if outbox.sendClose(closeFrame) { showSent(closeFrame) }
        }
        readOn()
        return true
    }

    /// Whether the closing has to wait until the peer has confirmed the last messages, which is asked for here. It has
    /// as long for that as for the closing itself.
    func waitsForConfirmation() -> Bool {
        switch confirmationWait {
        case .running: return true
        case .over: return false
        case .none: break
        }
        guard connection != nil, !(unacknowledged?.isEmpty ?? true) else { return false }
        unacknowledged?.inputEnded()
        confirmInTime()
        let timer = Timer(on: loop) { [unowned self] in confirmationWaitPassed() }
        timer.start(after: settings.arguments.closeTimeout)
        confirmationWait = .running(timer)
        return true
    }

    /// Closes without the pong, unless it may have come and we do not read.
    private func confirmationWaitPassed() {
        if case .running(let timer) = confirmationWait, connection?.isPausedByUser ?? false {
            return timer.start(after: settings.arguments.closeTimeout)
        }
        confirmationWait = .over
        close(with: closeFrame)
    }

    /// Sends again what may not have arrived on the connection before.
    func sendUnacknowledged() {
        guard let connection, let count = unacknowledged?.count else { return }
        if count > 0, showsFrames {
            console.notice("Sending \(Phrase.count(count, "message")) that may not have arrived.")
        }
        unacknowledged?.connectionOpened(at: loop.turnTime) { payload, kind in connection.send(payload, as: kind) }
        confirmInTime()
    }

    /// Says how many messages of the input may not have arrived.
    func showUnacknowledged() {
        guard let count = unacknowledged?.count, count > 0 else { return }
        let which = count == 1 ? "the last message" : "the last \(count) messages"
        console.error("\(which) of the input may not have arrived")
    }

    // MARK: Further connections

    /// Has another connection opened where the end of one was not the end of the run.
    /// - Returns: Whether that is so.
    func opensAnother(after end: ConnectionEnd) -> Bool {
        guard unacknowledged != nil else { return false }
        if isAnswer(end.closing) { unacknowledged?.closeConfirmed() }
        unacknowledged?.connectionLost()
        guard failure == nil, !ignoresIncoming, !hasClosed, !isReopening else { return false }
        guard let cause = silenceFailure ?? Failure.interruption(by: end) else { return false }
        requests?.connectionLost()
        silenceFailure = nil
        confirmationWait = .none
        ping = nil
        repl?.showsDisconnected()
        let hadConfirmed = hasConfirmed
        hasConfirmed = false
        connections?.connectionWasLost(because: cause, hasConfirmed: hadConfirmed)
        // What the input has meanwhile is kept.
        readOn()
        return true
    }

    /// What the end of the last connection counts as; nil: as done.
    func finalFailure(of end: ConnectionEnd) -> Failure? {
        if let silenceFailure { return silenceFailure }
        let failure = Failure.failure(of: end, closeTimeout: settings.arguments.closeTimeout)
        // A peer may drop the connection when asked to close it, but not while messages are unacknowledged.
        guard failure == nil, end.closing.received == nil, let count = unacknowledged?.count, count > 0 else {
            return failure
        }
        return .lost(end.failure)
    }

    /// Whether there is to be a connection without further ado.
    var expectsConnection: Bool { connections?.isActive ?? false }

    /// Connects anew, after the connection that there is has been closed.
    func reconnect() {
        guard connection == nil else {
            isReopening = true
            return close(with: settings.closeFrame)
        }
        repl?.showsConnecting()
        guard nextSettings != nil else {
            connections?.startNow()
            return
        }
        adoptNextSettings()
        connect()
    }

    /// Whether a message without a connection is kept for the next one.
    var keepsMessages: Bool { unacknowledged != nil || requests != nil }

    /// Gives up the wait for a connection.
    func stopConnecting() {
        connections?.cancel()
        if failure == nil, let lastEnd { failure = finalFailure(of: lastEnd).map { .told($0) } }
        _ = staysAtPrompt()
    }

    /// Adds what a connection that is over has carried.
    func add(_ connection: Connection<ConnectRun>) {
        earlierTraffic.sent += connection.sentTraffic
        earlierTraffic.received += connection.receivedTraffic
    }

    /// Whether the peer has answered our close frame, and so has read everything before it. One with another code may
    /// have crossed ours on its way; without a code, or with 1000, the peer is done in any case.
    private func isAnswer(_ closing: ClosingHandshake) -> Bool {
        guard closing.wasStartedHere, let received = closing.received else { return false }
        return received.code == nil || received.code == .normalClosure || received.code == closing.sent?.code
    }
}

extension ConnectRun: ConnectionSequence.Delegate {
    /// Goes on with a connection.
    func sequence(_ sequence: ConnectionSequence, didOpen opened: Connector.Opened) {
        self.opened(opened)
    }

    /// Says why, and when the next try is.
    func sequence(_ sequence: ConnectionSequence, willWait wait: Duration, because failure: Failure) {
        writeEvent { $0.writeFailure(failure) }
        repl?.showsWait(wait)
        let next = "reconnecting in \(Self.words(forWait: wait)) (attempt \(sequence.tryCount))"
        console.notice("wsx: " + Failure.joined(failure.message ?? "", next))
    }

    /// Ends the run.
    func sequence(_ sequence: ConnectionSequence, didGiveUp failure: Failure) {
        self.failure = failure
        if staysAtPrompt() { return }
        isEnding = true
        finish()
    }

    /// A wait to the tenth of a second: `0.3 s`.
    private static func words(forWait wait: Duration) -> String {
        let tenths = Int((wait / .milliseconds(100)).rounded())
        return "\(tenths / 10).\(tenths % 10) s"
    }
}

extension Traffic {
    fileprivate static func += (sum: inout Traffic, other: Traffic) {
        sum.messages &+= other.messages
        sum.messageBytes &+= other.messageBytes
        sum.wireBytes &+= other.wireBytes
    }
}
