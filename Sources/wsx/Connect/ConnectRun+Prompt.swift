import WSCore

// Where the end of a connection is not the end of the run: at the prompt.
extension ConnectRun {
    /// Leaves the prompt to the user when there is no connection any more, unless the run is to end.
    /// - Returns: Whether the run goes on.
    func staysAtPrompt() -> Bool {
        guard let repl, !isEnding else { return false }
        if let openTime { showSummary(since: openTime) }
        showUnacknowledged()
        abandonRequests()
        if let failure {
            writeEvent { $0.writeFailure(failure) }
            console.report(failure)
            self.failure = .told(failure)
        }
        openTime = nil
        earlierConnectionCount = connections?.openedCount ?? 0
        earlierTraffic = (Traffic(), Traffic())
        hasClosed = false
        silenceFailure = nil
        confirmationWait = .none
        ping = nil
        repl.showsDisconnected()
        if isReopening {
            isReopening = false
            reconnect()
        }
        return true
    }

    /// Connects to another server, after the connection that there is has been closed.
    func reconnect(with settings: ConnectSettings) {
        nextSettings = settings
        reconnect()
    }

    /// Takes the other server for the one to connect to. What was meant for the first is not sent to it.
    func adoptNextSettings() {
        guard let next = nextSettings else { return }
        nextSettings = nil
        settings = next
        connections?.cancel()
        connections = nil
        earlierConnectionCount = 0
        if unacknowledged != nil { unacknowledged = UnacknowledgedMessages() }
        requests?.sendsInitial = !next.messages.isEmpty
        requests?.abandon()
        if let wished = next.requests { requests?.settings = wished }
    }
}
