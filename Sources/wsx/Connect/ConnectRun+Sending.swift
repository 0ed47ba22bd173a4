import WSCore

extension ConnectRun: InputReader.Receiver {
    /// Sends what the input asks for.
    func received(input item: InputItem, _ payload: RawSpan, client: Int?) {
        guard !isEnding else { return }
        switch item {
        case .message(let kind) where requests != nil: sendRequest(payload, as: kind)
        case .message(let kind): sendLasting(payload, as: kind)
        case .ping:
            ping = (payload.withUnsafeBytes { Array($0) }, loop.now)
            send(control: .ping, payload)
        case .pong: send(control: .pong, payload)
        case .close(let frame): endInput(with: frame)
        case .end(let frame): endInput(with: frame, waitsForReplies: true)
        }
    }

    /// What cannot be sent ends the run.
    func received(badInput what: String, _ problem: InputProblem) {
        guard !isEnding else { return }
        end(with: .badInput(what: what, why: "\(problem)"))
    }

    /// A full queue pauses the input.
    func receivedInputPiece() {
        if isFull {
            input?.pause()
            outputs.watchLog()
        }
        confirmInTime()
    }

    /// Whether no more is to be sent for now.
    var isFull: Bool {
        connection?.isFull ?? false || unacknowledged?.isFull ?? false || requests?.isFull ?? false
            || outputs.recorder?.isFull ?? false || outputs.isLogBusy
    }

    /// The input is over: what remains is to wait for replies.
    func inputEnded(_ error: IOError?) {
        inputIsOver = true
        // A descriptor that cannot be read, as nohup leaves it, has nothing to say.
        if let error, error != .badDescriptor { return end(with: .input(error)) }
        unacknowledged?.inputEnded()
        confirmInTime()
        startLinger()
    }

    /// Takes what the input closes with for its end; nil: it just ends. Where there is no connection, the next is closed.
    /// - Parameter waitsForReplies: Whether the end is that of any input, but for the frame. Requests are waited for in
    ///   any case.
    private func endInput(with frame: CloseFrame?, waitsForReplies: Bool = false) {
        input?.close()
        inputClose = frame
        inputEnded(nil)
        guard frame != nil, connection != nil, !waitsForReplies, requests?.isSettled ?? true else { return }
        endAsAsked()
    }

    /// Waits for replies, now that there is no more input.
    func startLinger() {
        guard connection != nil, !isEnding, requests?.isSettled ?? true else { return }
        let linger = settings.linger
        guard let limit = linger.limit else { return }
        lingerTimer = LingerTimer(limit, restartsOnArrival: linger.restartsOnArrival, on: loop) { [unowned self] in
            LingerTimer.Activity(
                receivedBytes: connection?.receivedTraffic.wireBytes ?? 0,
                isInMessage: connection?.isInMessage ?? false,
                isHeldUp: connection.map { $0.queuedBytes > 0 || $0.isPausedByUser } ?? false)
        } action: { [unowned self] in
            guard connection != nil, !isEnding else { return }
            failure = conditions.unmetGoal.map { .waitEnded($0, linger) }
            endAsAsked()
        }
    }

    /// Reads the input, or goes on reading it.
    func readOn() {
        guard !inputIsOver, !isEnding, !isFull else { return }
        input?.start()
    }

    /// Sends a message and counts it.
    /// - Parameters:
    ///   - isAgain: Whether it has been sent before, on a connection that was lost.
    ///   - note: What is said of it where it is shown.
    func send(_ payload: RawSpan, as kind: MessageKind, again isAgain: Bool = false, note: String = "") {
        guard let connection, connection.send(payload, as: kind) else {
            if repl != nil { console.error("the connection is closing: the message was not sent") }
            return
        }
        if !isAgain { outputs.recorder?.events.writeMessage(payload, as: kind, .outgoing) }
        if showsSentMessages { show(payload, as: kind, .sent, note: note) }
    }

    /// Sends a ping or a pong of the user's.
    /// - Returns: Whether it was sent.
    @discardableResult
    func send(control opcode: Opcode, _ payload: RawSpan) -> Bool {
        guard let connection else { return false }
        let isSent = opcode == .ping ? connection.sendPing(payload) : connection.sendPong(payload)
        guard isSent else { return false }
        outputs.recorder?.events.writeControl(opcode, payload, .outgoing)
        if showsFrames { console.show(transcript.control(opcode, payload, .sent)) }
        return true
    }
}
