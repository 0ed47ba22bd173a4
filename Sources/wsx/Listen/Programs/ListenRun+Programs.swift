import WSCore

// Programs that fail.
extension ListenRun {
    /// Whether what becomes of a program decides how the run ends: that of the only client, until an end is asked for.
    var takesProgramFailures: Bool { settings.arguments.servesOnce && !isEndAskedFor }

    /// Takes note that a client's program has failed: the end of the run tells of that of the only client.
    /// - Parameter words: What has happened, with the program's name.
    func programFailed(_ words: String, of number: Int) {
        guard takesProgramFailures else { return console.error("client \(number): \(words)") }
        let failure = Failure.program(words)
        if self.failure == nil { self.failure = failure }
        writeEvent { $0.writeFailure(failure, client: number) }
    }
}
