/// The arguments of the command that is being parsed.
enum TypedArguments {
    case connect(ConnectArguments)
    case listen(ListenArguments)
    case bench(BenchArguments)
    case merge(MergeArguments)

    /// Lets an update write to the arguments; one of another command, which the parser does not let through, is ignored.
    mutating func apply<Input>(_ update: ArgumentUpdate<Input>, _ input: Input) throws(ValueProblem) {
        switch (self, update) {
        case (.connect(var arguments), .connect(let write)):
            try write(&arguments, input)
            self = .connect(arguments)
        case (.listen(var arguments), .listen(let write)):
            try write(&arguments, input)
            self = .listen(arguments)
        case (.bench(var arguments), .bench(let write)):
            try write(&arguments, input)
            self = .bench(arguments)
        case (.merge(var arguments), .merge(let write)):
            try write(&arguments, input)
            self = .merge(arguments)
        case (_, .results(let write)):
            guard var arguments = common as? any ResultArguments else { return }
            try write(&arguments, input)
            common = arguments
        case (_, .shared(let write)):
            guard var arguments = common as? any SharedArguments else { return }
            try write(&arguments, input)
            common = arguments
        case (_, .client(let write)):
            guard var arguments = common as? any ClientArguments else { return }
            try write(&arguments, input)
            common = arguments
        case (_, .display(let write)):
            guard var arguments = common as? any DisplayArguments else { return }
            try write(&arguments, input)
            common = arguments
        case (_, .common(let write)):
            guard var arguments = common as? any CommonArguments else { return }
            try write(&arguments, input)
            common = arguments
        case (_, .connect), (_, .listen), (_, .bench), (_, .merge):
            break
        }
    }

    private var common: any Sendable {
        get {
            switch self {
            case .connect(let arguments): arguments
            case .listen(let arguments): arguments
            case .bench(let arguments): arguments
            case .merge(let arguments): arguments
            }
        }
        set {
            switch newValue {
            case let arguments as ConnectArguments: self = .connect(arguments)
            case let arguments as ListenArguments: self = .listen(arguments)
            case let arguments as BenchArguments: self = .bench(arguments)
            case let arguments as MergeArguments: self = .merge(arguments)
            default: break
            }
        }
    }
}
