/// What was typed after `wsx bench merge`.
struct MergeArguments: Equatable, Sendable, ResultArguments {
    /// Files of results, 1 or more; `-` is standard input.
    var paths: [String] = []

    var result = ResultOptions()

    var isQuiet = false
    var color = ColorChoice.auto
}
