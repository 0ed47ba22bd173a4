import Conversation
import Formats
import Peer
import UserInterface
import WSCore

// The pipeline: codecs, and an application protocol, or first messages and automatic answers.
extension ConnectRun {
    /// Creates the pipeline for the current server, or returns `nil` if there is no need for one.
    /// - Parameter decoders: The codecs of received messages, the outermost first.
    func makePipeline(decoding decoders: [Codec]) -> Pipeline? {
        let format = settings.arguments.format
        let dropping = ScopedConditions(settings.arguments.transcript.dropped)
        for pattern in dropping.patterns { diagnostics.watch(pattern) }
        let editor = MessageEditor(dropping: dropping.concerning())
        let canHold = outputs.page?.holds != nil
        let codecs = MessageCodecs(
            decoders: decoders, limitBytes: settings.arguments.client.limits.maximumMessageBytes,
            keepsOriginals: format.output.keepsOriginals && format.pick == nil,
            areReversed: (editor != nil || canHold) && CodecChain.irreversible(decoders, changes: false) == nil)
        let isNeeded = !decoders.isEmpty || editor != nil || canHold
        let pipeline = makePipeline(codecs) ?? (isNeeded ? Pipeline(codecs, clockOffset: loop.clockOffset) : nil)
        pipeline?.editor = editor
        return pipeline
    }

    /// The pipeline with an application protocol, or first messages and automatic answers, or `nil` if there are none.
    private func makePipeline(_ codecs: MessageCodecs) -> Pipeline? {
        stages.programAnswers = nil
        let timeout = settings.connector.timeouts.whole
        if settings.arguments.protocols.choice != nil {
            outputs.protocolName = settings.protocolSelection?.descriptor.name
            let application = makeApplication()
            return Pipeline(codecs, application: application, readinessTimeout: timeout, clockOffset: loop.clockOffset)
        }
        guard let plan = settings.exchange else { return nil }
        let rules = AutoReply.Rules(plan)
        for pattern in rules.patterns { diagnostics.watch(pattern) }
        let answers = AutoReply(rules, seed: .random(in: .min ... .max))
        stages.programAnswers = stages.answerPrograms.map { programs in
            ProgramAnswers(answers, by: programs) { [unowned self] text in
                send(text.span.bytes, as: .text, for: .answer)
            } report: { [unowned self] problem in
                diagnostics.error("a message was not answered (--answer): \(problem)")
            } didChange: { [unowned self] in
                programAnswered()
            }
        }
        return Pipeline(codecs, answers: answers, readinessTimeout: timeout, clockOffset: loop.clockOffset)
    }

    private func makeApplication() -> Pipeline.Application {
        // At the prompt, a reply is optional, and in a scenario, a step waits for it. The reply to a stream is its end.
        let isScenario = settings.scenario != nil
        let awaitsReplies = !isScenario && (!settings.hasPrompt || settings.arguments.replies.sendsRequests)
        func session(_ selection: ProtocolSelection) -> any ProtocolSession {
            selection.makeSession(connection: 1, clockOffset: loop.clockOffset, awaitsStreams: awaitsReplies)
        }
        var application =
            if let selection = settings.protocolSelection {
                Pipeline.Application(session(selection), of: selection.descriptor)
            } else {
                Pipeline.Application { ProtocolSelection(detected: $0).map(session) }
            }
        application.awaitsReplies = awaitsReplies
        application.resolve = ProtocolLine.resolved
        return application
    }

    /// Passes a received message through the pipeline.
    func receive(
        _ payload: RawSpan, as kind: MessageKind, through pipeline: Pipeline, on connection: Connection<ConnectRun>
    ) {
        pipeline.clockOffset = loop.clockOffset
        take(kind, from: pipeline) {
            pipeline.received(payload, as: kind, at: loop.nowNanoseconds, arrived: $0, deliver: $1)
        }
        if holdsMuch(pipeline) { connection.pauseReading() }
    }

    /// Records and handles a message that the pipeline passes on.
    func take(
        _ kind: MessageKind, from pipeline: Pipeline, by pass: (Pipeline.Arrival, Pipeline.Delivery) -> RecordEdit
    ) {
        var meetsGoal = false
        _ = pass { message, edit in
            outputs.record(message, as: kind, edit)
        } _: {
            if take($0, as: $1, $2, $3, from: pipeline) { meetsGoal = true }
        }
        executeEffects(meetsGoal: meetsGoal)
    }

