import Conversation
import Formats
import Peer
import UserInterface
import WSCore

// The end of connections and of the run.
extension ConnectRun {
    /// Closes the connection with the requested close frame. The run ends when the peer has answered.
    func endAsAsked() {
        state.end()
        input.pause()
        current?.linger = nil
        guard connection != nil else {
            connections?.cancel()
            // A user who leaves the prompt gets the status of the last connection.
            if settings.hasPrompt {
                state.stoppedConnecting(after: statistics.lastEnd, unacknowledgedCount: lines.queue.lineCount)
            }
            // Not within a readline callback, which would continue to draw a deleted line.
            setDeadline(after: .zero) { [unowned self] in finish() }
            return
        }
        if lines.delaysClosing() { return }
        closeAfterAnswers()
    }

    /// Starts the closing handshake when the programs of `--answer` that run have ended. They have the close timeout.
    func closeAfterAnswers() {
        guard let answers = stages.programAnswers, !answers.isIdle, !state.isHurried, connection != nil else {
            return close(with: closeFrame)
        }
        guard !(current?.closesAfterAnswers ?? false) else { return }
        current?.closesAfterAnswers = true
        setDeadline(after: settings.arguments.client.limits.closeTimeout) { [unowned self] in close(with: closeFrame) }
    }

    /// The close frame to send at the end.
    var closeFrame: CloseFrame { input.close ?? settings.closeFrame }

    /// Starts the closing handshake, unless it has already started.
    func close(with frame: CloseFrame) {
        guard let connection, connection.close(frame) else { return }
        if !state.isClosing { state.closing = .begun }
        limitClosing()
        closingBegan(with: frame)
    }

    /// Closes the connection for a reason of this end. With `--reconnect`, another one follows; otherwise, the run fails.
    func leave(because cause: Failure) {
        // The message may have been the last one that a scenario waited for.
        stages.scenario?.advance()
        guard let connection, !state.isEnding, !state.isClosing, state.dropCause == nil else { return }
        state.dropCause = cause
        current?.linger = nil
        if connection.close(settings.closeFrame) { closingBegan(with: settings.closeFrame) }
    }

    private func closingBegan(with frame: CloseFrame) {
        stages.pipeline?.closingBegan()
        outputs.writeSent(close: frame)
        prompt?.showsClosing()
    }

    /// Limits the wait for the peer's close frame to ``repliedLimit``, if it has replied to all messages.
    private func limitClosing() {
        guard let connection, state.isReplied, settings.arguments.client.limits.givenCloseTimeout == nil,
            !settings.hasPrompt
        else { return }
        setDeadline(after: Self.repliedLimit) { [unowned self] in
            guard connection.unsentBytes == 0, lines.queue.lineCount == 0 else { return }
            outputs.noticeVerbosely("The peer did not answer the close frame")
            connection.terminate()
        }
    }

    /// Ends the run with a failure. Only the first failure counts.
    /// - Parameter hurried: Whether to limit the peer's time to answer the close frame to ``hurriedLimit``.
    func end(with failure: Failure?, hurried: Bool = false) {
        let isFirstHurry = state.end(with: failure, hurried: hurried)
        current?.linger = nil
        input.pause()
        if hurried, stages.programs?.abandon() ?? false { return }
        guard let connection else {
            connections?.cancel()
            return finish()
        }
        lines.hurry()
        close(with: closeFrame)
        guard isFirstHurry else { return }
        setDeadline(after: Self.hurriedLimit) { connection.terminate() }
    }

