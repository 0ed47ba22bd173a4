import Conversation
import Formats
import Peer
import UserInterface
import WSCore

// Lines and events of an application protocol.
extension ConnectRun {
    /// The outcome of sending a line.
    enum LineSending {
        /// Sent. In an application protocol, the reply may have a key.
        case sent(key: ProtocolEvent.ReplyKey?, confirmedBy: LineConfirmation = .pong)
        /// The application protocol keeps the line until the server has confirmed its subscription.
        case waiting(key: ProtocolEvent.ReplyKey?)
        /// The session sends the line on every connection. `isSent` tells whether it has just done so.
        case renewed(key: ProtocolEvent.ReplyKey?, isSent: Bool)
        /// Not sent, because the connection is closing.
        case unsent
        /// Not sent, because it is invalid, which has been reported.
        case invalid
    }

    /// Sends a line, through the application protocol if there is one. Binary messages bypass the protocol.
    func transmit(_ payload: RawSpan, as kind: MessageKind, _ line: Pipeline.Line) -> LineSending {
        guard let connection else { return .unsent }
        sendPingBeforeMessages()
        guard let pipeline = stages.pipeline, pipeline.hasProtocol, kind == .text else {
            do throws(CodecError) {
                return try encode(payload, as: kind, on: connection) ? .sent(key: nil) : .unsent
            } catch {
                end(because: .notEncodable(error), sending: line)
                return .invalid
            }
        }
        guard !connection.isClosing else { return .unsent }
        if case .operand(let number) = line.origin, line.wasSent, pipeline.hasRenewed(operand: number) {
            return .renewed(key: nil, isSent: false)
        }
        do throws(ProtocolInputError) {
            let sending = try pipeline.submit(payload, as: .text, line, at: loop.nowNanoseconds)
            executeEffects()
            switch sending.delivery {
            case .sent(let confirmation): return .sent(key: sending.key, confirmedBy: confirmation)
            case .waiting: return .waiting(key: sending.key)
            case .renewed:
                stages.acknowledgements?.record(payload, as: .text, confirmedBy: .renewal)
                return .renewed(key: sending.key, isSent: true)
            }
        } catch {
            report(error, sending: line, through: pipeline)
            return .invalid
        }
    }

    /// Reports a line that the application protocol does not send.
    private func report(_ error: ProtocolInputError, sending line: Pipeline.Line, through pipeline: Pipeline) {
        // As if the refusal had arrived while the line was waiting.
        if error.isRefused, prompt == nil { return pipeline.drop(1, because: .refusal, mayHaveArrived: line.wasSent) }
        switch line.past {
        case .new: end(because: .notALine(error), sending: line)
        // It may have arrived on the lost connection.
        case .sent: outputs.noticeVerbosely("A line was not sent again: \(error)")
        case .kept:
            // In a pipe, one line is reported, and the end of the run reports the number of all.
            if prompt != nil || pipeline.unsentLines == nil { console.error("a line was not sent: \(error)") }
            pipeline.drop(1, because: .invalid)
        }
    }

    /// Ends the run because a line cannot be sent. At the prompt, reports it.
    func end(because problem: InputProblem, sending line: Pipeline.Line) {
        if prompt != nil {
            console.error("the line was not sent: \(problem)")
        } else if case .operand(let number) = line.origin {
            end(with: stages.encoder?.programFailure ?? .badInput(what: "message \(number)", why: "\(problem)"))
        } else {
            received(badInput: line.name ?? input.recordName, problem)
        }
    }

    /// Reports lines that waited for a subscription that has ended. In a pipe, the end of the run reports their number.
    func report(dropped count: Int) {
        if prompt != nil {
            console.error("\(ApplicationFailure.unsent(count)): their subscription was refused or has ended")
        }
    }

    /// Reports the lines that waited for a subscription at the end of the prompt's connection.
    func report(droppedAtEnd count: Int) {
        guard prompt != nil, count > 0 else { return }
        console.error("\(ApplicationFailure.unsent(count)): the server did not confirm the subscription")
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
        settings.isRepl || state.ignoresIncoming ? nil : stages.pipeline?.unsentLines.map(application)
    }

    /// Reports lines that were not sent, unless the run fails with that error.
    func show(unsent lines: ApplicationFailure) {
        switch state.failure {
        case .application(lines)?, .incomplete(_, .application(lines))?: break
        default: console.error(state.failure == nil ? lines.report.message ?? "" : lines.note)
        }
    }

    /// Reports that the server speaks none of the known protocols.
    func showUndetected() {
        guard stages.hasProtocol, stages.pipeline?.applicationProtocol == nil, statistics.openedCount > 0 else {
            return
        }
        console.notice("wsx: --protocol auto detected no protocol; messages were sent and shown unchanged")
    }

    /// Reports the received data that is incomplete at the end of a connection.
    func showIncompleteInput() {
        guard !state.ignoresIncoming else { return }
        if let error = stages.codecs?.incompleteMessage { outputs.report(undecoded: "\(error)") }
        if let words = stages.pipeline?.incompleteInput {
            console.notice("wsx: the connection ended within \(words)")
        }
    }
}

extension ConnectRun.LineSending {
    /// How to show a line that has been taken, and the key of its reply. `nil` for other lines.
    var shown: (direction: Transcript.Direction, key: ProtocolEvent.ReplyKey?)? {
        switch self {
        case .sent(let key, _), .renewed(let key, isSent: true): (.sent, key)
        case .waiting(let key): (.queued, key)
        case .renewed, .unsent, .invalid: nil
        }
    }
}
