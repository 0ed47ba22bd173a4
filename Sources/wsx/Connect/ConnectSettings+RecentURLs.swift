import WSCore

extension ConnectSettings {
    /// Remembers the URL of a prompt for completion by shells, if its history is in the usual place.
    func rememberURL() {
        guard isRepl, arguments.history == .host else { return }
        // Completion is a convenience. The history, which has the same directory, reports errors.
        try? RecentURLs(environment: secrets.environment)
            .record(url, policy: HistoryPolicy(secrets: secrets.record.texts))
    }
}
