import Conversation
import Formats
import WSCore

// Lines and events of an application protocol.
extension ConnectRun {
    /// The outcome of sending a line.
    enum LineSending {
        /// Sent. In an application protocol, the reply may have a key.
        case sent(key: ProtocolEvent.ReplyKey?)
        /// Not sent, because the connection is closing.
        case unsent
        /// Not sent, because it is invalid, which has been reported.
        case invalid
        /// Not sent, because the session has renewed its subscription.
        case renewed

        var isSent: Bool { if case .sent = self { true } else { false } }
    }

    /// Sends a line, through the application protocol if there is one. Binary messages bypass the protocol.
    /// - Parameters:
    ///   - wantsReply: Whether to ask for a reply.
    ///   - isAgain: Whether the line was already sent on a lost connection. It may now be invalid, for example if the
    ///     session has renewed the subscription for which it asks.
    ///   - number: The number of the command-line message, or `nil` for other lines.
    ///   - name: The name of any other line in errors; nil: that of the current input line.
    func transmit(
        line: RawSpan, as kind: MessageKind, wantsReply: Bool = false, again isAgain: Bool = false,
        message number: Int? = nil, name: String? = nil
    ) -> LineSending {
        guard let connection else { return .unsent }
        guard let application = stages.application, kind == .text else {
            if transmit(line, as: kind, on: connection) { return .sent(key: nil) }
            // A text that cannot be encoded has been reported.
            return stages.encoder?.encodingProblem(with: line, as: kind) == nil ? .unsent : .invalid
        }
        guard !connection.isClosing else { return .unsent }
        if let number, isAgain, application.renewedMessages.contains(number) { return .renewed }
        do throws(ProtocolInputError) {
            let (key, isEncoded) = try application.send(line, wantsReply: wantsReply)
            guard isEncoded else { return .invalid }
            if let number, application.renewsLastLine { application.renewedMessages.insert(number) }
            return .sent(key: key)
        } catch {
            if isAgain {
                outputs.noticeVerbosely("A line was not sent again: \(error)")
            } else if prompt != nil {
                console.error("the line was not sent: \(error)")
            } else {
                let name = number.map { "message \($0)" } ?? name ?? input.recordName
                end(with: .badInput(what: name, why: "\(error)"))
            }
            return .invalid
        }
    }

    /// Sends a message of the input as a request.
    /// - Returns: The key of the reply, or `nil` if there will be none.
    func send(line message: Request, wasSent: Bool) -> ProtocolEvent.ReplyKey? {
        let payload = message.payload.span.bytes
        // Earlier requests have waited for their replies.
        let isLatest = message.number == stages.requests?.messageCount
        let sending = transmit(
            line: payload, as: message.kind, wantsReply: true, again: wasSent,
            message: message.isInitial ? message.number : nil, name: isLatest ? nil : "request \(message.number)")
        switch sending {
        case .sent(let key?):
            outputs.writeSent(payload, as: message.kind, again: wasSent, request: message.number)
            return key
        case .sent(nil):
            if !message.isInitial, !(stages.application?.renewsLastLine ?? false) {
                stages.acknowledgements?.record(payload, as: message.kind, isSent: true)
            }
            outputs.writeSent(payload, as: message.kind, again: wasSent)
        case .unsent: reportUnsent()
        case .invalid, .renewed: break
        }
        return nil
    }

    /// Passes a received message through the protocol.
    func receive(
        _ payload: RawSpan, as kind: MessageKind, _ decoding: Decoding?, through application: ProtocolStage,
        replyingThrough sink: inout some MessageSink & ~Copyable
    ) {
        let arrivals = application.received(payload, as: kind) { transmit($0, as: $1, through: &sink) }
        for arrival in arrivals where !state.ignoresIncoming {
            let isLast =
                switch arrival {
                case .event(let event): passOn(event)
                case .unchanged(let reason): passOn(unchanged: payload, as: kind, decoding, reason)
                }
            guard isLast else { continue }
            input.pause()
            close(with: closeFrame, on: &sink)
        }
        if let connection { waitForOutput(connection) }
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
        case .reply(let key, _): finding = stages.requests?.received(key: key) ?? .push
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
        return state.isLast(line.span.bytes, isOmitted: !isWritten, isReply: finding.reply != nil)
    }

    /// The failure caused by errors that the server has reported, or by lines that wait for it, or `nil` if there is
    /// none.
    var protocolFailure: Failure? {
        guard settings.arguments.replies.failsOnErrorReply, let count = stages.application?.errorCount, count > 0 else {
            return unsentLines.map { .application($0) }
        }
        return .errorReplies(count)
    }

    /// The lines that wait for the server, or that it has refused, or `nil` if there are none. At the prompt, the user
    /// knows them and leaves at any time.
    var unsentLines: ApplicationFailure? {
        guard !settings.isRepl, !state.ignoresIncoming, let application = stages.application,
            application.unsentLineCount > 0
        else { return nil }
        return ApplicationFailure(
            name: application.descriptor?.name ?? ProtocolChoice.automaticName,
            cause: .unsentLines(application.unsentLineCount))
    }

    /// Reports lines that were not sent, unless the run fails with that error.
    func show(unsent lines: ApplicationFailure) {
        switch state.failure {
        case .application(lines)?, .incomplete(_, .application(lines))?: break
        default: console.error(lines.message)
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
    func transmit(_ payload: RawSpan, as kind: MessageKind) -> Bool {
        guard let connection, !transmit(payload, as: kind, on: connection) else { return true }
        return stages.encoder?.encodingProblem(with: payload, as: kind) == nil
    }

    func passOn(_ arrivals: [ProtocolStage.Arrival]) {
        for case .event(let event) in arrivals where !state.ignoresIncoming {
            guard passOn(event) else { continue }
            input.pause()
            close(with: closeFrame)
        }
    }

    func peerBecameReady(hasBegun: Bool) {
        guard hasBegun else { return peerBecameReady() }
        stages.requests?.sendWaiting()
        readOn()
    }

    func applicationFailed(_ failure: Failure) {
        // Once this end has begun to close, the server may leave, too.
        guard let connection, !state.isClosing else { return }
        state.dropCause = failure
        if failure.isWorthRetrying { connection.terminate() } else { connection.close(settings.closeFrame) }
    }
}