    /// Passes on messages that programs have decoded, and those that waited for them, while the outputs have room.
    /// - Returns: Whether the outputs take more.
    func passOnDecoded() -> Bool {
        guard let pipeline = stages.pipeline else { return true }
        executeEffects()
        let heldMuch = holdsMuch(pipeline)
        while !outputs.isFull, let message = pipeline.nextDecoded() {
            guard connection != nil, !state.ignoresIncoming else { continue }
            messageArrived()
            pipeline.clockOffset = loop.clockOffset
            take(message.kind, from: pipeline) {
                pipeline.pass(message, at: loop.nowNanoseconds, arrived: $0, deliver: $1)
                return .unchanged
            }
        }
        if heldMuch, !holdsMuch(pipeline), !outputs.isFull { resumeReading() }
        return !outputs.isFull
    }

    /// Whether so many messages or answers wait for programs that the peer should pause. Reading `stages` as a whole would cost
    /// reference counting for each message.
    func holdsMuch(_ pipeline: Pipeline) -> Bool {
        pipeline.holdsMuch || stages.programAnswers?.isFull ?? false
    }

    /// Handles a message that the pipeline delivers.
    /// - Returns: Whether it meets the run's goal.
    private func take(
        _ payload: RawSpan, as kind: MessageKind, _ role: Pipeline.Role, _ decoding: Decoding?, from pipeline: Pipeline
    ) -> Bool {
        // The goal is met by an earlier record of the message.
        guard !state.ignoresIncoming else { return false }
        switch role {
        case .message where pipeline.hasProtocol:
            return delivery.deliver(unchanged: payload, as: kind, decoding, because: nil)
        case .message: return delivery.deliver(payload, as: kind, decoding, of: self)
        case .answered where pipeline.isReady:
            return delivery.deliver(payload, as: kind, decoding, mayBeReply: false, of: self)
        case .hidden:
            outputs.show(hidden: payload, as: kind)
            return false
        case .login, .answered:
            delivery.deliver(login: payload, as: kind, of: self)
            return false
        }
    }

    /// Decodes messages that arrive from now on with other codecs.
    /// - Returns: Whether no codec is a program, which starts and ends with the run.
    func decode(with codecs: [Codec]) -> Bool {
        guard stages.programs == nil, codecs.allSatisfy({ $0.program == nil }) else { return false }
        if stages.pipeline == nil { stages.pipeline = makePipeline(decoding: codecs) }
        stages.pipeline?.decode(with: codecs)
        outputs.recording.codecs = codecs.map(\.name)
        return true
    }

    /// Ends the run because a program that decodes has failed, except at the prompt, which then shows messages as received.
    func decodingFailed(_ failure: Failure) {
        if prompt == nil { end(with: failure) } else { diagnostics.report(failure) }
    }

    /// Executes what the pipeline has requested.
    /// - Parameter meetsGoal: Whether the message that is the cause has met the run's goal.
    func executeEffects(meetsGoal: Bool = false) {
        guard let pipeline = stages.pipeline else { return }
        // The messages that follow, such as answers and acknowledgements, are sent before the close frame.
        var meetsGoal = meetsGoal
        while let effect = pipeline.next() {
            switch effect {
            case .send(let payload, let kind, let purpose): send(payload.span.bytes, as: kind, for: purpose)
            case .decode(let payload, let program): stages.programs?.decode(payload, by: program)
            case .detected(let name):
                outputs.protocolName = name
                diagnostics.notice("wsx: detected the protocol \(name)")
            case .ready:
                // Words that the user may type.
                prompt?.remember(Array(pipeline.words.joined(separator: " ").utf8).span.bytes)
                loop.atEndOfTurn(self)
            case .event(let event):
                if let key = event.confirmedKey { lines.acknowledged(key) }
                if !state.ignoresIncoming, delivery.deliver(event) { meetsGoal = true }
            case .notUnderstood(let payload, let kind, let decoding, let reason):
                if !state.ignoresIncoming,
                    delivery.deliver(unchanged: payload.span.bytes, as: kind, decoding, because: reason)
                {
                    meetsGoal = true
                }
            case .lineSent(let number):
                lines.queue.heldLineSent(number, at: loop.turnTime)
                loop.atEndOfTurn(self)
            case .linesDropped(let numbers):
                let count = lines.queue.heldLinesDropped(numbers)
                // In a pipe, the end of the run reports their number.
                if count > 0, !state.ignoresIncoming, prompt != nil {
                    diagnostics.error(
                        "\(ApplicationFailure.unsent(count)): their subscription was refused or has ended")
                }
                loop.atEndOfTurn(self)
            case .renewed(let topic):
                lines.queue.renewed(topic, at: loop.turnTime)
            case .failed where pipeline.hasProtocol: loop.atEndOfTurn(self)
            case .failed:
                let timeout = settings.connector.timeouts.whole
                state.dropCause = .notReady(settings.arguments.exchange.ready ?? "", after: timeout)
                connection?.terminate()
            case .unanswered(let error): diagnostics.error("a message was not answered (--answer): \(error)")
            // Nothing is passed on.
            case .notEdited: break
            case .notGreeted(let error): end(with: .badArgument(what: "--first-message", why: "\(error)"))
            }
        }
        if meetsGoal { endAtGoal() }
        deadlineTimer.update()
        if let connection { waitForOutput(connection) }
    }

