import Formats
import WSCore

// Messages that are requests: holding them back, sending them, and telling the replies.
extension ConnectRun {
    /// The queue of a run, which holds what every connection begins with; nil where messages are no requests.
    static func requests(_ settings: ConnectSettings) throws(Failure) -> RequestQueue? {
        guard let requestSettings = settings.requests else { return nil }
        var queue = RequestQueue(requestSettings)
        do throws(JSONRPCCallError) {
            for message in settings.messages {
                try queue.add(message.payload.span.bytes, as: message.kind, isInitial: true)
            }
        } catch {
            throw .badInput(what: "message \(queue.messageCount + 1)", why: "\(error)")
        }
        return queue
    }

    // MARK: Sending

    /// Sends what every connection begins with; where these are requests, as many of them as may be in flight.
    func sendInitialMessages() {
        guard requests == nil else { return sendRequests(isInitial: true) }
        let isAgain = connections?.openedCount != 1
        for message in settings.messages {
            message.payload.withUnsafeBytes { send($0.bytes, as: message.kind, again: isAgain) }
        }
    }

    /// Takes a message of the input that is a request.
    func sendRequest(_ payload: RawSpan, as kind: MessageKind) {
        do throws(JSONRPCCallError) {
            try requests?.add(payload, as: kind)
        } catch {
            return end(with: .badInput(what: input?.recordName ?? "input", why: "\(error)"))
        }
        sendRequests()
    }

    /// Takes a message that was typed and is a request.
    func sendTypedRequest(_ payload: RawSpan, as kind: MessageKind) {
        do throws(JSONRPCCallError) {
            try requests?.add(payload, as: kind)
        } catch {
            return console.error("the line was not sent: \(error)")
        }
        sendRequests()
        guard let requests, requests.isFull else { return }
        show(payload, as: kind, .queued, note: "(request \(requests.messageCount))")
    }

    /// Sends the messages that may be sent now.
    /// - Parameter isInitial: Whether only those with which every connection begins.
    func sendRequests(isInitial: Bool = false) {
        guard requests != nil, !isEnding else { return }
        while let connection, !connection.isClosing, !connection.isFull,
            let (message, isAwaited, wasSent) = requests?.next(at: loop.now, isInitial: isInitial)
        {
            message.payload.withUnsafeBytes { bytes in
                if isAwaited {
                    send(bytes.bytes, as: message.kind, again: wasSent, note: "(request \(message.number))")
                } else if message.isInitial {
                    send(bytes.bytes, as: message.kind, again: wasSent)
                } else {
                    sendLasting(bytes.bytes, as: message.kind)
                }
            }
        }
        startRequestTimer()
    }

    /// Goes on with what had to wait, at the end of the turn: a handler of a connection cannot.
    func scheduleRequestWork() {
        guard requests != nil, !isRequestWorkScheduled else { return }
        isRequestWorkScheduled = true
        loop.atEndOfTurn(self)
    }

    // MARK: Receiving

    /// Shows a message, and what it answers.
    func takeReply(_ payload: RawSpan, as kind: MessageKind) {
        guard let finding = requests?.received(payload, at: loop.now) else { return }
        reportErrors(in: payload, finding)
        switch finding {
        case .push:
            if let pushes = outputs.pushes { pushes.write(payload, as: kind) } else { show(payload, as: kind) }
        case .reply(let reply):
            show(payload, as: kind, reply: reply)
            scheduleRequestWork()
        case .lateReply(let reply, let delay):
            show(payload, as: kind, reply: reply)
            console.error("request \(reply.number): the reply came \(Phrase.duration(delay)) late")
        }
    }

    /// Reports the errors that a reply to JSON-RPC calls carries. The prompt shows the whole reply.
    private func reportErrors(in payload: RawSpan, _ finding: RequestTracker.Finding) {
        guard settings.arguments.calls != nil, repl == nil else { return }
        // A reply to somebody else's call has an id that we have not sent.
        for error in JSONRPCError.errors(in: payload) where finding.reply != nil || error.id == "null" {
            errorReplyCount += 1
            console.error(error.description(asReplyTo: finding.reply?.number))
        }
    }

