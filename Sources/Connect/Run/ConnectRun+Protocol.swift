import Conversation
import Formats
import Peer
import UserInterface
import WSCore

// Lines and events of an application protocol.
extension ConnectRun {
    /// Reports lines that waited for a subscription that has ended. In a pipe, the end of the run reports their number.
    func report(dropped count: Int) {
        if prompt != nil {
            diagnostics.error("\(ApplicationFailure.unsent(count)): their subscription was refused or has ended")
        }
    }

    /// Reports the lines that waited for a subscription at the end of the prompt's connection, and are not kept.
    func report(droppedAtEnd count: Int) {
        guard prompt != nil, count > 0 else { return }
        diagnostics.error("\(ApplicationFailure.unsent(count)): the server did not confirm the subscription")
    }

    /// The failure caused by errors that the server has reported, or by lines that wait for it, or `nil` if there is
    /// none. The failure of a program explains lines that wait.
    var protocolFailure: Failure? {
        guard let pipeline = stages.pipeline, program?.failure == nil, stages.scenario == nil else { return nil }
        let (replies, refusals) = pipeline.errorCounts
        if settings.arguments.replies.failsOnErrorReply, replies + refusals > 0 {
            return .errorReplies(replies + refusals)
        }
        if let unsentLines, refusals == 0 || unsentLines.report.status == .unmet { return .application(unsentLines) }
        guard !settings.isRepl, !state.ignoresIncoming else { return nil }
        if refusals > 0 { return applicationFailure(.errors(refusals)) }
        let unconfirmedCount = pipeline.unconfirmedLineCount
        return unconfirmedCount > 0 ? applicationFailure(.unconfirmedLines(unconfirmedCount)) : nil
    }

    /// The failure caused by a refusal, which counts more than how the connection has ended, or `nil` if there is none.
    var refusal: Failure? {
        guard stages.pipeline?.errorCounts.refusals ?? 0 > 0, let failure = protocolFailure, failure.status == .unmet
        else { return nil }
        return failure
    }

    /// The lines that wait for the server, or that it has refused, or `nil` if there are none. At the prompt, the user
    /// knows them and leaves at any time.
    var unsentLines: ApplicationFailure? {
        settings.isRepl || state.ignoresIncoming ? nil : heldLines.map(application)
    }

    /// The same, also at the prompt.
    var heldLines: ProtocolProblem? {
        stages.hasProtocol ? stages.pipeline.flatMap { lines.queue.unsentLines(waitingFor: $0.lineCause) } : nil
    }

    /// Reports lines that were not sent, unless the run fails with that error.
    func show(unsent lines: ApplicationFailure) {
        switch state.failure {
        case .application(lines)?, .incomplete(_, .application(lines))?: break
        default: diagnostics.error(state.failure == nil ? lines.report.message ?? "" : lines.note)
        }
    }

    /// Reports that the server speaks none of the known protocols.
    func showUndetected() {
        guard stages.hasProtocol, stages.pipeline?.applicationProtocol == nil, statistics.openedCount > 0 else {
            return
        }
        diagnostics.notice("wsx: --protocol auto detected no protocol; messages were sent and shown unchanged")
    }

    /// Reports the received data that is incomplete at the end of a connection.
    func showIncompleteInput() {
        guard !state.ignoresIncoming else { return }
        if let error = stages.codecs?.incompleteMessage { outputs.report(undecoded: "\(error)") }
        if let words = stages.pipeline?.incompleteInput {
            diagnostics.notice("wsx: the connection ended within \(words)")
        }
    }
}
