/// What the command line asks for.
enum Invocation: Equatable {
    case connect(ConnectArguments)
    case listen(ListenArguments)
    case bench(BenchArguments)
    case merge(MergeArguments)
    case help(text: String)
    case version
    case completions(script: String)
}
