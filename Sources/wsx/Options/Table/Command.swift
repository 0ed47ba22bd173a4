/// What the words after `wsx` ask for. The program without a command is a nil `Command?` throughout.
enum Command: String, CaseIterable {
    case connect
    case listen
    case bench
    case merge = "bench merge"
    case help
    case completions

    /// The words that are typed for it.
    var words: [String] { rawValue.split(separator: " ").map(String.init) }

    /// The commands of two words that begin with this one.
    var subcommands: [Command] { Self.allCases.filter { $0 != self && $0.words.starts(with: words) } }

    /// Those that one word stands for.
    static let ofOneWord = allCases.filter { $0.words.count == 1 }

    /// The command that words begin with, the longest if there are several.
    static func leading(_ words: some Sequence<String>) -> Command? {
        allCases.filter { words.starts(with: $0.words) }.max { $0.words.count < $1.words.count }
    }
}
