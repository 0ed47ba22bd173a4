import Conversation
import Formats
import Peer
import UserInterface
import WSCore

// The path of lines to the connection.
extension LineStage {
    /// Sends a line of the input or the prompt, or lets it wait.
    /// - Parameter run: The run. Reading it from the stage would cost reference counting for each line.
    @inline(__always)
    func submit(_ payload: RawSpan, as kind: MessageKind, of run: ConnectRun) {
        switch inputForm {
        case .template where kind == .text:
            submit(draft: payload, as: kind, wraps: false, of: run, named: run.input.recordName)
        case .piece(let kind): submit(draft: payload, as: kind, wraps: true, of: run, named: run.input.recordName)
        case .message, .template: submit(final: payload, as: kind, of: run, named: run.input.recordName)
        }
    }

    /// Sends the message of `--last-message`, or lets it wait, now that all input is before it. If nothing can be sent
    /// anymore, it remains.
    func sendLastMessage() {
        guard let text = run.state.lastMessage, !run.state.isEnding, keepsLines || run.connection?.isClosing == false
        else {
            return
        }
        run.state.lastMessage = nil
        submit(draft: Array(text.utf8).span.bytes, as: .text, wraps: false, of: run, named: "--last-message")
    }

    /// Sends a text with placeholders, or a piece of the input with `--wrap` around it.
    private func submit(
        draft payload: RawSpan, as kind: MessageKind, wraps: Bool, of run: ConnectRun,
        named name: @autoclosure () -> String
    ) {
        guard let templates = run.stages.templates else { return }
        guard areRequests else {
            switch templates.result(payload, wraps: wraps) {
            case .success(let message): return submit(final: message.span.bytes, as: kind, of: run, named: name())
            case .failure(let problem): return lineInvalid(.notATemplate(problem), named: name())
            }
        }
        run.state.conditions.messageSent()
        if !wraps, let problem = templates.problem(in: payload) {
            return lineInvalid(.notATemplate(problem), named: name())
        }
        // Its placeholders are replaced when it is sent: they may insert values of replies that have not arrived yet.
        let bytes = payload.withUnsafeBytes { Array($0) }
        let draft: Line.Draft = wraps ? .piece(name()) : .template(name())
        submit(queue.request(bytes, as: kind, draft: draft), shownAs: payload)
    }

    @inline(__always)
    private func submit(
        final payload: RawSpan, as kind: MessageKind, of run: ConnectRun, named name: @autoclosure () -> String
    ) {
        if let encoder = run.stages.encoder, !queue.settings.makesCalls,
            let problem = encoder.problem(with: payload, as: kind)
        {
            return lineInvalid(.notEncodable(problem), named: name())
        }
        run.state.conditions.messageSent()
        guard areRequests else { return sendOrWait(payload, as: kind, of: run) }
        do throws(InputProblem) {
            submit(try request(payload, as: kind), shownAs: payload)
        } catch {
            lineInvalid(error, named: name())
        }
    }

    /// Sends a request, or lets it wait.
    /// - Parameter typed: The line from which it was made.
    private func submit(_ request: Line, shownAs typed: RawSpan) {
        if takesLines(of: run), queue.canSend(at: loop.now) {
            send(request)
            limitReplyTime()
        } else {
            queue.append(request)
            outputs.view?.show(waiting: typed, as: request.kind)
        }
    }

    /// Sends a line that is no request, or lets it wait. Without another connection, only an application protocol and a
    /// peer that is not ready let lines wait.
    private func sendOrWait(_ payload: RawSpan, as kind: MessageKind, of run: ConnectRun) {
        let isForProtocol = kind == .text && run.stages.hasProtocol
        if keepsLines, !run.state.isClosing {
            guard takesLines(of: run), queue.canSend(at: loop.turnTime) else { return wait(payload, as: kind) }
        } else {
            guard !(run.connection?.isClosing ?? true) else { return reportUnsent() }
            // At the prompt, lines are also typed before a message has matched --ready.
            let mayWait = isForProtocol || run.stages.pipeline?.isReady == false
            if mayWait, !takesLines(of: run) || queue.hasWaiting { return wait(payload, as: kind) }
        }
        guard let connection = run.connection else { return }
        do throws(InputProblem) {
            var isHeld = false
            if isForProtocol {
                let line = Line(payload.withUnsafeBytes { Array($0) }, as: kind)
                let receipt = try submit(line, on: connection)
                queue.sent(line, receipt, at: loop.turnTime)
                isHeld = receipt.heldNumber != nil
            } else {
                run.delivery.sendPingBeforeMessages()
                try send(line: payload, as: kind, on: connection, of: run)
                if keepsLines { queue.sent(payload, as: kind, at: loop.turnTime) }
            }
            pacer?.sent(at: loop.now)
            outputs.writeSent(payload, as: kind, isHeld ? .queued : .sent)
        } catch {
            report(error, sending: Line([], as: kind))
        }
    }

