import Conversation
import Formats
import WSCore

// The near end of the pipeline: input and sending.
extension ConnectRun {
    /// How far the input has come.
    enum Input {
        case notBegun
        case reading(InputReader)
        /// There is no more. The reader, if there was one, may be the caller. A close frame that the input ended with is
        /// sent in place of the usual one.
        case over(InputReader?, close: CloseFrame?)

        private var reader: InputReader? {
            switch self {
            case .notBegun: nil
            case .reading(let reader): reader
            case .over(let reader, _): reader
            }
        }

        var isOver: Bool { if case .over = self { true } else { false } }
        /// The close frame that the input ended with.
        var close: CloseFrame? { if case .over(_, let close) = self { close } else { nil } }
        /// The latest record, as errors call it.
        var recordName: String { reader?.recordName ?? "input" }

        mutating func end(with close: CloseFrame? = nil) {
            self = .over(reader, close: close ?? self.close)
        }

        func start() {
            if case .reading(let reader) = self { reader.start() }
        }

        func pause() {
            reader?.pause()
        }

        func closeReader() {
            reader?.close()
        }
    }

    /// Sends what every connection begins with; where these are requests, as many of them as may be in flight.
    func sendInitialMessages() {
        if let requests { return requests.sendWaiting(isInitial: true) }
        let isAgain = statistics.openedCount != 1
        for message in settings.messages {
            message.payload.withUnsafeBytes { send($0.bytes, as: message.kind, again: isAgain) }
        }
    }

    /// Sends a message of the input. With `--reconnect` it is kept until the peer has read it, and waits for a connection
    /// if there is none.
    func sendLasting(_ payload: RawSpan, as kind: MessageKind) {
        guard let acknowledgements, !state.isClosing else { return send(payload, as: kind) }
        acknowledgements.record(payload, as: kind)
        let isSent = connection?.send(payload, as: kind) ?? false
        outputs.writeSent(payload, as: kind, isSent ? .sent : .queued)
    }

    /// Sends a message.
    /// - Parameters:
    ///   - isAgain: Whether it has been sent before, on a connection that was lost.
    ///   - note: A remark after the message where it is shown.
    func send(_ payload: RawSpan, as kind: MessageKind, again isAgain: Bool = false, note: String = "") {
        guard let connection, connection.send(payload, as: kind) else {
            if outputs.prompt != nil {
                outputs.console.error("the connection is closing: the message was not sent")
            }
            return
        }
        outputs.writeSent(payload, as: kind, again: isAgain, note: note)
    }

    /// Sends a ping or a pong of the user's.
    /// - Returns: Whether it was sent.
    @discardableResult
    func send(control opcode: Opcode, _ payload: RawSpan) -> Bool {
        if opcode == .ping { statistics.pingSent(payload, at: loop.now) }
        guard let connection else { return false }
        let isSent = opcode == .ping ? connection.sendPing(payload) : connection.sendPong(payload)
        guard isSent else { return false }
        outputs.writeSent(control: opcode, payload)
        return true
    }

    /// Sends again what may not have arrived on the connection before.
    func sendUnacknowledged(on connection: Connection<ConnectRun>) {
        guard let acknowledgements else { return }
        if acknowledgements.count > 0, outputs.showsFrames {
            let messages = Phrase.count(acknowledgements.count, "message")
            outputs.console.notice("Sending \(messages) that may not have arrived.")
        }
        acknowledgements.connectionOpened { payload, kind in connection.send(payload, as: kind) }
    }

    /// Whether the input must pause.
    var isFull: Bool {
        connection?.isFull ?? false || acknowledgements?.isFull ?? false || requests?.isFull ?? false
            || outputs.delaysInput
    }

    /// Reads the input, or goes on reading it.
    func readOn() {
        guard !state.isEnding, !isFull else { return }
        input.start()
    }

