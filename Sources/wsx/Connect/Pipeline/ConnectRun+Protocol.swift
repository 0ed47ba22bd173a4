import Conversation
import Formats
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
    /// - Parameters:
    ///   - wantsReply: Whether to ask for a reply.
    ///   - isAgain: Whether the line was already sent on a lost connection. It may now be invalid, for example if the
    ///     session has renewed the subscription for which it asks.
    ///   - hasWaited: Whether the line was kept until there was a connection.
    ///   - number: The number of the command-line message, or `nil` for other lines.
    ///   - typed: The number of the request that the line is at the prompt, or `nil` for other lines.
    ///   - name: The name of any other line in errors; nil: that of the current input line.
    func transmit(
        line: RawSpan, as kind: MessageKind, wantsReply: Bool = false, again isAgain: Bool = false,
        waited hasWaited: Bool = false, message number: Int? = nil, typed: Int? = nil, name: String? = nil
    ) -> LineSending {
        guard let connection else { return .unsent }
        guard let application = stages.application, kind == .text else {
            do throws(CodecError) {
                return try encode(line, as: kind, on: connection) ? .sent(key: nil) : .unsent
            } catch {
                end(because: .notEncodable(error), sending: number, name)
                return .invalid
            }
        }
        guard !connection.isClosing else { return .unsent }
        if let number, isAgain, application.hasRenewed(message: number) { return .renewed(key: nil, isSent: false) }
        do throws(ProtocolInputError) {
            let (delivery, key) = try application.send(
                line, wantsReply: wantsReply, again: isAgain, message: number, typed: typed)
            switch delivery {
            case .sent(let confirmation): return .sent(key: key, confirmedBy: confirmation)
            case .waiting: return .waiting(key: key)
            case .renewed:
                stages.acknowledgements?.record(line, as: .text, confirmedBy: .renewal)
                return .renewed(key: key, isSent: true)
            }
        } catch {
            if error.isRefused, prompt == nil {
                // As if the refusal had arrived while the line was waiting.
                application.dropLine(because: .refusal, mayHaveArrived: isAgain)
            } else if isAgain {
                // It may have arrived on the lost connection.
                outputs.noticeVerbosely("A line was not sent again: \(error)")
            } else if hasWaited {
                // In a pipe, one line is reported, and the end of the run reports the number of all.
                if prompt != nil || application.unsentLines == nil { console.error("a line was not sent: \(error)") }
                application.dropLine(because: .invalid)
            } else {
                end(because: .notALine(error), sending: number, name)
            }
            return .invalid
        }
    }

    /// Ends the run because a line cannot be sent. At the prompt, reports it.
    func end(because problem: InputProblem, sending number: Int?, _ name: String? = nil) {
        if prompt != nil {
            console.error("the line was not sent: \(problem)")
        } else if let number {
            end(with: .badInput(what: "message \(number)", why: "\(problem)"))
        } else {
            received(badInput: name ?? input.recordName, problem)
        }
    }

    /// Sends a message of the input as a request.
    /// - Returns: The key of the reply, or `nil` if there will be none.
    func send(line message: Request, wasSent: Bool) -> ProtocolEvent.ReplyKey? {
        let payload = message.payload.span.bytes
        // Earlier requests have waited for their replies.
        let isLatest = message.number == stages.requests?.messageCount
        // At the prompt, a reply is optional.
        let isTyped = !message.isInitial && stages.requests?.isImplicit ?? false
        let sending = transmit(
            line: payload, as: message.kind, wantsReply: true, again: wasSent,
            message: message.isInitial ? message.number : nil, typed: isTyped ? message.number : nil,
            name: isLatest ? nil : "request \(message.number)")
        guard let (direction, key) = sending.shown else {
            if case .unsent = sending { reportUnsent() }
            return nil
        }
        if case .sent(_, let confirmation) = sending, !message.isInitial, key == nil || isTyped {
            stages.acknowledgements?.record(
                payload, as: message.kind, confirmedBy: confirmation,
                from: key == nil ? .input : .request(message.number))
        }
        let number = key == nil ? nil : message.number
        outputs.writeSent(payload, as: message.kind, direction, again: wasSent, request: number)
        return key
    }

    /// Passes a received message through the protocol.
    func receive(
        _ payload: RawSpan, as kind: MessageKind, _ decoding: Decoding?, through application: ProtocolStage,
        on connection: Connection<ConnectRun>
    ) {
        let arrivals = application.received(payload, as: kind) { transmit($0, as: $1, on: connection) }
        for arrival in arrivals where !state.ignoresIncoming {
            let isLast =
                switch arrival {
                case .event(let event): passOn(event)
                case .unchanged(let reason): passOn(unchanged: payload, as: kind, decoding, reason)
                case .droppedLines(let count): report(dropped: count)
                }
            guard isLast else { continue }
            input.pause()
            close(with: closeFrame)
        }
        waitForOutput(connection)
    }

    /// Passes on a message that the protocol does not understand.
    /// - Returns: Whether it meets the run's goal.
    private func passOn(
        unchanged payload: RawSpan, as kind: MessageKind, _ decoding: Decoding?, _ reason: String?
    ) -> Bool {
        current?.linger?.messageArrived()
        stages.templates?.received(payload)
        if kind == .text { prompt?.remember(payload) }
        if let reason { console.notice("wsx: the next message is shown unchanged: \(reason)") }
        let isWritten = outputs.write(payload, as: kind, decoding: decoding)
        return state.isLast(payload, isOmitted: !isWritten)
    }

    /// Reports lines that waited for a subscription that has ended. In a pipe, the end of the run reports their number.
    /// - Returns: `false`: the run goes on.
    private func report(dropped count: Int) -> Bool {
        if prompt != nil {
            console.error("\(ApplicationFailure.unsent(count)): their subscription was refused or has ended")
        }
        return false
    }

    /// Reports the lines that waited for a subscription at the end of the prompt's connection.
    func report(droppedAtEnd count: Int) {
        guard prompt != nil, count > 0 else { return }
        console.error("\(ApplicationFailure.unsent(count)): the server did not confirm the subscription")
    }

    /// Passes on an event.
    /// - Returns: Whether it meets the run's goal.
    private func passOn(_ event: ProtocolEvent) -> Bool {
        var finding = RequestTracker.Finding.push
        let isReported = stages.application?.explains(event) ?? false
        switch event.role {
        case .hidden, .notice, .refusal:
            outputs.show(aside: event, isReported: isReported)
            return false
        case .event: break
        case .reply(let key, _): finding = key.flatMap { stages.requests?.received(key: $0) } ?? .push
        }
        current?.linger?.messageArrived()
        stages.templates?.received(event.payload.span.bytes)
        let line = event.line
        if event.isText { prompt?.remember(line.span.bytes) }
        let isPush = stages.requests != nil && finding.reply == nil
        let isWritten = outputs.write(event, reply: finding.reply, isPush: isPush)
        if event.role.isError, !isReported { outputs.report(error: event, asReplyTo: finding.reply?.number) }
        if case .lateReply(let reply, let delay) = finding, prompt == nil {
            console.error("request \(reply.number): the reply arrived \(Phrase.duration(delay)) late")
        }
        return state.isLast(
            line.span.bytes, isOmitted: !isWritten, isReply: stages.requests == nil || finding.reply != nil)
    }

    /// The failure caused by errors that the server has reported, or by lines that wait for it, or `nil` if there is
    /// none. The failure of a program explains lines that wait.
    var protocolFailure: Failure? {
        guard let application = stages.application, program?.failure == nil else { return nil }
        let (replies, refusals) = application.errorCounts
        if settings.arguments.replies.failsOnErrorReply, replies + refusals > 0 {
            return .errorReplies(replies + refusals)
        }
        if let unsentLines, refusals == 0 || unsentLines.report.status == .unmet { return .application(unsentLines) }
        guard !settings.isRepl, !state.ignoresIncoming else { return nil }
        if refusals > 0 { return .application(application.failure(.errors(refusals))) }
        return application.unconfirmedLines.map { .application($0) }
    }

    /// The failure caused by a refusal, which counts more than how the connection has ended, or `nil` if there is none.
    var refusal: Failure? {
        guard stages.application?.errorCounts.refusals ?? 0 > 0, let failure = protocolFailure, failure.status == .unmet
        else { return nil }
        return failure
    }

    /// The lines that wait for the server, or that it has refused, or `nil` if there are none. At the prompt, the user
    /// knows them and leaves at any time.
    var unsentLines: ApplicationFailure? {
        settings.isRepl || state.ignoresIncoming ? nil : stages.application?.unsentLines
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
        guard let application = stages.application, application.descriptor == nil, statistics.openedCount > 0 else {
            return
        }
        console.notice("wsx: --protocol auto detected no protocol; messages were sent and shown unchanged")
    }

    /// Reports the received data that is incomplete at the end of a connection.
    func showIncompleteInput() {
        guard !state.ignoresIncoming else { return }
        if let error = stages.codecs?.incompleteMessage { outputs.report(undecoded: "\(error)") }
        if let words = stages.application?.incompleteInput {
            console.notice("wsx: the connection ended within \(words)")
        }
    }
}

