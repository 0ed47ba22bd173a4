import Conversation
import WSCore

// What the prompt can do. There, the end of a connection is not the end of the run.
extension ConnectRun: PromptConnection {
    var link: PromptLink {
        if connection != nil { return .open }
        guard connections?.isActive ?? false else { return .none }
        return .pending(keepsMessages: acknowledgements != nil || requests != nil)
    }

    var queuedBytes: Int { connection?.queuedBytes ?? 0 }
    var incomingProgress: MessageProgress? { connection?.incomingProgress }
    var heads: [(line: String, direction: Transcript.Direction)] { statistics.heads }

    /// The facts of the connection, each with its name; a value may have several lines.
    var facts: [(name: String, value: String)] {
        if connection != nil, let facts = statistics.facts(at: loop.now, connectionCounters) { return facts }
        let isConnecting = connections?.isActive ?? false
        return [
            ("URL", "\(settings.connector.request.url)"), ("state", isConnecting ? "connecting" : "disconnected"),
        ]
    }

    /// What the open connection has carried.
    var connectionCounters: ConnectStatistics.Counters {
        guard let connection else { return ConnectStatistics.Counters() }
        return ConnectStatistics.Counters(
            sent: connection.sentTraffic, received: connection.receivedTraffic, queuedBytes: connection.queuedBytes)
    }

    /// Sends a message that was typed.
    func sendTyped(_ payload: RawSpan, as kind: MessageKind) {
        defer { acknowledgements?.confirmInTime() }
        guard let requests else { return sendLasting(payload, as: kind) }
        do throws(JSONRPCCallError) {
            try requests.add(payload, as: kind)
        } catch {
            return outputs.console.error("the line was not sent: \(error)")
        }
        guard requests.isFull else { return }
        outputs.show(payload, as: kind, .queued, note: "(request \(requests.messageCount))")
    }

    /// Closes the open connection, then connects again, or to another server.
    func reconnect(with next: ConnectSettings?) {
        guard connection == nil else {
            // A server that was asked for before is still meant.
            if case .reopening(let earlier?) = state.closing, next == nil {
                state.closing = .reopening(earlier)
            } else {
                state.closing = .reopening(next)
            }
            return close(with: settings.closeFrame)
        }
        outputs.prompt?.showsConnecting()
        guard let next else {
            connections?.startNow()
            return
        }
        adopt(next)
        connect()
    }

    /// Gives up the wait for a connection.
    func stopConnecting() {
        connections?.cancel()
        state.stoppedConnecting(after: statistics.lastEnd, unacknowledgedCount: acknowledgements?.count ?? 0)
        _ = staysAtPrompt()
    }

    /// Leaves the prompt to the user when there is no connection any more, unless the run is to end.
    /// - Returns: Whether the run goes on.
    func staysAtPrompt() -> Bool {
        guard let prompt = outputs.prompt, !state.isEnding else { return false }
        showSummary()
        showUnacknowledged()
        showUnanswered()
        requests?.abandon()
        let (failure, closing) = state.returnToPrompt()
        if let failure {
            outputs.writeEvent { $0.writeFailure(failure) }
            outputs.console.report(failure)
        }
        statistics.beginAnew()
        _ = acknowledgements?.connectionFollows()
        prompt.showsDisconnected()
        if case .reopening(let next) = closing { reconnect(with: next) }
        return true
    }
}