    /// Opens another connection or finishes the run.
    func connectionEnded(_ end: ConnectionEnd) {
        let counters = connectionCounters
        releaseHeld()
        // A run without anything left to send or to confirm was about to close the connection itself.
        if state.isEnding || hasAllReplies, !state.isClosing, lines.queue.isDone { state.finishedClosing() }
        delivery.takeHeldAsReplies(isSentAgain: lines.keepsLines && state.interruption(by: end) != nil)
        let missing = delivery.missingReplies
        // The server may have closed the connection before this end could.
        delivery.leaveIfAsked()
        current = nil
        if let count = stages.programAnswers?.cancel(), count > 0 {
            diagnostics.error(
                "\(Phrase.count(count, "message")) \(count == 1 ? "was" : "were") not answered (--answer): the connection ended "
                    + "before the program")
        }
        delivery.connectionEnded()
        EndReport(of: self).showIncompleteInput()
        judge(end)
        let (droppedCount, givenUp, hasConfirmed) = endLines(because: end)
        statistics.connectionEnded(end, counters)
        outputs.writeEvent { $0.writeClose(end) }
        if opensAnother(after: end, givingUp: givenUp, hasConfirmed: hasConfirmed) { return }
        let report = EndReport(of: self)
        report.report(droppedAtEnd: droppedCount)
        state.lastConnectionEnded(end, unacknowledgedCount: lines.queue.lineCount)
        if let missing, state.failure == nil { report.show(missing: missing) }
        connections?.cancel()
        if staysAtPrompt() { return }
        finish()
    }

    /// Lets the scenario judge the end of a connection, unless another failure has led to it. With `--reconnect`, a
    /// connection that is lost before the last step is opened again.
    private func judge(_ end: ConnectionEnd) {
        guard let scenario = stages.scenario, state.failure == nil, state.dropCause == nil, !state.isEnding else {
            return
        }
        let isRetried = lines.keepsLines && state.interruption(by: end) != nil
        if let failure = scenario.connectionEnded(end, isRetried: isRetried) {
            _ = state.end(with: failure, hurried: false)
        } else if scenario.hasPassed {
            state.ignoreIncoming()
        }
    }

    /// Ends the connection for the application protocol and the lines.
    /// - Returns: The number of lines that waited for a subscription and are not kept for another connection, a line that is
    ///   given up, or `nil`, and whether the peer confirmed lines.
    private func endLines(
        because end: ConnectionEnd
    ) -> (droppedCount: Int, givenUp: Line?, hasConfirmed: Bool) {
        let cause = stages.pipeline?.lineCause ?? .login
        let problem = stages.pipeline?.ended(end, reconnects: lines.keepsLines)
        deadlineTimer.stop()
        if let problem, state.dropCause == nil { state.dropCause = applicationFailure(problem) }
        let isInterruption = state.interruption(by: end) != nil
        let keepsHeld = prompt != nil || isInterruption
        let droppedCount = lines.queue.droppedCount(keepsHeld: keepsHeld)
        let ended = lines.connectionEnded(
            end, isInterruption: isInterruption, keepsHeld: keepsHeld, waitingFor: cause)
        return (droppedCount, ended.givenUp, ended.hasConfirmed)
    }

    /// Opens another connection if the run continues after the end of this one.
    /// - Parameter line: A line that is given up, or `nil`. Without a prompt, the run ends.
    /// - Returns: Whether another connection follows.
    private func opensAnother(after end: ConnectionEnd, givingUp line: Line?, hasConfirmed: Bool) -> Bool {
        guard lines.keepsLines, let cause = state.interruption(by: end) else { return false }
        state.dropCause = nil
        state.conditions.connectionLost(resending: lines.queue.lineCount + settings.messages.count)
        if let line {
            let words = Failure.words(forLine: line)
            // The next connection would begin with a renewed subscription, too.
            guard let prompt, line.origin != .renewal else {
                state.gaveUp(.undeliverable(words, cause))
                return false
            }
            prompt.showsGivenUp(words)
        }
        prompt?.showsDisconnected()
        lines.connectionFollows()
        connections?.connectionWasLost(because: cause, hasConfirmed: hasConfirmed)
        // Keep reading the input: the messages are queued.
        resumeInput()
        return true
    }

