import Conversation
import Formats
import Peer
import UserInterface
import WSCore

// Opening connections, and their beginning.
extension ConnectRun {
    func connect() {
        let mayUseTLS = settings.connector.mayUseTLS || settings.requestTemplate.leadsElsewhere
        diagnostics.warnIfInsecure(settings.arguments.client.tls, mayUseTLS: mayUseTLS)
        let destination = ConnectionSequence.Destination(
            settings.url, timeLimit: settings.connector.timeouts.whole, secrets: settings.secrets,
            commands: settings.secretCommands
        ) { [unowned self] () throws(Failure) in
            try renewRequest()
            var target = try embeddedEcho.resolving(settings.connector, for: settings.connector.request.url)
            // Lines with secrets may have to be sent again.
            target.redirects.secretMessages = settings.secrets.record.messageSources
            return target
        } attempt: { [unowned self] target, completion in
            environment.dial(target, settings, loop, completion)
        }
        let connections = ConnectionSequence(
            destination, backoff: settings.backoff, retrying: settings.arguments.staying.codes, on: loop
        ) { [unowned self] event in
            handle(event)
        }
        self.connections = connections
        connections.start()
    }

    private func handle(_ event: ConnectionSequence.Event) {
        switch event {
        case .starts:
            statistics.connectionStarted()
            showProgress(of: connections)
        case .step(let step): show(step)
        case .opened(let opened):
            showProgress(of: nil)
            self.opened(opened)
        case .waits(let wait, let isShortened, let failure):
            willWait(wait, isShortened: isShortened, because: failure)
        case .gaveUp(let failure):
            showProgress(of: nil)
            state.gaveUp(stages.scenario?.failure ?? failure)
            if staysAtPrompt() { return }
            state.end()
            finish()
        }
    }

    /// Records a step and shows it with `-v`, with secrets removed.
    private func show(_ step: Connector.Step) {
        diagnostics.secrets.add(step)
        if !outputs.isVerbose, let notice = ReportedRedirect.notice(of: step), statistics.isNew(redirect: notice) {
            diagnostics.notice(notice)
        }
        let report = step.report(without: diagnostics.secrets)
        guard let direction = report.direction else {
            return outputs.noticeVerbosely(report.lines.joined(separator: "\n"))
        }
        for line in report.lines {
            statistics.add(head: line, direction)
            outputs.show(head: line, direction)
        }
    }

    /// Reports why there is no connection, and when the next attempt follows.
    /// - Parameter isShortened: Whether the server has asked for a longer wait.
    private func willWait(_ wait: Duration, isShortened: Bool, because failure: Failure) {
        showProgress(of: nil)
        state.attemptFailed(failure)
        outputs.writeEvent { $0.writeFailure(failure) }
        // The user may type messages for a server that is not running yet.
        if settings.hasPrompt, prompt == nil {
            startPrompt()
            guard prompt != nil else { return }
        }
        prompt?.showsWait(wait)
        let remark = isShortened ? ", the longest wait" : ""
        let next = "reconnecting in \(Phrase.seconds(wait))\(remark) (attempt \(connections?.tryCount ?? 0))"
        diagnostics.notice("wsx: " + Failure.joined(failure.message ?? "", next))
    }

    /// Evaluates the request for the next attempt, with the latest outputs of programs and values of messages.
    private func renewRequest() throws(Failure) {
        let received = stages.writer?.received ?? []
        guard !settings.secretCommands.isEmpty || !received.isEmpty || !settings.requestTemplate.isConstant else {
            return
        }
        try settings.renewRequest(
            for: UInt64(statistics.openedCount + 1), received, from: statistics.opening?.request.url)
        guard let selection = settings.protocolSelection else { return }
        stages.pipeline?.takeLogin(of: selection.makeSession(connection: 1, clockOffset: loop.clockOffset))
    }

    /// Shows the attempts of a sequence on a terminal if they take long; with `nil`, stops that.
    func showProgress(of connections: ConnectionSequence?) {
        progress?.stop()
        progress = connections.map { ConnectProgress(of: $0, on: loop, diagnostics: diagnostics) }
    }

    /// Switches to another server, which gets no messages meant for the first one.
    func adopt(_ next: ConnectSettings) {
        let report = EndReport(of: self)
        report.showUndelivered("/connect does not take messages to another URL")
        report.showUnanswered()
        let decoders = decoders
        settings = next
        stages.pipeline = makePipeline(decoding: decoders)
        connections?.cancel()
        connections = nil
        statistics.serverChanged()
        lines.queue.begin(next.lines)
    }

