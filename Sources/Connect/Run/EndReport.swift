import Conversation
import Formats
import Peer
import UserInterface
import WSCore

/// What a run says about its end and that of its connections: the failures of lines, and notices. It reads the state of
/// the run, and changes nothing.
struct EndReport {
    private let run: ConnectRun
    private var settings: ConnectSettings { run.settings }
    private var state: RunState { run.state }
    private var statistics: ConnectStatistics { run.statistics }
    private var lines: LineStage { run.lines }
    private var pipeline: Pipeline? { run.stages.pipeline }
    private var outputs: ConnectOutputs { run.outputs }
    private var diagnostics: Diagnostics { run.diagnostics }

    init(of run: ConnectRun) { self.run = run }

    // MARK: Failures

    /// The failure caused by errors that the server has reported, or by lines that wait for it, or `nil` if there is
    /// none. The failure of a program explains lines that wait.
    var protocolFailure: Failure? {
        guard let pipeline, run.program?.failure == nil else { return nil }
        // The steps judge what the server says.
        if run.stages.scenario != nil { return unsentLines.map { .application($0) } }
        let (replies, refusals) = pipeline.errorCounts
        if settings.arguments.replies.failsOnErrorReply, replies + refusals > 0 {
            return .errorReplies(replies + refusals)
        }
        if let unsentLines, refusals == 0 || unsentLines.report.status == .unmet { return .application(unsentLines) }
        guard !settings.hasPrompt, !state.ignoresIncoming else { return nil }
        if refusals > 0 { return run.applicationFailure(.errors(refusals)) }
        let unconfirmedCount = pipeline.unconfirmedLineCount
        return unconfirmedCount > 0 ? run.applicationFailure(.unconfirmedLines(unconfirmedCount)) : nil
    }

    /// The failure caused by a refusal, which counts more than how the connection has ended, or `nil` if there is none.
    var refusal: Failure? {
        guard pipeline?.errorCounts.refusals ?? 0 > 0, let failure = protocolFailure, failure.status == .unmet
        else { return nil }
        return failure
    }

    /// The lines that wait for the server, or that it has refused, or `nil` if there are none. At the prompt, the user
    /// knows them and leaves at any time.
    var unsentLines: ApplicationFailure? {
        settings.hasPrompt || state.ignoresIncoming ? nil : run.heldLines.map(run.application)
    }

    /// The failure for messages that were not sent because the connection ended before, or `nil` if there are none. If a
    /// part of the input was sent, the rest does not count: the peer has decided that it is done.
    var unsentFailure: Failure? {
        guard !settings.hasPrompt, !state.ignoresIncoming, run.missing == nil, let end = statistics.lastEnd
        else { return nil }
        let operandCount =
            (lines.keepsLines ? lines.queue.waitingCount : 0)
            + (lines.areRequests ? 0 : lines.queue.unsentOperandCount)
        let lastCount = state.lastMessage == nil ? 0 : 1
        guard settings.readsPipe, run.program == nil, run.input.recordNumber == state.unsentInputCount else {
            return operandCount + lastCount > 0 ? .unsent(operandCount + lastCount, end.code) : nil
        }
        let count = operandCount + state.unsentInputCount
        if count == 0, !run.input.isOver, run.input.hasUnsentData(run.environment.input) {
            return .unsent(nil, end.code)
        }
        return count + lastCount > 0 ? .unsent(count + lastCount, end.code) : nil
    }

    // MARK: Notices

    /// Shows the traffic and the end of the last connection.
    func showSummary(_ failure: Failure?) {
        guard let summary = statistics.summary(at: run.loop.now, isVerbose: outputs.isVerbose) else { return }
        diagnostics.notice(summary, as: outputs.view == nil ? nil : failure == nil ? .received : .failure)
    }

