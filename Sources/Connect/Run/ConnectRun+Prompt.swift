import Conversation
import Formats
import Peer
import UserInterface
import WSCore

// The prompt's operations. At the prompt, the end of a connection does not end the run.
extension ConnectRun: PromptConnection {
    var link: PromptLink {
        if connection != nil { return .open }
        guard connections?.isActive ?? false else { return .none }
        return .pending(keepsMessages: lines.keepsLines || lines.areRequests)
    }

    var unsentBytes: Int { connection?.unsentBytes ?? 0 }
    var incomingProgress: MessageProgress? { connection?.incomingProgress }
    var heads: [(line: String, direction: Transcript.Direction)] { statistics.heads }

    func curlCommand(showsSecrets: Bool) throws(Failure) -> CurlText {
        let opened = connection == nil ? nil : statistics.opening?.request
        return try settings.curlCommand(for: opened, showsSecrets: showsSecrets)
    }

    /// The facts about the connection, each with its name. A value may have several lines.
    var facts: [(name: String, value: String)] {
        let open =
            connection == nil ? nil : statistics.facts(at: loop.now, connectionCounters, without: diagnostics.secrets)
        var facts =
            open ?? [
                ("URL", diagnostics.secrets.masking(line: "\(settings.connector.request.url)")), ("state", stateWords),
            ]
        if open != nil, let name = outputs.protocolName {
            facts.insert(("protocol", escapingControls(name) + (isPeerReady ? "" : ", logging in")), at: 1)
        }
        let waitingCount = lines.queue.unsentCount
        return facts + (unconfirmedCount > 0 ? [("unconfirmed", Phrase.count(unconfirmedCount, "message"))] : [])
            + (waitingCount > 0 ? [("waiting", Phrase.count(waitingCount, "message"))] : [])
    }

    /// The number of messages that were sent and that the peer has not confirmed, with `--reconnect`.
    private var unconfirmedCount: Int {
        lines.keepsLines ? lines.queue.unconfirmedCount + lines.queue.unansweredSentCount : 0
    }

    /// The state without an open connection.
    private var stateWords: String {
        guard let connections, connections.isActive else { return "disconnected" }
        guard let time = connections.nextAttemptTime else { return "connecting" }
        return "disconnected, \(PromptStatus.countdown(to: time, at: loop.now))"
    }

    var attemptWords: String? { progress?.words }

    /// The facts for the status line.
    var statusFacts: StatusLine.Facts {
        let tls = statistics.opening?.tls?.version
        let traffic = statistics.traffic(with: connectionCounters)
        let state = connection != nil ? tls : attemptWords != nil ? "connecting" : "disconnected"
        let opened = connection != nil ? statistics.opening?.request : nil
        return StatusLine.Facts(
            place: ["\((opened ?? settings.connector.request).url)", outputs.protocolName, state].compactMap { $0 },
            roundTrip: connection == nil ? nil : statistics.lastRoundTrip, recording: outputs.recording.path,
            sentMessages: traffic.sent.messages, waitingMessages: lines.queue.unsentCount,
            unconfirmedMessages: unconfirmedCount, receivedMessages: traffic.received.messages)
    }

    /// The traffic of the open connection.
    var connectionCounters: ConnectStatistics.Counters {
        guard let connection else { return ConnectStatistics.Counters() }
        return ConnectStatistics.Counters(
            sent: connection.sentTraffic, received: connection.receivedTraffic, queuedBytes: connection.queuedBytes)
    }

    /// Sends a typed message. The next attempt to connect does not wait any longer.
    func sendTyped(_ payload: RawSpan, as kind: MessageKind) {
        connections?.startNow()
        lines.submit(payload, as: kind)
        lines.confirmInTime()
    }

    var decoders: [Codec] { stages.codecs?.codecs ?? [] }

    func text(of call: MessageCall) throws(TemplateProblem) -> [UInt8] {
        guard let writer = stages.writer else { throw TemplateWriter.unknown(call.name, among: []) }
        let text = try writer.text(of: call)
        // Typed lines are templates.
        return settings.arguments.data.usesTemplates ? Template.escaping(text) : text
    }

    /// Closes the open connection, then connects again, or to another server if `next` is not `nil`.
    func reconnect(with next: ConnectSettings?) {
        guard connection == nil else {
            // Keep a server that was requested before.
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
        EndReport(of: self).showSummary(state.attemptFailure)
        statistics.beginAnew()
        adopt(next)
        connect()
    }

    var givenUpCount: Int { lines.queue.kept.count }
    func retryGivenUp() { lines.retryKept() }
    func dropGivenUp() { lines.queue.dropKept() }

    /// Stops trying to connect.
    func stopConnecting() {
        showProgress(of: nil)
        connections?.cancel()
        state.stoppedConnecting(after: statistics.lastEnd, unacknowledgedCount: lines.queue.lineCount)
        _ = staysAtPrompt()
    }

    /// Returns to the prompt after the connection has ended, unless the run is ending.
    /// - Returns: Whether the run continues.
    func staysAtPrompt() -> Bool {
        guard let prompt = outputs.prompt, !state.isEnding else { return false }
        let (failure, closing) = state.returnToPrompt()
        let report = EndReport(of: self)
        report.showSummary(failure)
        // Another server gets none of these messages, and `adopt` says so.
        if !closing.leadsToOtherServer {
            report.showUndelivered("/reconnect connects again and sends them")
            report.showUnanswered()
            lines.queue.abandonRequests()
        }
        if let failure {
            outputs.writeEvent { $0.writeFailure(failure) }
            switch failure {
            // The summary says how the connection ended.
            case .closed, .lost: break
            default: outputs.diagnostics.report(failure)
            }
        }
        statistics.beginAnew()
        lines.connectionFollows()
        prompt.showsDisconnected()
        if case .reopening(let next) = closing { reconnect(with: next) }
        return true
    }
}

extension ConnectRun {
    /// Opens the prompt.
    func startPrompt() {
        guard let view = outputs.view else { return }
        diagnostics.drain()
        do throws(IOError) {
            outputs.prompt = try ConnectPrompt.open(
                settings,
                with: settings.arguments.transcript.display.isPlain ? PlainEditor.opener : environment.openEditor,
                view: view, recording: outputs.recording, connection: self,
                on: loop)
        } catch {
            end(with: .input(error))
        }
    }

    func closePrompt() {
        // Releases the terminal, however the loop ended.
        outputs.prompt?.close()
        outputs.prompt = nil
    }
}
