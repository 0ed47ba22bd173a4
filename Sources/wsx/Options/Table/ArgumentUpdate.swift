/// Writes what was typed into the arguments of the command or commands that it is for.
///
/// The case says which commands these are; nothing else in the table repeats it.
enum ArgumentUpdate<Input> {
    case connect(@Sendable (inout ConnectArguments, Input) throws(ValueProblem) -> Void)
    case listen(@Sendable (inout ListenArguments, Input) throws(ValueProblem) -> Void)
    case bench(@Sendable (inout BenchArguments, Input) throws(ValueProblem) -> Void)
    case merge(@Sendable (inout MergeArguments, Input) throws(ValueProblem) -> Void)
    /// Those that have results.
    case results(@Sendable (inout any ResultArguments, Input) throws(ValueProblem) -> Void)
    /// Those that exchange messages with whoever uses the program.
    case shared(@Sendable (inout any SharedArguments, Input) throws(ValueProblem) -> Void)
    /// Those that connect to a server.
    case client(@Sendable (inout any ClientArguments, Input) throws(ValueProblem) -> Void)
    /// All that show something.
    case display(@Sendable (inout any DisplayArguments, Input) throws(ValueProblem) -> Void)
    /// All that have connections.
    case common(@Sendable (inout any CommonArguments, Input) throws(ValueProblem) -> Void)

    /// The commands that understand the option or operand.
    var commands: [Command] {
        switch self {
        case .connect: [.connect]
        case .listen: [.listen]
        case .bench: [.bench]
        case .merge: [.merge]
        case .results: [.bench, .merge]
        case .shared: [.connect, .listen]
        case .client: [.connect, .bench]
        case .display: [.connect, .listen, .bench, .merge]
        case .common: [.connect, .listen, .bench]
        }
    }
}
