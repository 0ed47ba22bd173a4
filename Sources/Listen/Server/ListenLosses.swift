import UserInterface
import WSCore

/// What clients and outputs lack at the end of a run.
struct ListenLosses {
    /// What the clients did not get before the end.
    var unsent = UnsentOutput()
    /// Whether a client that waited for standard output had sent more.
    private var hasUnread = false
    /// The clients that had not received everything when the end was requested. What others lack is a close frame.
    private var waitingClients: Set<Int> = []

    /// Remembers what the clients have not received when the end is requested.
    mutating func endRequested(with clients: some Sequence<Connection<ListenClient>>) {
        for client in clients {
            unsent.delayedMessageCount += client.handler.waitingMessageCount
            if client.unsentBytes > 0 { waitingClients.insert(client.number) }
        }
    }

    /// Counts the output that a client has not received.
    mutating func clientLeft(_ number: Int, _ end: ConnectionEnd) {
        if !waitingClients.isEmpty, waitingClients.remove(number) != nil { unsent.queuedBytes += end.unsentBytes }
    }

    /// Counts the output that the only client of a run has not received.
    mutating func onlyClientLeft(_ end: ConnectionEnd) { unsent.queuedBytes += end.unsentBytes }

    /// Notes whether the remaining clients, which are about to leave, have sent input that was not read.
    mutating func noteUnread(of clients: some Sequence<Connection<ListenClient>>) {
        // Clients that wait for standard output are not read.
        if clients.contains(where: { $0.pauseReasons.contains(.output) && $0.hasUnreadBytes }) { hasUnread = true }
    }

    /// Counts the output that the remaining clients have not received, and their input that was not read.
    mutating func count(remaining clients: some Sequence<Connection<ListenClient>>) {
        noteUnread(of: clients)
        for client in clients where waitingClients.contains(client.number) { unsent.queuedBytes += client.unsentBytes }
    }

    /// The losses, now that the run has ended.
    func all(of outputs: ListenOutputs) -> [OutputLoss] {
        let losses = outputs.losses.map { loss -> OutputLoss in
            if case .messages(let count, _) = loss { .messages(count, hasUnread: hasUnread) } else { loss }
        }
        return losses + [unsent.loss].compactMap(\.self)
    }
}