    // MARK: Time

    private func startRequestTimer() {
        guard requestTimer == nil, let time = requests?.nextExpiry() else { return }
        // What has come by then is read before the requests are looked at.
        startRequestTimer(after: max(.zero, time - loop.now)) { [unowned self] in
            startRequestTimer(after: .milliseconds(1)) { [unowned self] in expireRequests() }
        }
    }

    private func startRequestTimer(after delay: Duration, action: @escaping () -> Void) {
        let timer = Timer(on: loop, action: action)
        requestTimer = timer
        timer.start(after: delay)
    }

    private func expireRequests() {
        requestTimer = nil
        // The replies may be there and not be read, for the sake of whoever reads ours.
        if connection?.isPausedByUser ?? false { requests?.holdExpiry(at: loop.now) }
        guard !isEnding, let expired = requests?.expire(at: loop.now) else { return }
        if let first = expired.first, requests?.goesByOrder ?? false, !settings.isRepl {
            return end(with: .noReply(to: first.number, after: settings.arguments.replyTimeout))
        }
        for request in expired { report(request) }
        if !expired.isEmpty { scheduleRequestWork() }
        startRequestTimer()
    }

    private func report(_ request: RequestTracker.Expired) {
        let name = "request \(request.number)" + (request.id.map { " (id \($0))" } ?? "")
        let words = "\(name): no reply within \(Phrase.duration(settings.arguments.replyTimeout))"
        console.error(words)
        writeEvent { events in
            events.write("error") { event in
                event.add("kind", "timeout" as StaticString)
                event.add("message", words)
                event.add("request", request.number)
            }
        }
    }

    // MARK: Ending

    /// Gives up what a prompt has sent and no connection answers any more.
    func abandonRequests() {
        showUnanswered()
        requests?.abandon()
    }

    /// Says how many requests have no reply, unless that is what the run ends with.
    func showUnanswered() {
        guard let count = requests?.unansweredCount, count > 0, (connections?.openedCount ?? 0) > 0, !ignoresIncoming
        else {
            return
        }
        if case .unanswered = failure { return }
        console.error(Failure.words(forUnanswered: count))
    }

    /// What the run ends with, once what has been received is counted in.
    func judged(_ failure: Failure?) -> Failure? {
        let failure = failure ?? failureOfRequests
        let unmet = conditions.unmetExpectations
        switch failure {
        case nil where !unmet.isEmpty: return .unmet(unmet, after: nil)
        case .runTimedOut(let limit) where !unmet.isEmpty: return .unmet(unmet, after: limit)
        default: break
        }
        // A reader of standard output that goes away ends the run before its goal, on purpose.
        guard !ignoresIncoming, let goal = conditions.unmetGoal else { return failure }
        guard let failure else {
            // The user has left the prompt on purpose.
            return settings.isRepl && hasClosed ? nil : .closedEarly(goal, lastEnd?.code ?? .noStatus)
        }
        return failure.leavesGoalOpen ? .incomplete(goal, failure) : failure
    }

    /// A prompt has said what is missing, and goes on without it.
    private var failureOfRequests: Failure? {
        guard let requests, !settings.isRepl else { return nil }
        if requests.unansweredCount > 0, !ignoresIncoming { return .unanswered(requests.unansweredCount) }
        if requests.expiredCount > 0 {
            return .lateReplies(requests.expiredCount, after: settings.arguments.replyTimeout)
        }
        guard settings.arguments.failsOnErrorReply, errorReplyCount > 0 else { return nil }
        return .errorReplies(errorReplyCount)
    }
}

extension ConnectRun: EndOfTurnWork {
    /// Sends what replies have made room for, and waits for the end when all are there.
    func endTurn() {
        isRequestWorkScheduled = false
        sendRequests()
        confirmInTime()
        readOn()
        if inputIsOver { startLinger() }
    }
}
