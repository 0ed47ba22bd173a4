import Conversation
import Formats
import UserInterface
import WSCore

/// What `/info` and the status line say about the connection of a run.
struct ConnectionFacts {
    private let run: ConnectRun

    init(of run: ConnectRun) { self.run = run }

    /// The facts about the connection, each with its name. A value may have several lines.
    var all: [(name: String, value: String)] {
        let open =
            run.connection == nil
            ? nil : run.statistics.facts(at: run.loop.now, run.connectionCounters, without: run.diagnostics.secrets)
        var facts =
            open ?? [
                ("URL", run.diagnostics.secrets.masking(line: "\(run.settings.connector.request.url)")),
                ("state", stateWords),
            ]
        if open != nil, let name = run.outputs.protocolName {
            facts.insert(("protocol", escapingControls(name) + (run.isPeerReady ? "" : ", logging in")), at: 1)
        }
        let waitingCount = run.lines.queue.unsentCount
        return facts + (unconfirmedCount > 0 ? [("unconfirmed", Phrase.count(unconfirmedCount, "message"))] : [])
            + (waitingCount > 0 ? [("waiting", Phrase.count(waitingCount, "message"))] : [])
    }

    /// The number of messages that were sent and that the peer has not confirmed, with `--reconnect`.
    private var unconfirmedCount: Int {
        run.lines.keepsLines ? run.lines.queue.unconfirmedCount + run.lines.queue.unansweredSentCount : 0
    }

    /// The state without an open connection.
    private var stateWords: String {
        guard let connections = run.connections, connections.isActive else { return "disconnected" }
        guard let time = connections.nextAttemptTime else { return "connecting" }
        return "disconnected, \(PromptStatus.countdown(to: time, at: run.loop.now))"
    }

    /// The facts for the status line.
    var forStatusLine: StatusLine.Facts {
        let tls = run.statistics.opening?.tls?.version
        let traffic = run.statistics.traffic(with: run.connectionCounters)
        let state = run.connection != nil ? tls : run.attemptWords != nil ? "connecting" : "disconnected"
        let opened = run.connection != nil ? run.statistics.opening?.request : nil
        return StatusLine.Facts(
            place: ["\((opened ?? run.settings.connector.request).url)", run.outputs.protocolName, state].compactMap {
                $0
            },
            roundTrip: run.connection == nil ? nil : run.statistics.lastRoundTrip,
            recording: run.outputs.recording.path,
            sentMessages: traffic.sent.messages, waitingMessages: run.lines.queue.unsentCount,
            unconfirmedMessages: unconfirmedCount, receivedMessages: traffic.received.messages)
    }
}
