import Conversation
import Formats
import Peer
import UserInterface
import WSCore

// The path of lines to the connection.
extension ConnectRun {
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

    /// Sends a line of the input or the prompt, or queues it.
    @inline(__always)
    func submit(_ payload: RawSpan, as kind: MessageKind) {
        guard kind == .text, let templates = stages.templates else { return submit(final: payload, as: kind) }
        if let requests = stages.requests {
            state.conditions.messageSent()
            // Its placeholders are replaced when it is sent.
            return add(payload, as: kind, to: requests, isTemplate: true)
        }
        switch templates.result(payload) {
        case .success(let message): submit(final: message.span.bytes, as: kind)
        case .failure(let problem): lineInvalid(.notATemplate(problem), named: input.recordName)
        }
    }

    @inline(__always)
    private func submit(final payload: RawSpan, as kind: MessageKind) {
        if let problem = stages.encoder?.problem(with: payload, as: kind) {
            return lineInvalid(.notEncodable(problem), named: input.recordName)
        }
        state.conditions.messageSent()
        guard let requests = stages.requests else { return sendLasting(payload, as: kind) }
        add(payload, as: kind, to: requests, isTemplate: false)
    }

    private func add(_ payload: RawSpan, as kind: MessageKind, to requests: RequestStage, isTemplate: Bool) {
        do throws(InputProblem) {
            if isTemplate {
                try requests.add(template: payload, named: input.recordName)
            } else {
                try requests.add(payload, as: kind)
            }
        } catch {
            return lineInvalid(error, named: input.recordName)
        }
        if requests.queue.isFull { outputs.view?.show(waiting: payload, as: kind) }
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

    /// Whether lines are sent carefully, and the last one waits for its subscription.
    var isHeldUp: Bool {
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
        end(with: stages.encoder?.programFailure ?? .badInput(what: "a message was not sent", why: "\(error)"))
    }

    /// The number of messages sent on a connection, without automatic ones.
    func sentLineCount(on connection: Connection<ConnectRun>) -> Int {
        connection.sentTraffic.messages - Int(stages.pipeline?.automaticCount ?? 0)
    }

    /// Sends the ping that precedes the first message of a connection, if replies are counted, or told from greetings.
    func sendPingBeforeMessages() {
        guard current?.replies?.needsPing ?? false, let connection else { return }
        current?.replies?.pingSent(
            at: loop.now, sentCount: sentLineCount(on: connection), receivedCount: state.conditions.replyCount)
        guard sendHidden(ping: ReplyCount.payload), settings.tellsGreetings else { return }
        let timer = DeadlineTimer(on: loop) { [unowned self] in
            current?.replies?.holdDeadline
        } isReadingPaused: { [unowned self] in
            isReadingPaused
        } action: { [unowned self] in
            takeHeldAsReplies()
        }
        current?.greetingTimer = timer
        timer.update()
    }

    /// Sends a ping of the run itself, which only `-v` shows.
    /// - Returns: Whether it was sent.
    @discardableResult
    private func sendHidden(ping payload: [UInt8]) -> Bool {
        guard let connection, connection.sendPing(payload.span.bytes) else { return false }
        if outputs.isVerbose { outputs.show(control: .ping, payload.span.bytes, .sent) }
        return true
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
        if unconfirmedCount > 0, outputs.showsSending {
            let messages = Phrase.count(unconfirmedCount, "message")
            let remark = acknowledgements.isCareful ? ", a few at a time" : ""
            console.notice("Resending \(messages) that may not have arrived\(remark).")
        }
        if waitingCount > 0, outputs.showsSending {
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

    /// Shows the progress of sending if much is queued.
    func watchSending() {
        if let connection, connection.queuedBytes > TransferProgress.largeBytes { watchTransfer() }
    }

    /// Shows the progress of a large message if it takes long. A prompt shows it itself.
    func watchTransfer() {
        guard outputs.prompt == nil, let current else { return }
        let status = current.transfer ?? TransferStatus(of: current.connection, on: loop, console: console)
        self.current?.transfer = status
        status.watch()
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
        // Those of the input were counted when they were read.
        if message.isInitial, !wasSent { state.conditions.messageSent() }
        guard stages.hasProtocol || isAwaited || message.isInitial else {
            sendLasting(payload, as: message.kind)
            return nil
        }
        // At the prompt, a reply is optional.
        let isTyped = stages.hasProtocol && !message.isInitial && stages.requests?.isImplicit ?? false
        // Earlier requests have waited for their replies.
        let isLatest = message.number == stages.requests?.queue.messageCount
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

    func requestsWillExpire() {
        takeHeldAsReplies()
    }

    func lineInvalid(_ problem: InputProblem, named name: String) {
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