extension ConnectRun: ProtocolStage.Host {
    var isClosing: Bool { state.isClosing }

    func transmit(_ payload: RawSpan, as kind: MessageKind) {
        _ = connection?.send(payload, as: kind)
    }

    func passOn(_ arrivals: [ProtocolStage.Arrival]) {
        for arrival in arrivals where !state.ignoresIncoming {
            let isLast =
                switch arrival {
                case .event(let event): passOn(event)
                case .droppedLines(let count): report(dropped: count)
                case .unchanged: false
                }
            guard isLast else { continue }
            input.pause()
            close(with: closeFrame)
        }
    }

    func sent(waitingLine line: UnconfirmedLines.Line, confirmedBy confirmation: LineConfirmation) {
        stages.acknowledgements?.record(
            line.payload.span.bytes, as: line.kind, confirmedBy: confirmation, from: line.origin)
    }

    func renewed(_ topic: String) {
        stages.acknowledgements?.record(topic.utf8.span.bytes, as: .text, confirmedBy: .renewal)
    }

    func lineConfirmed(by key: String) {
        stages.acknowledgements?.acknowledged(key)
    }

    func waitingLineFailed(_ error: ProtocolInputError) {
        if error.isRefused, prompt == nil { return stages.application?.dropLine(because: .refusal) ?? () }
        end(because: .notALine(error), sending: nil, "an input line that waited")
    }

    func applicationFailed(_ failure: Failure) {
        // Once this end has begun to close, the server may leave, too.
        guard let connection, !state.isClosing else { return }
        if case .application(let reason) = failure, reason.isNormalEnd(reconnects: stages.acknowledgements != nil) {
            input.pause()
            current?.linger = nil
            return close(with: closeFrame)
        }
        state.dropCause = failure
        if failure.report.isWorthRetrying { connection.terminate() } else { connection.close(settings.closeFrame) }
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
