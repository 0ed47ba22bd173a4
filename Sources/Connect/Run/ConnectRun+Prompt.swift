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

    var facts: [(name: String, value: String)] { ConnectionFacts(of: self).all }
    var statusFacts: StatusLine.Facts { ConnectionFacts(of: self).forStatusLine }
    var attemptWords: String? { progress?.words }

    /// Sends a typed message. The next attempt to connect does not wait any longer.
    func sendTyped(_ payload: RawSpan, as kind: MessageKind) {
        connections?.startNow()
        lines.submit(payload, as: kind, of: self)
        lines.confirmInTime()
    }

    var decoders: [Codec] { stages.pipeline?.decoders ?? [] }

    func text(of call: MessageCall) throws(TemplateProblem) -> [UInt8] {
        guard let writer = stages.writer else { throw TemplateWriter.unknown(call.name, among: []) }
        let text = try writer.text(of: call)
        // Typed lines are templates.
        return settings.arguments.linesAreTemplates ? Template.escaping(text) : text
    }

    func set(_ variable: SetVariableValue) -> String? {
        guard let writer = stages.writer, settings.arguments.linesAreTemplates else {
            return "typed lines have placeholders only with --template"
        }
        do throws(VariableNameError) {
            try writer.set(variable)
            return nil
        } catch {
            return "\(error)"
        }
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
