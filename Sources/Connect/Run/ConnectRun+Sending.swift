import Conversation
import Formats
import Peer
import UserInterface
import WSCore

// The path of lines to the connection.
extension ConnectRun {
    /// Sends a line of the input or the prompt, or lets it wait.
    @inline(__always)
    func submit(_ payload: RawSpan, as kind: MessageKind) {
        guard kind == .text, let templates = stages.templates else { return submit(final: payload, as: kind) }
        guard lines.areRequests else {
            switch templates.result(payload) {
            case .success(let message): return submit(final: message.span.bytes, as: kind)
            case .failure(let problem): return lineInvalid(.notATemplate(problem), named: input.recordName)
            }
        }
        state.conditions.messageSent()
        if let problem = templates.problem(in: payload) {
            return lineInvalid(.notATemplate(problem), named: input.recordName)
        }
        // Its placeholders are replaced when it is sent: they may insert values of replies that have not arrived yet.
        let bytes = payload.withUnsafeBytes { Array($0) }
        submit(lines.queue.request(bytes, as: kind, draftName: input.recordName), shownAs: payload)
    }

    @inline(__always)
    private func submit(final payload: RawSpan, as kind: MessageKind) {
        if let problem = stages.encoder?.problem(with: payload, as: kind) {
            return lineInvalid(.notEncodable(problem), named: input.recordName)
        }
        state.conditions.messageSent()
        guard lines.areRequests else { return sendOrWait(payload, as: kind) }
        do throws(InputProblem) {
            submit(try lines.request(payload, as: kind), shownAs: payload)
        } catch {
            lineInvalid(error, named: input.recordName)
        }
    }

    /// Sends a request, or lets it wait.
    /// - Parameter typed: The line from which it was made.
    private func submit(_ request: Line, shownAs typed: RawSpan) {
        if takesLines, lines.queue.canSend(at: loop.now) {
            send(request)
            lines.limitReplyTime()
        } else {
            lines.queue.append(request)
            outputs.view?.show(waiting: typed, as: request.kind)
        }
    }

    /// Sends a line that is no request, or lets it wait. Without another connection, only an application protocol lets
    /// lines wait.
    private func sendOrWait(_ payload: RawSpan, as kind: MessageKind) {
        let isForProtocol = kind == .text && stages.hasProtocol
        if lines.keepsLines, !state.isClosing {
            guard takesLines, lines.queue.canSend(at: loop.turnTime) else { return wait(payload, as: kind) }
        } else {
            guard !(connection?.isClosing ?? true) else { return reportUnsent() }
            if isForProtocol, !takesLines || lines.queue.hasWaiting { return wait(payload, as: kind) }
        }
        guard let connection else { return }
        do throws(InputProblem) {
            var isHeld = false
            if isForProtocol {
                let line = Line(payload.withUnsafeBytes { Array($0) }, as: kind)
                let receipt = try transmit(line, on: connection)
                lines.queue.sent(line, receipt, at: loop.turnTime)
                isHeld = receipt.heldNumber != nil
            } else {
                sendPingBeforeMessages()
                try encode(line: payload, as: kind, on: connection)
                if lines.keepsLines { lines.queue.sent(payload, as: kind, at: loop.turnTime) }
            }
            outputs.writeSent(payload, as: kind, isHeld ? .queued : .sent)
        } catch {
            report(error, sending: Line([], as: kind))
        }
    }

    private func wait(_ payload: RawSpan, as kind: MessageKind) {
        lines.queue.append(payload, as: kind)
        stages.pipeline?.lineWaits(at: loop.nowNanoseconds)
        deadlineTimer.update()
        outputs.writeSent(payload, as: kind, .queued)
    }

    /// Whether a line may be given to the connection, as far as it is concerned.
    private var takesLines: Bool {
        guard let current, current.hasBegunSending, isPeerReady, !(stages.pipeline?.isFull ?? false) else {
            return false
        }
        let connection = current.connection
        return !connection.isClosing && !(lines.areRequests && (connection.isFull || state.isEnding))
    }

    /// Sends the lines that wait, as long as they may be sent: first the messages of the command line, then those that may
    /// not have arrived on the previous connection, then the others.
    func sendWaiting() {
        while takesLines, let line = lines.queue.next(at: loop.now) { send(line) }
        lines.limitReplyTime()
        guard lines.queue.hasWaiting, let pipeline = stages.pipeline else { return }
        pipeline.lineWaits(at: loop.nowNanoseconds)
        deadlineTimer.update()
    }

    /// Sends a request, or a line that has waited.
    private func send(_ draft: Line) {
        guard let connection else { return }
        do throws(InputProblem) {
            var line = draft
            if draft.draftName != nil, let templates = stages.templates {
                line = try lines.finished(draft, with: templates)
            }
            if line.origin == .operand, !line.wasSent { state.conditions.messageSent() }
            let receipt = try transmit(line, on: connection)
            let isAwaited = lines.queue.sent(line, receipt, at: lines.areRequests ? loop.now : loop.turnTime)
            // Lines of the input were shown when they began to wait.
            let isRequest = lines.areRequests && line.number > 0
            guard line.origin == .operand || isRequest && (lines.queue.settings.needsReplies || !line.wasSent) else {
                return
            }
            outputs.writeSent(
                line.payload.span.bytes, as: line.kind, receipt.heldNumber == nil ? .sent : .queued,
                again: line.wasSent, request: isAwaited ? line.number : nil)
        } catch {
            report(error, sending: draft)
        }
    }

