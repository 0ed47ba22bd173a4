import Conversation
import Formats
import WSCore

// The source end of the pipeline: input and sending.
extension ConnectRun {
    /// The state of the input.
    enum Input {
        case notBegun
        case reading(InputReader)
        /// The input has ended. The reader, if any, may be the caller. `close` is the close frame with which the input
        /// ended; it overrides the default one.
        case over(InputReader?, close: CloseFrame?)

        private var reader: InputReader? {
            switch self {
            case .notBegun: nil
            case .reading(let reader): reader
            case .over(let reader, _): reader
            }
        }

        var isOver: Bool { if case .over = self { true } else { false } }
        /// The close frame with which the input ended.
        var close: CloseFrame? { if case .over(_, let close) = self { close } else { nil } }
        /// The name of the current record in error messages.
        var recordName: String { reader?.recordName ?? "input" }
        /// The number of the current record, from 1.
        var recordNumber: Int { reader?.recordCount ?? 0 }

        /// Whether there is input that has not been sent.
        /// - Parameter descriptor: The descriptor of the input.
        func hasUnsentData(_ descriptor: Int32) -> Bool {
            reader?.hasUnsentInput ?? StandardDescriptors.hasUnreadBytes(descriptor)
        }

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

    /// Sends the messages that begin each connection. If they are requests, sends as many as may be in flight.
    func sendInitialMessages() {
        if let requests = stages.requests {
            requests.connectionOpened()
            return requests.sendWaiting(isInitial: true)
        }
        // With --reconnect, they are the first lines that wait.
        guard stages.acknowledgements == nil else { return }
        let isAgain = statistics.openedCount != 1
        for (index, message) in settings.messages.enumerated() {
            var payload = message.payload
            if message.kind == .text, let templates = stages.templates {
                switch templates.result(payload, ofOperand: index + 1) {
                case .success(let text): payload = text
                case .failure(let problem):
                    end(because: .notATemplate(problem), sending: index + 1)
                    if state.isEnding { return }
                    continue
                }
            }
            if !isAgain { state.conditions.messageSent() }
            guard send(payload.span.bytes, as: message.kind, again: isAgain, message: index + 1) else { return }
            state.sentOperandCount = max(state.sentOperandCount, index + 1)
        }
    }

    /// Sends an input message. With `--reconnect`, the message is kept until the peer has confirmed it, and is queued while
    /// there is no connection.
    func sendLasting(_ payload: RawSpan, as kind: MessageKind) {
        guard let acknowledgements = stages.acknowledgements, !state.isClosing else {
            send(payload, as: kind)
            return
        }
        sendPingBeforeMessages()
        // Lines that wait come first.
        let sending = isPeerReady && !mustWait ? transmit(line: payload, as: kind) : LineSending.unsent
        switch sending {
        case .sent(_, let confirmation): acknowledgements.record(payload, as: kind, confirmedBy: confirmation)
        case .unsent: acknowledgements.wait(payload, as: kind)
        case .waiting, .renewed: break
        case .invalid: return
        }
        outputs.writeSent(payload, as: kind, sending.shown?.direction ?? .queued)
    }

    /// Whether a new line has to wait for others, with `--reconnect`.
    var mustWait: Bool {
        guard let acknowledgements = stages.acknowledgements else { return false }
        return acknowledgements.mustWait || isHeldUp
    }

    /// Whether lines are sent one at a time, and the last one waits for its subscription.
    private var isHeldUp: Bool {
        stages.acknowledgements?.isCareful ?? false && stages.pipeline?.waitingLineCount ?? 0 > 0
    }

    /// Sends a message.
    /// - Parameters:
    ///   - isAgain: Whether the message was already sent on a lost connection.
    ///   - request: The number of the request that the message is, or `nil` if it is none.
    ///   - number: The number of the message of the command line that this is, or `nil` if it is none.
    /// - Returns: `false` if the connection is closing.
    @discardableResult
    func send(
        _ payload: RawSpan, as kind: MessageKind, again isAgain: Bool = false, request: Int? = nil,
        message number: Int? = nil
    ) -> Bool {
        sendPingBeforeMessages()
        let sending = transmit(line: payload, as: kind, again: isAgain, message: number)
        if case .unsent = sending {
            reportUnsent()
            return false
        }
        if let direction = sending.shown?.direction {
            outputs.writeSent(payload, as: kind, direction, again: isAgain, request: request)
        }
        return true
    }

