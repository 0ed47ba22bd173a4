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
        for (index, message) in settings.messages.enumerated() {
            guard let (payload, line) = makeOperand(index + 1, message) else {
                if state.isEnding { return }
                continue
            }
            guard send(payload.span.bytes, as: message.kind, line) else { return }
            state.sentOperandCount = max(state.sentOperandCount, index + 1)
        }
    }

    /// Prepares a message of the command line, and counts it when it is sent for the first time.
    /// - Returns: The message without placeholders, or `nil` if it cannot be sent, which has been reported.
    private func makeOperand(
        _ number: Int, _ message: (payload: [UInt8], kind: MessageKind)
    ) -> (payload: [UInt8], line: Pipeline.Line)? {
        let line = Pipeline.Line(.operand(number), past: statistics.openedCount == 1 ? .new : .sent)
        var payload = message.payload
        if message.kind == .text, let templates = stages.templates {
            switch templates.result(payload, ofOperand: number) {
            case .success(let text): payload = text
            case .failure(let problem):
                end(because: .notATemplate(problem), sending: line)
                return nil
            }
        }
        if !line.wasSent { state.conditions.messageSent() }
        return (payload, line)
    }

    /// Sends an input message. With `--reconnect`, the message is kept until the peer has confirmed it, and is queued while
    /// there is no connection.
    func sendLasting(_ payload: RawSpan, as kind: MessageKind) {
        guard let acknowledgements = stages.acknowledgements, !state.isClosing else {
            send(payload, as: kind, Pipeline.Line())
            return
        }
        // Lines that wait come first.
        let sending = isPeerReady && !mustWait ? transmit(payload, as: kind, Pipeline.Line()) : LineSending.unsent
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

    /// Sends and shows a line.
    /// - Returns: `false` if the connection is closing.
    @discardableResult
    private func send(_ payload: RawSpan, as kind: MessageKind, _ line: Pipeline.Line) -> Bool {
        let sending = transmit(payload, as: kind, line)
        if case .unsent = sending {
            reportUnsent()
            return false
        }
        if let direction = sending.shown?.direction {
            outputs.writeSent(payload, as: kind, direction, again: line.wasSent)
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
    func sendPingBeforeMessages() {
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
        var payload = line.payload
        let past: Pipeline.Line.Past = line.wasSent ? .sent : .kept
        var outgoing: Pipeline.Line
        switch line.origin {
        case .input: outgoing = Pipeline.Line(past: past)
        case .request(let number): outgoing = Pipeline.Line(.typed(number), wantsReply: true, past: past)
        case .operand(let number):
            guard let operand = makeOperand(number, (payload, line.kind)) else { return }
            (payload, outgoing) = operand
        // The session sends it.
        case .renewal: return
        }
        let sending = transmit(payload.span.bytes, as: line.kind, outgoing)
        guard let (direction, key) = sending.shown else { return }
        if case .request(let number) = line.origin, let key { stages.requests?.sentAgain(line, number, key: key) }
        if case .operand = line.origin {
            outputs.writeSent(payload.span.bytes, as: line.kind, direction, again: outgoing.wasSent)
        }
        guard case .sent(_, let confirmation) = sending else { return }
        acknowledgements.record(line.payload.span.bytes, as: line.kind, confirmedBy: confirmation, from: line.origin)
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
        let payload = message.payload.span.bytes
        guard stages.hasProtocol || isAwaited || message.isInitial else {
            sendLasting(payload, as: message.kind)
            return nil
        }
        // At the prompt, a reply is optional.
        let isTyped = stages.hasProtocol && !message.isInitial && stages.requests?.isImplicit ?? false
        // Earlier requests have waited for their replies.
        let isLatest = message.number == stages.requests?.messageCount
        let line = Pipeline.Line(
            message.isInitial ? .operand(message.number) : isTyped ? .typed(message.number) : .input,
            wantsReply: stages.hasProtocol, past: wasSent ? .sent : .new,
            name: isLatest ? nil : "request \(message.number)")
        let sending = transmit(payload, as: message.kind, line)
        guard let (direction, key) = sending.shown else {
            if case .unsent = sending { reportUnsent() }
            return nil
        }
        if stages.hasProtocol, case .sent(_, let confirmation) = sending, !message.isInitial, key == nil || isTyped {
            stages.acknowledgements?.record(
                payload, as: message.kind, confirmedBy: confirmation,
                from: key == nil ? .input : .request(message.number))
        }
        let isRequest = stages.hasProtocol ? key != nil : isAwaited
        outputs.writeSent(
            payload, as: message.kind, direction, again: wasSent, request: isRequest ? message.number : nil)
        return key
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
