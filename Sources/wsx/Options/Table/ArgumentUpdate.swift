/// Writes what was typed into the arguments of the command or commands that it is for.
///
/// The case says which commands these are; nothing else in the table repeats it.
enum ArgumentUpdate<Input> {
    case connect(@Sendable (inout ConnectArguments, Input) throws(ValueProblem) -> Void)
    case listen(@Sendable (inout ListenArguments, Input) throws(ValueProblem) -> Void)
    case shared(@Sendable (inout any SharedArguments, Input) throws(ValueProblem) -> Void)

    /// The commands that understand the option or operand.
    var commands: [Command] {
        switch self {
        case .connect: [.connect]
        case .listen: [.listen]
        case .shared: [.connect, .listen]
        }
    }
}