    /// Reports a typed message that was not sent, because the connection is closing. In a pipe, it is counted.
    func reportUnsent() {
        guard outputs.prompt != nil else { return state.unsentInputCount += 1 }
        outputs.console.error("the message was not sent: the connection is closing; /reconnect connects again")
    }

    /// The failure for messages that were not sent because the connection ended before, or `nil` if there are none. If a
    /// part of the input was sent, the rest does not count: the peer has decided that it is done.
    var unsentFailure: Failure? {
        guard !settings.isRepl, !state.ignoresIncoming, missing == nil, let end = statistics.lastEnd
        else { return nil }
        let operandCount: Int =
            if let acknowledgements = stages.acknowledgements {
                acknowledgements.unsentCount
            } else {
                stages.requests == nil ? settings.messages.count - state.sentOperandCount : 0
            }
        guard settings.readsPipe, program == nil, input.recordNumber == state.unsentInputCount else {
            return operandCount > 0 ? .unsent(operandCount, end.code) : nil
        }
        let count = operandCount + state.unsentInputCount
        if count > 0 { return .unsent(count, end.code) }
        return !input.isOver && input.hasUnsentData(environment.input) ? .unsent(nil, end.code) : nil
    }

    /// Sends a message on a connection, encoded if requested.
    /// - Returns: Whether it was sent, because the connection is not closing.
    /// - Throws: ``CodecError`` if it cannot be encoded.
    func encode(
        _ payload: RawSpan, as kind: MessageKind, on connection: Connection<ConnectRun>
    ) throws(CodecError) -> Bool {
        guard let encoder = stages.encoder else { return connection.send(payload, as: kind) }
        return try encoder.encode(payload, as: kind) { connection.send($0, as: $1) }
    }

    /// Sends a message of the run itself on a connection, encoded if requested.
    /// - Returns: Whether it was sent.
    @discardableResult
    func transmit(_ payload: RawSpan, as kind: MessageKind, on connection: Connection<ConnectRun>) -> Bool {
        do throws(CodecError) {
            return try encode(payload, as: kind, on: connection)
        } catch {
            encodingFailed(error)
            return false
        }
    }

    /// Ends the run because a message that is not a line cannot be encoded. At the prompt, reports it.
    func encodingFailed(_ error: CodecError) {
        guard prompt == nil else { return console.error("a message was not sent: \(error)") }
        let failure = Failure.badInput(what: "a message was not sent", why: "\(error)")
        end(with: failure)
    }

    /// Sends the ping that precedes the first message of a connection, if replies are counted.
    private func sendPingBeforeMessages() {
        guard current?.replies?.needsPing ?? false, let connection else { return }
        current?.replies?.pingSent(at: loop.now, sentCount: connection.sentTraffic.messages)
        sendHidden(ping: ReplyCount.payload)
    }

    /// Sends a ping of the run itself, which only `-v` shows.
    private func sendHidden(ping payload: [UInt8]) {
        guard let connection, connection.sendPing(payload.span.bytes) else { return }
        if outputs.isVerbose { outputs.show(control: .ping, payload.span.bytes, .sent) }
    }

    /// Sends a ping or a pong from the user.
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

    /// Sends the messages that may not have arrived on the previous connection, and those that waited for this one.
    func sendUnacknowledged(on connection: Connection<ConnectRun>) {
        guard let acknowledgements = stages.acknowledgements else { return }
        let waitingCount = acknowledgements.waitingCount
        let unconfirmedCount = acknowledgements.count - waitingCount - acknowledgements.kept.count
        if unconfirmedCount > 0, outputs.showsFrames {
            let messages = Phrase.count(unconfirmedCount, "message")
            let remark = acknowledgements.isCareful ? ", one at a time" : ""
            console.notice("Resending \(messages) that may not have arrived\(remark).")
        }
        if waitingCount > 0, outputs.showsFrames {
            console.notice("Sending \(Phrase.count(waitingCount, "message")) that waited for the connection.")
        }
        acknowledgements.connectionOpened()
        if acknowledgements.hasWaiting { sendPingBeforeMessages() }
        sendWaiting()
    }

    /// Sends the kept lines that wait, until the application protocol takes no more, or the next one has to wait for the
    /// confirmation of the last one.
    func sendWaiting() {
        guard let acknowledgements = stages.acknowledgements, isPeerReady else { return }
        while !(connection?.isClosing ?? true), !(stages.pipeline?.isFull ?? false), !isHeldUp,
            let line = acknowledgements.takeWaiting()
        {
            send(waiting: line, acknowledgements)
        }
        acknowledgements.confirmInTime()
    }