    /// Waits for replies after the end of the input.
    func startLinger() {
        guard connection != nil, !state.isEnding, requests?.isSettled ?? true else { return }
        let linger = settings.linger
        guard let limit = linger.limit else { return }
        lingerTimer = LingerTimer(limit, restartsOnArrival: linger.restartsOnArrival, on: loop) { [unowned self] in
            LingerWait.Activity(
                receivedBytes: connection?.receivedTraffic.wireBytes ?? 0,
                isInMessage: connection?.isInMessage ?? false,
                isHeldUp: connection.map { $0.queuedBytes > 0 || $0.isPausedByUser } ?? false)
        } action: { [unowned self] in
            guard connection != nil, !state.isEnding else { return }
            state.lingerEnded(linger)
            endAsAsked()
        }
    }

    /// Takes what the input closes with for its end; nil: it just ends. Where there is no connection, the next is closed.
    /// - Parameter waitsForReplies: Whether the end is that of any input, but for the frame. Requests are waited for in
    ///   any case.
    private func endInput(with frame: CloseFrame?, waitsForReplies: Bool = false) {
        input.closeReader()
        input.end(with: frame)
        inputEnded(nil)
        guard frame != nil, connection != nil, !waitsForReplies, requests?.isSettled ?? true else { return }
        endAsAsked()
    }
}

extension ConnectRun: InputReader.Receiver {
    /// Sends what the input asks for.
    func received(input item: InputItem, _ payload: RawSpan, client: Int?) {
        guard !state.isEnding else { return }
        switch item {
        case .message(let kind):
            guard let requests else { return sendLasting(payload, as: kind) }
            do throws(JSONRPCCallError) {
                try requests.add(payload, as: kind)
            } catch {
                end(with: .badInput(what: input.recordName, why: "\(error)"))
            }
        case .ping: send(control: .ping, payload)
        case .pong: send(control: .pong, payload)
        case .close(let frame): endInput(with: frame)
        case .end(let frame): endInput(with: frame, waitsForReplies: true)
        }
    }

    /// What cannot be sent ends the run.
    func received(badInput what: String, _ problem: InputProblem) {
        guard !state.isEnding else { return }
        end(with: .badInput(what: what, why: "\(problem)"))
    }

    /// A full queue pauses the input.
    func receivedInputPiece() {
        if isFull {
            input.pause()
            outputs.watchLog()
        }
        acknowledgements?.confirmInTime()
    }

    /// The input is over: what remains is to wait for replies.
    func inputEnded(_ error: IOError?) {
        input.end()
        // A descriptor that cannot be read, as nohup leaves it, has nothing to say.
        if let error, error != .badDescriptor { return end(with: .input(error)) }
        acknowledgements?.inputEnded()
        startLinger()
    }
}

// MARK: Stages

extension ConnectRun: RequestStage.Host {
    var takesRequests: Bool { connection.map { !$0.isClosing && !$0.isFull } ?? false }
    var isReadingPaused: Bool { connection?.isPausedByUser ?? false }
    var isEnding: Bool { state.isEnding }

    func send(_ message: Request, isAwaited: Bool, wasSent: Bool) {
        message.payload.withUnsafeBytes { bytes in
            if isAwaited {
                send(bytes.bytes, as: message.kind, again: wasSent, note: "(request \(message.number))")
            } else if message.isInitial {
                send(bytes.bytes, as: message.kind, again: wasSent)
            } else {
                sendLasting(bytes.bytes, as: message.kind)
            }
        }
    }

    func requestFailed(_ failure: Failure) {
        end(with: failure)
    }

    func requestsMoved() {
        acknowledgements?.confirmInTime()
        readOn()
        if input.isOver { startLinger() }
    }
}

extension ConnectRun: AcknowledgementStage.Host {
    func sendConfirmingPing(_ payload: [UInt8]) {
        guard let connection, connection.sendPing(payload.span.bytes) else { return }
        if outputs.isVerbose { outputs.show(control: .ping, payload.span.bytes, .sent) }
    }

    func confirmationTimedOut() {
        close(with: closeFrame)
    }
}
