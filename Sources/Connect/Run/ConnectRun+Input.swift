import Conversation
import Formats
import Peer
import UserInterface
import WSCore

// The source end of the pipeline.
extension ConnectRun {
    /// Whether the input should pause.
    var isFull: Bool {
        connection?.isFull ?? false || lines.queue.isFull || stages.pipeline?.isFull ?? false || outputs.delaysInput
            || lines.holdsInput(of: self)
    }

    /// Starts or resumes reading the input.
    func resumeInput() {
        guard !state.isEnding, !isFull else { return }
        input.start()
    }

    /// Starts waiting for replies after the end of the input.
    /// - Parameter minimum: The shortest wait.
    func startLinger(atLeast minimum: Duration = .zero) {
        guard connection != nil, !state.isEnding, isPeerReady, lines.queue.isSettled, !lines.holdsBack
        else { return }
        let linger = settings.linger
        guard let limit = linger.limit else { return }
        let roundTrip = settings.countsReplies ? delivery.replies?.roundTrip : nil
        current?.linger = InactivityTimer(
            max(limit, minimum), restartsOnArrival: linger.restartsOnArrival, roundTrip: roundTrip, on: loop
        ) { [unowned self] in
            activity
        } action: { [unowned self] quietPeriod in
            delivery.takeHeldAsReplies()
            guard connection != nil, !state.isEnding else { return }
            // A message that waits on the page may be a reply.
            guard !holdsMessages else { return startLinger(atLeast: .milliseconds(100)) }
            // A script cannot act on it.
            if let quietPeriod, diagnostics.terminal != nil {
                let time = Phrase.duration(quietPeriod)
                diagnostics.notice("Ended \(time) after one reply per message; --linger 5s waits for more")
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
            answeredRoundTrip: !settings.countsReplies
                ? nil
                : delivery.replies?.answeredRoundTrip(
                    sentCount: sentLineCount(on: connection), receivedCount: state.conditions.replyCount))
    }

    /// Ends the input, with the close frame it contains, if any. Without a connection, the next one is closed.
    /// - Parameter waitsForReplies: Whether to wait for replies before closing, as after any end of input. Requests are
    ///   always waited for.
    private func endInput(with frame: CloseFrame?, waitsForReplies: Bool = false) {
        input.closeReader()
        input.end(with: frame)
        inputEnded(nil)
        guard frame != nil, connection != nil, !waitsForReplies, lines.queue.isSettled, !lines.holdsBack
        else { return }
        endAsAsked()
    }
}

extension ConnectRun: InputReader.Receiver {
    /// Processes an input item.
    package func received(input item: InputItem, _ payload: RawSpan, client: Int?) {
        guard !state.isEnding else { return }
        switch item {
        case .message(let kind):
            lines.submit(payload, as: kind, of: self)
            // Not only at the end of what has been read, which may contain many lines.
            if lines.pacer != nil, isFull { input.pause() }
        case .ping: send(control: .ping, payload)
        case .pong: send(control: .pong, payload)
        case .close(let frame): endInput(with: frame)
        case .end(let frame): endInput(with: frame, waitsForReplies: true)
        }
    }

    /// Ends the run because the input cannot be sent.
    package func received(badInput what: String, _ problem: InputProblem) {
        guard !state.isEnding else { return }
        if case .notATemplate(let problem) = problem, let redirect = problem.redirect {
            return end(with: .connecting(url: "\(settings.url)", .redirect(redirect)))
        }
        if let program { return program.received(badOutput: problem, named: what) }
        end(with: stages.encodingProgram?.failure ?? .badInput(what: what, why: "\(problem)"))
    }

    /// Pauses the input while a queue is full.
    package func receivedInputPiece() {
        if isFull {
            input.pause()
            outputs.watchLog()
        }
        lines.confirmInTime()
        watchSending()
    }

    /// Handles the end of the input: waits for replies.
    package func inputEnded(_ error: IOError?) {
        watchSending()
        input.end()
        // An unreadable descriptor, which nohup may leave behind, counts as empty input.
        if let error, error != .badDescriptor { return end(with: .input(error)) }
        lines.sendLastMessage()
        lines.inputEnded()
        if state.inputEnded() { endAsAsked() } else { startLinger() }
        program?.endConnection()
    }
}