    private func send(waiting line: UnconfirmedLines.Line, _ acknowledgements: AcknowledgementStage) {
        let payload = line.payload.span.bytes
        switch line.origin {
        case .input:
            let sending = transmit(line: payload, as: line.kind, again: line.wasSent, waited: !line.wasSent)
            guard case .sent(_, let confirmation) = sending else { return }
            acknowledgements.record(payload, as: line.kind, confirmedBy: confirmation)
        case .request(let number):
            let sending = transmit(
                line: payload, as: line.kind, wantsReply: true, again: line.wasSent, waited: !line.wasSent,
                typed: number)
            if let key = sending.shown?.key { stages.requests?.sentAgain(line, number, key: key) }
            guard case .sent(_, let confirmation) = sending else { return }
            acknowledgements.record(payload, as: line.kind, confirmedBy: confirmation, from: line.origin)
        case .operand(let number):
            let isAgain = statistics.openedCount != 1
            var text = line.payload
            if line.kind == .text, let templates = stages.templates {
                switch templates.result(text, ofOperand: number) {
                case .success(let evaluated): text = evaluated
                case .failure(let problem): return end(because: .notATemplate(problem), sending: number)
                }
            }
            if !isAgain { state.conditions.messageSent() }
            let payload = text.span.bytes
            let sending = transmit(line: payload, as: line.kind, again: isAgain, message: number)
            guard let direction = sending.shown?.direction else { return }
            outputs.writeSent(payload, as: line.kind, direction, again: isAgain)
            guard case .sent(_, let confirmation) = sending else { return }
            acknowledgements.record(
                line.payload.span.bytes, as: line.kind, confirmedBy: confirmation, from: line.origin)
        // The session sends it.
        case .renewal: break
        }
    }

    /// Whether the input should pause.
    var isFull: Bool {
        connection?.isFull ?? false || stages.isFull || outputs.delaysInput
    }

    /// Starts or resumes reading the input.
    func resumeInput() {
        guard !state.isEnding, !isFull else { return }
        input.start()
    }

    /// Starts waiting for replies after the end of the input.
    func startLinger() {
        guard connection != nil, !state.isEnding, isPeerReady, stages.requests?.isSettled ?? true,
            isHeldUp || !(stages.acknowledgements?.holdsLines ?? false)
        else { return }
        let linger = settings.linger
        guard let limit = linger.limit else { return }
        let roundTrip = current?.replies?.roundTrip
        current?.linger = InactivityTimer(
            limit, restartsOnArrival: linger.restartsOnArrival, roundTrip: roundTrip, on: loop
        ) { [unowned self] in
            activity
        } action: { [unowned self] quietPeriod in
            guard connection != nil, !state.isEnding else { return }
            if let quietPeriod {
                let time = Phrase.duration(quietPeriod)
                outputs.console.notice("Ended \(time) after one reply per message; --linger 5s waits for more")
            }
            state.lingerEnded(linger)
            endAsAsked()
        }
    }

    /// Whether the default wait continues because the server has to confirm lines.
    private var awaitsConfirmation: Bool {
        guard case .answered = settings.linger else { return false }
        return stages.pipeline?.awaitsConfirmation(at: loop.nowNanoseconds) ?? false
    }

    /// The activity of the connection.
    private var activity: InactivityWait.Activity {
        guard let connection else {
            return InactivityWait.Activity(receivedBytes: 0, isInMessage: false, isHeldUp: false)
        }
        return InactivityWait.Activity(
            receivedBytes: connection.receivedTraffic.wireBytes, isInMessage: connection.isInMessage,
            isHeldUp: connection.queuedBytes > 0 || connection.isPausedByUser || awaitsConfirmation,
            answeredRoundTrip: current?.replies?.answeredRoundTrip(
                sentCount: connection.sentTraffic.messages, receivedCount: state.conditions.receivedCount))
    }

