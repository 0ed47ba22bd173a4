/// A command of another tool, and what wsx has for it.
enum ForeignCommand {
    private static let all = [
        "serve": "wsx listen PORT", "server": "wsx listen PORT", "client": "wsx connect URL", "run": "wsx bench URL",
        "load": "wsx bench URL",
    ]

    /// The command line to write instead; nil: the table does not know the word.
    static func line(for word: String) -> String? { all[word] }
}