    /// Reports the messages that may not have arrived, and those that were not sent.
    /// - Parameter remark: The reason why the latter are not sent, or what sends them; `nil`: the run ends.
    func showUndelivered(_ remark: String? = nil) {
        guard lines.keepsLines else { return }
        let waitingCount = lines.queue.waitingCount
        let unconfirmedCount = lines.queue.unconfirmedCount
        let source = settings.hasPrompt ? "" : " of the input"
        if unconfirmedCount > 0 {
            let last = unconfirmedCount == 1 ? "the last message" : "the last \(unconfirmedCount) messages"
            let messages = waitingCount == 0 ? last : Phrase.count(unconfirmedCount, "message")
            diagnostics.error("\(messages)\(source) may not have reached the peer")
        }
        if case .unsent = state.failure { return }
        guard waitingCount > 0 else { return }
        let messages = Phrase.count(waitingCount, "message") + source
        diagnostics.error(
            "\(messages) \(waitingCount == 1 ? "was" : "were") not sent" + (remark.map { ": \($0)" } ?? ""))
    }

    /// Reports how many requests have no reply, unless the run fails with that error.
    func showUnanswered() {
        let count = lines.queue.unansweredCount
        guard count > 0 else { return }
        guard statistics.openedCount > 0 else {
            // Without a prompt, the run fails because there was no connection.
            if settings.hasPrompt {
                diagnostics.error("\(Phrase.count(count, "request")) \(count == 1 ? "was" : "were") not sent")
            }
            return
        }
        switch state.failure {
        case .unanswered, .closedEarly: break
        default: diagnostics.error(Failure.words(forUnanswered: count))
        }
    }

    /// Reports missing replies. A script that sends to a server without replies reads nothing about it.
    func show(missing replies: MissingReplies) {
        guard replies.replyCount > 0 || diagnostics.terminal != nil else { return }
        let remedy = state.isClosing && run.input.close == nil ? "; --linger 5s waits for more" : ""
        diagnostics.notice("Ended with \(replies.words)\(remedy)")
    }

    /// Reports the lines that waited for a subscription at the end of the prompt's connection, and are not kept.
    func report(droppedAtEnd count: Int) {
        guard run.prompt != nil, count > 0 else { return }
        let cause =
            run.stages.hasProtocol ? "the server did not confirm the subscription" : "no message matched --ready"
        diagnostics.error("\(ApplicationFailure.unsent(count)): \(cause)")
    }

    /// Reports lines that were not sent, unless the run fails with that error.
    func show(unsent lines: ApplicationFailure) {
        switch state.failure {
        case .application(lines)?, .incomplete(_, .application(lines))?: break
        default: diagnostics.error(state.failure == nil ? lines.report.message ?? "" : lines.note)
        }
    }

    /// Reports the received data that is incomplete at the end of a connection.
    func showIncompleteInput() {
        guard !state.ignoresIncoming else { return }
        if let error = pipeline?.incompleteMessage { outputs.report(undecoded: "\(error)") }
        if let words = pipeline?.incompleteInput {
            diagnostics.notice("wsx: the connection ended within \(words)")
        }
    }

    /// Explains why messages that were written are no replies, if replies are missing.
    func showGreetings() {
        let count = state.conditions.greetingCount
        guard settings.tellsGreetings, count > 0, state.conditions.replyCount == 0,
            [.closed, .timedOut, .unmet].contains(state.failure?.status)
        else { return }
        let messages = "\(Phrase.count(count, "message")) \(count == 1 ? "was" : "were")"
        diagnostics.error(
            "a greeting is no reply: \(messages) sent before the peer had read one; --ready waits for it, --count counts it"
        )
    }

    /// Shows a failure that is less important than a refusal. The message of the refusal has the progress.
    func show(replaced failure: Failure) {
        if case .waitEnded = failure { return }
        if let message = failure.message { diagnostics.error(message) }
    }

    /// Reports that the server speaks none of the known protocols.
    func showUndetected() {
        guard run.stages.hasProtocol, pipeline?.applicationProtocol == nil, statistics.openedCount > 0 else {
            return
        }
        diagnostics.notice("wsx: --protocol auto detected no protocol; messages were sent and shown unchanged")
    }
}