    private func wait(_ payload: RawSpan, as kind: MessageKind) {
        queue.append(payload, as: kind)
        run.stages.pipeline?.lineWaits(at: loop.nowNanoseconds)
        run.deadlineTimer.update()
        outputs.writeSent(payload, as: kind, .queued)
    }

    /// Whether a line may be given to the connection, as far as it is concerned.
    @inline(__always)
    private func takesLines(of run: ConnectRun) -> Bool {
        guard let current = run.current, current.hasBegunSending, run.isPeerReady,
            !(run.stages.pipeline?.isFull ?? false)
        else {
            return false
        }
        let connection = current.connection
        return !connection.isClosing && !(areRequests && (connection.isFull || run.state.isEnding))
    }

    /// Whether a line that waits may be sent, as far as `--every` is concerned. It does not apply to the messages of the
    /// command line.
    private var isDue: Bool { pacer.map { queue.hasWaitingOperands || $0.dueTime <= loop.now } ?? true }

    /// Whether lines wait that will be sent without a reply: for the confirmation of others, or for their time.
    var holdsBack: Bool { queue.holdsBack || pacer != nil && queue.hasWaiting }

    /// Whether the input has to pause, because its lines would wait, and `--every` would send them later.
    func holdsInput(of run: ConnectRun) -> Bool { pacer != nil && (queue.hasWaiting || !takesLines(of: run)) }

    /// Sends the lines that wait, as long as they may be sent: first the messages of the command line, then those that may
    /// not have arrived on the previous connection, then the others.
    func sendWaiting() {
        while takesLines(of: run), isDue, let line = queue.next(at: loop.now) { send(line) }
        if let pacer, queue.hasWaiting, pacer.dueTime > loop.now { paceTimer.start(after: pacer.dueTime - loop.now) }
        limitReplyTime()
        guard queue.hasWaiting, let pipeline = run.stages.pipeline else { return }
        pipeline.lineWaits(at: loop.nowNanoseconds)
        run.deadlineTimer.update()
    }