    /// Continues after the end of a program of `--answer`.
    private func programAnswered() {
        if current?.closesAfterAnswers ?? false, stages.programAnswers?.isIdle ?? true {
            return close(with: closeFrame)
        }
        guard let connection else { return }
        if stages.pipeline.map(holdsMuch) != true, !outputs.isFull { resumeReading() }
        waitForOutput(connection)
    }

    private func send(_ payload: RawSpan, as kind: MessageKind, for purpose: Pipeline.Purpose) {
        guard let connection else { return }
        switch purpose {
        case .application:
            if connection.send(payload, as: kind) { outputs.writeSent(protocolMessage: payload, as: kind) }
        case .line: lines.send(own: payload, as: kind, on: connection)
        case .greeting: if lines.send(own: payload, as: kind, on: connection) { outputs.writeSent(payload, as: kind) }
        case .answer: if lines.send(own: payload, as: kind, on: connection) { outputs.writeAnswer(payload) }
        }
    }

    /// Closes the connection because the goal is met.
    func endAtGoal() {
        input.pause()
        closeAfterAnswers()
    }

    /// The condition of `--ready` that no message of the last connection has met, or `nil` if there is none.
    var missing: String? {
        stages.pipeline?.endedBeforeReady == true ? settings.arguments.exchange.ready : nil
    }

    // MARK: Readiness and failures

    private func peerBecameReady() {
        // Lines that have just been sent need a confirmation, even if the run is ending.
        lines.confirmInTime()
        guard let connection, !state.isEnding, isPeerReady else { return }
        // If the application protocol was detected late, sending has begun before the login.
        guard current?.hasBegunSending ?? false else { return beginSending(on: connection) }
        lines.sendWaiting()
        lines.confirmInTime()
        resumeInput()
        guard input.isOver else { return }
        if let linger = current?.linger { linger.messageArrived() } else { startLinger() }
    }

    private func applicationFailed(_ problem: ProtocolProblem) {
        // Once this end has begun to close, the server may leave, too.
        guard let connection, !state.isClosing else { return }
        let failure = applicationFailure(problem)
        let isRetried = lines.keepsLines && settings.arguments.staying.codes.retries(failure)
        if problem.isNormalEnd(reconnects: lines.keepsLines), !isRetried {
            current?.linger = nil
            return endAtGoal()
        }
        state.dropCause = failure
        if failure.report.isWorthRetrying { connection.terminate() } else { connection.close(settings.closeFrame) }
    }

    /// The failure of the application protocol because of a problem.
    func applicationFailure(_ problem: ProtocolProblem) -> Failure { .application(application(problem)) }

    func application(_ problem: ProtocolProblem) -> ApplicationFailure {
        ApplicationFailure(
            name: stages.pipeline?.applicationProtocol?.name ?? ProtocolChoice.automaticName, problem: problem)
    }

    /// The lines that wait for the server, or that it has refused, or `nil` if there are none.
    var heldLines: ProtocolProblem? {
        stages.hasProtocol ? stages.pipeline.flatMap { lines.queue.unsentLines(waitingFor: $0.lineCause) } : nil
    }

    func pipelineTimePassed() {
        stages.pipeline?.timePassed(at: loop.nowNanoseconds, unsentLines: heldLines)
        executeEffects()
    }
}

extension ConnectRun: EndOfTurnWork {
    /// Continues or ends the run, after the messages of the same read: they answer nothing that is sent now.
    package func endTurn() {
        guard let pipeline = stages.pipeline else { return }
        if let problem = pipeline.problem { return applicationFailed(problem) }
        if pipeline.isReady { peerBecameReady() }
    }
}
