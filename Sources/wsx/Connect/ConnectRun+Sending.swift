import WSCore

extension ConnectRun: InputReader.Receiver {
    /// Sends a message of the input.
    func received(input record: RawSpan, number: Int) {
        guard !isEnding else { return }
        guard kind == .binary || UTF8Validator.isValid(record) else {
            let what = settings.arguments.input == .message ? "the input" : "input message \(number)"
            return end(with: .badInput(what: what, why: "it is not UTF-8 text; send it with --binary"))
        }
        if requests == nil {
            sendLasting(record, as: kind)
        } else {
            sendRequest(record, as: kind, number: number)
        }
    }

    /// A full queue pauses the input.
    func receivedInputPiece() {
        if isFull { input?.pause() }
        confirmInTime()
    }

    /// Whether no more is to be sent for now.
    var isFull: Bool { connection?.isFull ?? false || unconfirmed?.isFull ?? false || requests?.isFull ?? false }

    /// The input is over: what remains is to wait for replies.
    func inputEnded(_ error: IOError?) {
        inputIsOver = true
        // A descriptor that cannot be read, as nohup leaves it, has nothing to say.
        if let error, error != .badDescriptor { return end(with: .input(error)) }
        unconfirmed?.inputEnded()
        confirmInTime()
        startLinger()
    }

    /// Waits for replies, now that there is no more input.
    func startLinger() {
        guard connection != nil, !isEnding, requests?.isSettled ?? true else { return }
        guard case .duration(let limit) = settings.linger else { return }
        lastArrival = loop.turnTime
        lingerTimer = Timer(on: loop) { [unowned self] in lingerPassed(limit) }
        lingerTimer?.start(after: limit)
    }

    /// Reads the input, or goes on reading it.
    func readOn() {
        guard !inputIsOver, !isEnding, !isFull else { return }
        input?.start(on: loop)
    }

    /// Sends a message and counts it.
    /// - Parameter note: What is said of it where it is shown.
    func send(_ payload: RawSpan, as kind: MessageKind, note: String = "") {
        guard let connection, connection.send(payload, as: kind) else {
            if repl != nil { console.error("the connection is closing: the message was not sent") }
            return
        }
        if showsSentMessages {
            console.show(transcript.message(payload, as: kind, .sent, note: note))
        }
    }

    /// Closes the connection when nothing has come for long enough, and nothing is on its way in either direction.
    private func lingerPassed(_ limit: Duration) {
        guard let connection, !isEnding else { return }
        let receivedBytes = connection.receivedTraffic.wireBytes
        let isMoving = connection.isInMessage && receivedBytes != bytesAtLastLook
        bytesAtLastLook = receivedBytes
        if isMoving || connection.queuedBytes > 0 || connection.isPausedByUser { lastArrival = loop.turnTime }
        let idle = loop.turnTime - lastArrival
        guard idle < limit else { return endAsAsked() }
        lingerTimer?.start(after: limit - idle)
    }
}
