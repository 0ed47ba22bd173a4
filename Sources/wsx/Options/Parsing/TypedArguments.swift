/// The arguments of the command that is being parsed.
enum TypedArguments {
    case connect(ConnectArguments)
    case listen(ListenArguments)

    /// Lets an update write to the arguments; one of another command, which the parser does not let through, is ignored.
    mutating func apply<Input>(_ update: ArgumentUpdate<Input>, _ input: Input) throws(ValueProblem) {
        switch (self, update) {
        case (.connect(var arguments), .connect(let write)):
            try write(&arguments, input)
            self = .connect(arguments)
        case (.listen(var arguments), .listen(let write)):
            try write(&arguments, input)
            self = .listen(arguments)
        case (_, .shared(let write)):
            var arguments = shared
            try write(&arguments, input)
            shared = arguments
        case (.connect, .listen), (.listen, .connect):
            break
        }
    }

    private var shared: any SharedArguments {
        get {
            switch self {
            case .connect(let arguments): arguments
            case .listen(let arguments): arguments
            }
        }
        set {
            switch newValue {
            case let arguments as ConnectArguments: self = .connect(arguments)
            case let arguments as ListenArguments: self = .listen(arguments)
            default: break
            }
        }
    }
}