    /// Finishes the run after its last connection.
    func finish() {
        showProgress(of: nil)
        if !state.isDraining {
            let report = EndReport(of: self)
            if settings.hasPrompt || outputs.isVerbose { report.showSummary(state.failure) }
            let countsUnanswered = !state.ignoresIncoming
            let unsentLines = report.unsentLines
            let endFailure = state.failure
            let lastCode = statistics.lastEnd?.code
            state.drain(
                requestFailure: lines.failure(countsUnanswered: countsUnanswered, lastCode: lastCode)
                    ?? report.protocolFailure ?? report.unsentFailure,
                refusal: report.refusal, missing: missing, isPrompt: settings.hasPrompt, lastCode: lastCode)
            // Close the prompt first: the last notices belong below the last typed line.
            closePrompt()
            if let endFailure, endFailure.report.yieldsToRefusal, report.refusal != nil {
                report.show(replaced: endFailure)
            }
            if let failure = state.failure { outputs.writeEvent { $0.writeFailure(failure) } }
            report.showUndelivered()
            // A failure before the first request, such as a refused login, explains that there are no replies.
            if countsUnanswered, settings.hasPrompt || state.failure == nil || lines.queue.hasSent {
                report.showUnanswered()
            }
            report.showGreetings()
            if let unsentLines { report.show(unsent: unsentLines) }
            report.showUndetected()
        }
        input.closeReader()
        deadline = nil
        stop()
    }

    /// The time limit of a hurried end, after a time limit, a signal, or the loss of standard output. It applies to the
    /// closing handshake, and then again to slow outputs.
    private static let hurriedLimit = Duration.milliseconds(500)

    /// The time limit of the closing handshake after replies to all messages, unless `--close-timeout` is given.
    private static let repliedLimit = Duration.seconds(1)

    /// Stops the loop when the outputs have written everything. A hurried end limits that time. The hurry may begin
    /// during this wait, when a time limit or a signal ends a run with a stuck reader.
    private func stop() {
        outputs.flush()
        if outputs.isDrained { stopLoop() }
        guard state.isHurried else { return }
        setDeadline(after: Self.hurriedLimit) { [unowned self] in stopLoop() }
    }

    /// Stops the loop after the program, if any, has ended.
    func stopLoop() {
        if let program, !program.isGone { program.endInput() } else { loop.stop() }
    }

    private func setDeadline(after delay: Duration, action: @escaping () -> Void) {
        let timer = Timer(on: loop, action: action)
        deadline = timer
        timer.start(after: delay)
    }

    // MARK: Outputs and signals

    /// Resumes the peer and the input after an output has written its backlog. All pauses for outputs end here.
    func outputDidDrain() {
        if outputs.isFull {
            outputs.watchLog()
        } else {
            stages.programs?.resume()
            if stages.pipeline.map(holdsMuch) != true { resumeReading() }
        }
        resumeInput()
        if state.isDraining, outputs.isDrained { stopLoop() }
    }

    /// Handles the failure of standard output. A closed pipe is a normal end.
    func outputDidFail(_ error: IOError) {
        // A program may stop reading at any time.
        guard program == nil else { return outputDidDrain() }
        state.ignoreIncoming()
        end(with: error == .brokenPipe ? nil : .output(error), hurried: true)
        // Keep reading until the peer's close frame.
        outputDidDrain()
        if state.isDraining { loop.stop() }
    }

    /// Stops recording. This ends the run, except at the prompt.
    func recordingDidFail(_ failure: Failure) {
        if prompt == nil { end(with: failure) } else { diagnostics.report(failure) }
        outputDidDrain()
    }

    /// Resumes reading from the peer. Replies may have been waiting, so request timeouts restart.
    func resumeReading() {
        guard let connection, connection.isPausedByUser else { return }
        lines.queue.holdExpiry(at: loop.now)
        connection.resumeReading()
    }

    func interrupted() {
        // Ignore the signal while the user's editor runs: it is meant for the editor, which is in the same process
        // group.
        if prompt?.editor.isAway ?? false { return }
        if let prompt, !state.isEnding { return prompt.interrupted() }
        if state.isInterruptFinal { return loop.stop() }
        end(with: .interrupted, hurried: true)
    }
}
