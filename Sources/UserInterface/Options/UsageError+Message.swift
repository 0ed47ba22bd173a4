import CommandLine
import WSCore

extension UsageError {
    /// The error as one line without a newline, for standard error.
    ///
    /// Control characters are escaped so that the line cannot control a terminal or forge a log entry. The secrets of a
    /// URL, and the user and password of an address, are hidden.
    package var message: String { "wsx: " + safeWords }

    /// The error as a line of JSON without a newline, for programs that asked for JSON.
    package func json(status: Int32) -> String {
        Self.json(safeWords, option: option, suggestion: suggestion, status: status)
    }

    /// An error as a line of JSON without a newline.
    package static func json(_ error: String, option: String?, suggestion: String? = nil, status: Int32) -> String {
        let members = [("error", error), ("option", option), ("suggestion", suggestion)]
        return HelpData.object(
            members.compactMap { name, text in text.map { (name, HelpData.string(escapingControls($0))) } }
                + [("status", "\(status)")])
    }

    /// Whether a command line asks for JSON, although it has an error: the last one of `--json` and `--output` decides.
    /// In a curl command, these are other options; our own follow `--`.
    package static func isForPrograms(_ words: [String]) -> Bool {
        let isCurl = words.first == Command.curl.rawValue
        let words = isCurl ? Array(words.drop { $0 != "--" }.dropFirst()) : words
        var format = ""
        for (index, word) in words.prefix(while: { $0 != "--" }).enumerated() {
            if word == "--json" { format = "json" }
            if word == "--output", index + 1 < words.count { format = words[index + 1] }
            if word.hasPrefix("--output=") { format = String(word.dropFirst("--output=".count)) }
        }
        return format == "json" || format == "jsonl"
    }

    private var safeWords: String {
        escapingControls(
            words(of: "wsx") { text in
                let start = text.utf8.prefix { $0 != UInt8(ascii: "@") }
                return start.contains(UInt8(ascii: ":")) ? WebSocketURL.shown(text) : text
            })
    }
}
