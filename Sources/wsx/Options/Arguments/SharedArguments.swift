import WSCore

/// The arguments that `connect` and `listen` have in common, by which one table entry serves both.
protocol SharedArguments: CommonArguments {
    var input: InputFormat { get set }
    var stripsCarriageReturn: Bool { get set }
    var replaySpeed: ReplaySpeed { get set }
    var output: OutputFormat { get set }
    var readsInput: Bool { get set }
    var verbosity: Int { get set }
    var timestamps: TimestampStyle { get set }
    var isPretty: Bool? { get set }
    var heartbeatMisses: Int { get set }
    var recordPath: String? { get set }
}

extension SharedArguments {
    /// How standard input is read.
    var inputSettings: InputReader.Settings {
        InputReader.Settings(
            format: input, stripsCarriageReturn: stripsCarriageReturn, kind: payload.kind(for: input),
            speed: replaySpeed)
    }

    /// Checks what the options cannot say of one another: only events have times.
    func checkReplaySpeed() throws(Failure) {
        guard replaySpeed == .max || input == .json else {
            throw .badArgument(what: "--replay-speed", why: "it says nothing without --input json; give that, too")
        }
    }
}