    /// Gives a line to the application protocol, or to the connection. Binary messages bypass the protocol.
    private func transmit(_ line: Line, on connection: Connection<ConnectRun>) throws(InputProblem) -> LineReceipt {
        sendPingBeforeMessages()
        let payload = line.payload.span.bytes
        guard line.kind == .text, let pipeline = stages.pipeline, pipeline.hasProtocol else {
            try encode(line: payload, as: line.kind, on: connection)
            return LineReceipt()
        }
        do throws(ProtocolInputError) {
            let receipt = try pipeline.submit(
                payload, as: .text, wantsReply: lines.areRequests, at: loop.nowNanoseconds)
            executeEffects()
            return receipt
        } catch {
            throw .notALine(error)
        }
    }

    private func encode(
        line payload: RawSpan, as kind: MessageKind, on connection: Connection<ConnectRun>
    ) throws(InputProblem) {
        do throws(CodecError) {
            _ = try encode(payload, as: kind, on: connection)
        } catch {
            throw .notEncodable(error)
        }
    }

    /// Sends a message, encoded if requested. Returns whether it was sent.
    @inline(__always)
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

    // MARK: Lines that are not sent

    /// Reports a line that cannot be sent.
    private func report(_ problem: InputProblem, sending line: Line) {
        if case .notALine(let error) = problem {
            // As if the refusal had arrived while the line was waiting.
            if error.isRefused, prompt == nil { return lines.queue.dropped(line, because: .refusal) }
            // It may have arrived on the lost connection.
            if line.wasSent { return outputs.noticeVerbosely("A line was not sent again: \(error)") }
            if line.past == .waited, lines.keepsLines, !lines.areRequests {
                // In a pipe, one line is reported, and the end of the run reports the number of all.
                if prompt != nil || heldLines == nil { diagnostics.error("a line was not sent: \(error)") }
                return lines.queue.dropped(line, because: .invalid)
            }
        }
        if line.origin == .operand {
            lines.queue.drop(operand: line)
            return lineInvalid(problem, named: "message \(line.number)", isOperand: true)
        }
        let name: String? =
            switch (line.number, line.past) {
            // Earlier requests have waited for their replies.
            case (1..., _): line.number == lines.queue.messageCount ? nil : "request \(line.number)"
            case (_, .new): nil
            default: "an input line that waited"
            }
        lineInvalid(problem, named: line.draftName ?? name ?? input.recordName)
    }

    /// Ends the run because a line cannot be sent. At the prompt, reports it.
    private func lineInvalid(_ problem: InputProblem, named name: String, isOperand: Bool = false) {
        if prompt != nil { return diagnostics.error("the line was not sent: \(problem)") }
        guard isOperand else { return received(badInput: name, problem) }
        end(with: stages.encoder?.programFailure ?? .badInput(what: name, why: "\(problem)"))
    }

    /// Reports a typed message that was not sent, because the connection is closing. In a pipe, it is counted.
    private func reportUnsent() {
        guard outputs.prompt != nil else { return state.unsentInputCount += 1 }
        outputs.diagnostics.error("the message was not sent: the connection is closing; /reconnect connects again")
    }

    /// Ends the run because a message that is not a line cannot be encoded. At the prompt, reports it.
    private func encodingFailed(_ error: CodecError) {
        guard prompt == nil else { return diagnostics.error("a message was not sent: \(error)") }
        end(with: stages.encoder?.programFailure ?? .badInput(what: "a message was not sent", why: "\(error)"))
    }

    // MARK: Connections

    /// Begins to send on a connection.
    func beginSendingLines() {
        let waitingCount = lines.keepsLines ? lines.queue.waitingCount : 0
        let unconfirmedCount = lines.queue.unconfirmedCount - lines.queue.kept.count
        if unconfirmedCount > 0, outputs.showsSending {
            let messages = Phrase.count(unconfirmedCount, "message")
            let remark = lines.queue.isCareful ? ", a few at a time" : ""
            diagnostics.notice("Resending \(messages) that may not have arrived\(remark).")
        }
        if waitingCount > 0, outputs.showsSending {
            diagnostics.notice("Sending \(Phrase.count(waitingCount, "message")) that waited for the connection.")
        }
        lines.queue.connectionOpened(at: loop.turnTime)
        sendWaiting()
        lines.confirmInTime()
        // A message that could not be sent has no reply: what has arrived is a greeting.
        let isUnsent = !lines.keepsLines && !lines.areRequests && lines.queue.unsentOperandCount > 0
        if isUnsent, statistics.openedCount == 1, connection?.isClosing ?? true { state.conditions.messageSent() }
    }

    /// Continues after lines were answered or confirmed, or when the next one is due.
    func linesMoved() {
        sendWaiting()
        lines.confirmInTime()
        resumeInput()
        if input.isOver, current?.linger == nil { startLinger() }
    }

    /// Whether answers from the peer may have arrived without being read.
    var isReadingPaused: Bool { connection?.isPausedByUser ?? false }

    // MARK: Pings and progress

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
    func sendHidden(ping payload: [UInt8]) -> Bool {
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

    /// Shows the progress of sending if much is queued.
    func watchSending() {
        if let connection, connection.queuedBytes > TransferProgress.largeBytes { watchTransfer() }
    }

    /// Shows the progress of a large message if it takes long. A prompt shows it itself.
    func watchTransfer() {
        guard outputs.prompt == nil, let current else { return }
        let status = current.transfer ?? TransferStatus(of: current.connection, on: loop, diagnostics: diagnostics)
        self.current?.transfer = status
        status.watch()
    }
}
