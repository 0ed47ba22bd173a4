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
            return transmit(line, as: kind, on: connection) ? .sent(key: nil) : .unsent
        }
        guard !connection.isClosing else { return .unsent }
        if let number, isAgain, application.renewedMessages.contains(number) { return .renewed }
        do throws(ProtocolInputError) {
            let key = try application.send(line, wantsReply: wantsReply)
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
        switch event.role {
        case .hidden, .notice, .refusal:
            outputs.show(aside: event)
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
        if event.role.isError { outputs.report(error: event, asReplyTo: finding.reply?.number) }
        if case .lateReply(let reply, let delay) = finding, prompt == nil {
            console.error("request \(reply.number): the reply arrived \(Phrase.duration(delay)) late")
        }
        return state.isLast(line.span.bytes, isOmitted: !isWritten, isReply: finding.reply != nil)
    }

    /// The failure caused by errors that the server has reported, or `nil` if there is none.
    var protocolFailure: Failure? {
        guard settings.arguments.replies.failsOnErrorReply, let count = stages.application?.errorCount, count > 0 else {
            return nil
        }
        return .errorReplies(count)
    }
}

extension ConnectRun: ProtocolStage.Host {
    func transmit(_ payload: RawSpan, as kind: MessageKind) {
        if let connection { transmit(payload, as: kind, on: connection) }
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
        guard let connection else { return }
        state.dropCause = failure
        if failure.isWorthRetrying { connection.terminate() } else { connection.close(settings.closeFrame) }
    }
}