    /// Ends the input, with the close frame it contains, if any. Without a connection, the next one is closed.
    /// - Parameter waitsForReplies: Whether to wait for replies before closing, as after any end of input. Requests are
    ///   always waited for.
    private func endInput(with frame: CloseFrame?, waitsForReplies: Bool = false) {
        input.closeReader()
        input.end(with: frame)
        inputEnded(nil)
        guard frame != nil, connection != nil, !waitsForReplies, stages.requests?.isSettled ?? true,
            !(stages.acknowledgements?.holdsLines ?? false)
        else { return }
        endAsAsked()
    }
}

extension ConnectRun: InputReader.Receiver {
    /// Processes an input item.
    func received(input item: InputItem, _ payload: RawSpan, client: Int?) {
        guard !state.isEnding else { return }
        switch item {
        case .message(let kind):
            guard kind == .text, let templates = stages.templates else { return received(message: payload, as: kind) }
            if let requests = stages.requests { return received(template: payload, for: requests) }
            switch templates.result(payload) {
            case .success(let message): received(message: message.span.bytes, as: kind)
            case .failure(let problem): received(badInput: input.recordName, .notATemplate(problem))
            }
        case .ping: send(control: .ping, payload)
        case .pong: send(control: .pong, payload)
        case .close(let frame): endInput(with: frame)
        case .end(let frame): endInput(with: frame, waitsForReplies: true)
        }
    }

    @inline(__always)
    private func received(message payload: RawSpan, as kind: MessageKind) {
        if let problem = stages.encoder?.problem(with: payload, as: kind) {
            return received(badInput: input.recordName, .notEncodable(problem))
        }
        state.conditions.messageSent()
        guard let requests = stages.requests else { return sendLasting(payload, as: kind) }
        do throws(InputProblem) {
            try requests.add(payload, as: kind)
        } catch {
            received(badInput: input.recordName, error)
        }
    }

    /// Queues a request whose placeholders are replaced when it is sent.
    private func received(template payload: RawSpan, for requests: RequestStage) {
        state.conditions.messageSent()
        do throws(InputProblem) {
            try requests.add(template: payload, named: input.recordName)
        } catch {
            received(badInput: input.recordName, error)
        }
    }

    /// Ends the run because the input cannot be sent.
    func received(badInput what: String, _ problem: InputProblem) {
        guard !state.isEnding else { return }
        if case .notATemplate(let problem) = problem, let redirect = problem.redirect {
            return end(with: .connecting(url: "\(settings.url)", .redirect(redirect)))
        }
        if let program { return received(badOutput: problem, named: what, of: program) }
        end(with: .badInput(what: what, why: "\(problem)"))
    }

    /// Pauses the input while a queue is full.
    func receivedInputPiece() {
        if isFull {
            input.pause()
            outputs.watchLog()
        }
        stages.acknowledgements?.confirmInTime()
    }

    /// Handles the end of the input: waits for replies.
    func inputEnded(_ error: IOError?) {
        input.end()
        // An unreadable descriptor, which nohup may leave behind, counts as empty input.
        if let error, error != .badDescriptor { return end(with: .input(error)) }
        stages.acknowledgements?.inputEnded()
        if state.inputEnded() { endAsAsked() } else { startLinger() }
        endAfterProgram()
    }
}

// MARK: Stages

extension ConnectRun: RequestStage.Host {
    func takesRequests(isInitial: Bool) -> Bool {
        isPeerReady && !(stages.pipeline?.isFull ?? false)
            && (isInitial || !(stages.acknowledgements?.isCareful ?? false && mustWait))
            && connection.map { !$0.isClosing && !$0.isFull } ?? false
    }
    var isReadingPaused: Bool { connection?.isPausedByUser ?? false }
    var isEnding: Bool { state.isEnding }

    func send(_ message: Request, isAwaited: Bool, wasSent: Bool) -> String? {
        if stages.hasProtocol { return send(line: message, wasSent: wasSent) }
        message.payload.withUnsafeBytes { bytes in
            if isAwaited {
                send(bytes.bytes, as: message.kind, again: wasSent, request: message.number)
            } else if message.isInitial {
                send(bytes.bytes, as: message.kind, again: wasSent)
            } else {
                sendLasting(bytes.bytes, as: message.kind)
            }
        }
        return nil
    }

    func requestInvalid(_ problem: InputProblem, named name: String) {
        if prompt != nil { return console.error("the line was not sent: \(problem)") }
        received(badInput: name, problem)
    }

    func requestFailed(_ failure: Failure) {
        end(with: failure)
    }

    func requestsMoved() {
        stages.acknowledgements?.confirmInTime()
        resumeInput()
        if input.isOver { startLinger() }
    }
}

extension ConnectRun: AcknowledgementStage.Host {
    func sendConfirmingPing(_ payload: [UInt8]) {
        sendHidden(ping: payload)
    }

    func confirmationTimedOut() {
        close(with: closeFrame)
    }

    func linesMoved() {
        sendWaiting()
        stages.requests?.sendWaiting()
        stages.acknowledgements?.confirmInTime()
        resumeInput()
        if input.isOver, current?.linger == nil { startLinger() }
    }
}
