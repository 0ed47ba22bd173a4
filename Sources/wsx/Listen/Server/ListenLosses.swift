import WSCore

/// What clients and outputs lack at the end of a run.
struct ListenLosses {
    /// What the clients did not get before the end.
    var unsent = UnsentOutput()
    /// Whether a client that waited for standard output had sent more.
    private var hasUnread = false
    /// The sizes of the clients' queues when the end was requested, by number, as far as it is not known that the client
    /// has received them.
    private var queuedBytes: [Int: Int] = [:]

    /// Remembers what the clients have not received when the end is requested.
    mutating func endRequested(with clients: some Sequence<Connection<ListenClient>>) {
        for client in clients {
            unsent.delayedMessageCount += client.handler.waitingMessageCount
            if client.unsentBytes > 0 { queuedBytes[client.number] = client.unsentBytes }
        }
    }

    /// Counts the output that a client has not received.
    mutating func clientLeft(_ number: Int, _ end: ConnectionEnd) {
        // A client that answers the close frame has received everything before it.
        if let byteCount = queuedBytes.removeValue(forKey: number), !end.isClean { unsent.queuedBytes += byteCount }
    }

    /// Counts the output that the remaining clients have not received, and their input that was not read.
    mutating func count(remaining clients: some Sequence<Connection<ListenClient>>) {
        // Clients that wait for standard output are not read.
        if clients.contains(where: { $0.pauseReasons.contains(.output) && $0.hasUnreadBytes }) { hasUnread = true }
        for client in clients where queuedBytes[client.number] != nil { unsent.queuedBytes += client.unsentBytes }
    }

    /// The losses, now that the run has ended.
    func all(of outputs: ListenOutputs) -> [OutputLoss] {
        let losses = outputs.losses.map { loss -> OutputLoss in
            if case .messages(let count, _) = loss { .messages(count, hasUnread: hasUnread) } else { loss }
        }
        return losses + [unsent.loss].compactMap(\.self)
    }
}