    /// Sends a request, or a line that has waited.
    private func send(_ draft: Line) {
        guard let connection = run.connection else { return }
        do throws(InputProblem) {
            var line = draft
            if draft.draft != nil, let templates = run.stages.templates {
                line = try finished(draft, with: templates)
            }
            if line.origin == .operand, !line.wasSent { run.state.conditions.messageSent() }
            let receipt = try submit(line, on: connection)
            let isAwaited = queue.sent(line, receipt, at: areRequests ? loop.now : loop.turnTime)
            if line.origin == .input { pacer?.sent(at: loop.now) }
            // Lines of the input were shown when they began to wait.
            let isRequest = areRequests && line.number > 0
            guard line.origin == .operand || isRequest && (queue.settings.needsReplies || !line.wasSent) else {
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
    private func submit(_ line: Line, on connection: Connection<ConnectRun>) throws(InputProblem) -> LineReceipt {
        run.delivery.sendPingBeforeMessages()
        let payload = line.payload.span.bytes
        guard line.kind == .text, let pipeline = run.stages.pipeline, pipeline.hasProtocol else {
            try send(line: payload, as: line.kind, on: connection, of: run)
            return LineReceipt()
        }
        do throws(ProtocolInputError) {
            let receipt = try pipeline.submit(
                payload, as: .text, wantsReply: areRequests, at: loop.nowNanoseconds)
            run.executeEffects()
            return receipt
        } catch {
            throw .notALine(error)
        }
    }

    @inline(__always)
    private func send(
        line payload: RawSpan, as kind: MessageKind, on connection: Connection<ConnectRun>, of run: ConnectRun
    ) throws(InputProblem) {
        do throws(CodecError) {
            _ = try send(payload, as: kind, on: connection, of: run)
        } catch {
            throw .notEncodable(error)
        }
    }

    /// Sends a message, encoded if requested.
    /// - Returns: Whether it was sent.
    @inline(__always)
    func send(
        _ payload: RawSpan, as kind: MessageKind, on connection: Connection<ConnectRun>, of run: ConnectRun
    ) throws(CodecError) -> Bool {
        guard let encoder = run.stages.encoder else { return connection.send(payload, as: kind) }
        return try encoder.encode(payload, as: kind) { connection.send($0, as: $1) }
    }

    /// Sends a message of the run itself on a connection, encoded if requested.
    /// - Returns: Whether it was sent.
    @discardableResult
    func send(own payload: RawSpan, as kind: MessageKind, on connection: Connection<ConnectRun>) -> Bool {
        do throws(CodecError) {
            return try send(payload, as: kind, on: connection, of: run)
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
            if error.isRefused, run.prompt == nil { return queue.dropped(line, because: .refusal) }
            // It has arrived on the lost connection, or another line has done what it asks for.
            if line.wasSent, error.isRedundant { return outputs.noticeVerbosely("A line was not sent again: \(error)") }
            if line.wasSent || line.past == .waited, keepsLines, !areRequests || line.wasSent {
                // In a pipe, one line is reported, and the end of the run reports the number of all.
                if run.prompt != nil || run.heldLines == nil {
                    outputs.diagnostics.error("a line was not sent\(line.wasSent ? " again" : ""): \(error)")
                }
                return queue.dropped(line, because: .invalid)
            }
        }
        if line.origin == .operand {
            queue.drop(operand: line)
            return lineInvalid(problem, named: "message \(line.number)", isOperand: true)
        }
        let name: String? =
            switch (line.number, line.past) {
            // Earlier requests have waited for their replies.
            case (1..., _): line.number == queue.messageCount ? nil : "request \(line.number)"
            case (_, .new): nil
            default: "an input line that waited"
            }
        lineInvalid(problem, named: line.draft?.name ?? name ?? run.input.recordName)
    }

    /// Ends the run because a line cannot be sent. At the prompt, reports it.
    private func lineInvalid(_ problem: InputProblem, named name: String, isOperand: Bool = false) {
        if run.prompt != nil { return outputs.diagnostics.error("the line was not sent: \(problem)") }
        guard isOperand else { return run.received(badInput: name, problem) }
        run.end(with: run.stages.encodingProgram?.failure ?? .badInput(what: name, why: "\(problem)"))
    }

    /// Reports a typed message that was not sent, because the connection is closing. In a pipe, it is counted.
    private func reportUnsent() {
        guard run.prompt != nil else { return run.state.unsentInputCount += 1 }
        outputs.diagnostics.error("the message was not sent: the connection is closing; /reconnect connects again")
    }

    /// Ends the run because a message that is not a line cannot be encoded. At the prompt, reports it.
    private func encodingFailed(_ error: CodecError) {
        guard run.prompt == nil else { return outputs.diagnostics.error("a message was not sent: \(error)") }
        run.end(with: run.stages.encodingProgram?.failure ?? .badInput(what: "a message was not sent", why: "\(error)"))
    }

    // MARK: Connections

    /// Begins to send on a connection.
    func beginSending() {
        let waitingCount = keepsLines ? queue.waitingCount : 0
        let unconfirmedCount = queue.unconfirmedCount - queue.kept.count
        if unconfirmedCount > 0, outputs.showsSending {
            let messages = Phrase.count(unconfirmedCount, "message")
            let remark = queue.isCareful ? ", a few at a time" : ""
            outputs.diagnostics.notice("Resending \(messages) that may not have arrived\(remark).")
        }
        if waitingCount > 0, outputs.showsSending {
            outputs.diagnostics.notice(
                "Sending \(Phrase.count(waitingCount, "message")) that waited for the connection.")
        }
        pacer?.resume(at: loop.now)
        queue.connectionOpened(at: loop.turnTime)
        sendWaiting()
        confirmInTime()
        // A message that could not be sent has no reply: what has arrived is a greeting.
        let isUnsent = !keepsLines && !areRequests && queue.unsentOperandCount > 0
        if isUnsent, run.statistics.openedCount == 1, run.connection?.isClosing ?? true {
            run.state.conditions.messageSent()
        }
    }

    /// Continues after lines were answered or confirmed, or when the next one is due.
    func linesMoved() {
        sendWaiting()
        confirmInTime()
        run.resumeInput()
        if run.input.isOver, run.current?.linger == nil { run.startLinger() }
    }
}