    /// Continues with an open connection: sends the initial messages, then those that may not have arrived on the
    /// previous connection.
    func opened(_ opened: Connector.Opened) {
        let isFirst = statistics.opening == nil
        statistics.connectionOpened(opened, at: loop.now)
        let keepsSecrets =
            settings.connector.redirects.isTrusted || opened.request.url.mayReceiveSecrets(of: settings.url)
        stages.writer?.connectionOpened(statistics.openedCount, at: keepsSecrets ? nil : opened.request.url)
        if isFirst { settings.rememberURL() }
        outputs.noticeVerbosely(ReportedTimings.line(opened))
        outputs.writeEvent { $0.writeOpen(opened) }
        holdForPage()
        let connection = Connection(
            opened.stream, settings: settings.connection(), deflate: opened.deflate, resources: resources, handler: self
        )
        current = OpenConnection(connection: connection)
        delivery.connectionOpened()
        if settings.hasPrompt, prompt == nil { startPrompt() }
        guard state.connectionOpened() else { return }
        announce(opened, isFirst: isFirst)
        if statistics.openedCount == 1,
            let warning = OpeningNotice.unselectedSubprotocols(
                opened, without: diagnostics.secrets)
        {
            diagnostics.notice(warning)
        }
        startHeartbeat(of: connection)
        // A program that cannot be started closes the connection as soon as possible.
        if let program, !program.start(for: opened, isVerbose: outputs.isVerbose) {
            input.end(with: CloseFrame(code: .internalError, reason: "the program could not be started"))
        }
        // Nothing will be sent: the first message is the last one, even if others arrive with it.
        if !settings.readsPipe, settings.messages.isEmpty, state.lastMessage == nil { _ = state.inputEnded() }
        stages.programs?.start()
        if let scenario = stages.scenario {
            scenario.connectionWillStart(statistics.openedCount)
            // The steps ask for what the session of the last connection would renew.
            stages.pipeline = makePipeline(decoding: decoders)
        }
        stages.pipeline?.clockOffset = loop.clockOffset
        stages.pipeline?.opened(
            UInt64(statistics.openedCount), at: opened.request.url, subprotocol: opened.upgrade.subprotocol,
            now: loop.nowNanoseconds)
        connection.start(with: opened.firstBytes)
        executeEffects()
        if isPeerReady { beginSending(on: connection) }
    }

    /// Whether messages may be sent on the open connection, because there is no `--ready`, or a message has matched it,
    /// and the application protocol, if there is one, is ready.
    var isPeerReady: Bool { stages.pipeline?.isReady ?? true }

    /// Sends the messages of the command line and the input, now that the peer is ready.
    func beginSending(on connection: Connection<ConnectRun>) {
        // A first message cannot be encoded.
        guard state.failure == nil else { return }
        if let scenario = stages.scenario {
            current?.hasBegunSending = true
            return scenario.advance()
        }
        // The messages wait for the next connection.
        if connection.isClosing, lines.keepsLines { return }
        current?.hasBegunSending = true
        lines.beginSending()
        watchSending()
        startInput()
    }

    /// Starts the input, or resumes it after a reconnect.
    private func startInput() {
        if settings.hasPrompt {
            if state.isEnding { endAsAsked() }
            return
        }
        if settings.readsPipe, case .notBegun = input {
            var reading = settings.arguments.inputSettings
            if let lineEnd = settings.arguments.messages.lineEnd {
                reading.lineEnd = lineEnd.bytes
                reading.stripsCarriageReturn = true
            }
            reading.pacer = lines.pacer
            // A piece with something around it need not be text.
            if settings.wrapKind != nil { reading.kind = .binary }
            if program != nil { reading.maximumRecordBytes = settings.arguments.client.limits.maximumMessageBytes }
            input = .reading(InputReader(reading, from: environment.input, on: loop, receiver: self))
        }
        if input.close != nil { return endAsAsked() }
        if !settings.readsPipe { lines.sendLastMessage() }
        if input.isOver || !settings.readsPipe, state.inputEnded() { return endAsAsked() }
        guard input.isOver || (settings.arguments.format.readsInput && !settings.readsPipe) else {
            return resumeInput()
        }
        input.end()
        // Messages that are sent again may get further replies.
        state.awaitReplies()
        startLinger()
    }

    private func announce(_ opened: Connector.Opened, isFirst: Bool) {
        guard let prompt else {
            if !isFirst || connections?.tryCount != 0 { diagnostics.notice("wsx: connected to \(opened.request.url)") }
            return
        }
        prompt.showsConnected()
        diagnostics.notice(OpeningNotice.connected(opened, isFirst: isFirst, without: diagnostics.secrets))
    }

    private func startHeartbeat(of connection: Connection<ConnectRun>) {
        guard let beat = settings.heartbeat else { return }
        current?.heartbeat = HeartbeatTimer(beat, of: connection) { [unowned self] event in
            switch event {
            case .sentPing(let payload): outputs.show(control: .ping, payload.span.bytes, .sent)
            case .sentMessage(let message): outputs.writeSent(message.span.bytes, as: .text)
            case .lost(let silence):
                state.dropCause = .silent(for: silence, misses: beat.maximumMisses)
                self.connection?.terminate()
            }
        }
        guard settings.arguments.data.usesTemplates, let templates = stages.templates else { return }
        current?.heartbeat?.nextMessage = { [unowned self] in
            do throws(TemplateProblem) {
                return try templates.nextHeartbeat()
            } catch {
                outputs.diagnostics.error("the heartbeat message was not sent: \(error.words)")
                return nil
            }
        }
    }
}
