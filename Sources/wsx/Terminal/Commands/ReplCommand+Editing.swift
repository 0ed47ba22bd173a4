import Formats
import WSCore

extension ReplCommand {
    /// What has been typed before, and what is going to be.
    static let editing = [
        ReplCommand(
            "edit", "[N|TEXT]", "write a line in an editor",
            details: """
                Opens `$VISUAL`, `$EDITOR` or `vi` with the line *N* of the history, with *TEXT*, or with the last \
                line. What is saved is put at the prompt, where Enter sends it. Messages that come meanwhile are shown \
                afterwards. Ctrl-X Ctrl-E opens the editor with what has been typed so far.
                """, audience: .both
        ) { argument in
            let text = argument.text
            guard !text.isEmpty else { return .edit(.lastLine) }
            return .edit(Int(text).map { .line(number: $0) } ?? .text(argument.bytes))
        },
        ReplCommand(
            "history", "[N|REGEX]", "list what has been typed",
            details: """
                Lists the last *N* lines, 20 unless it is given, or those in which the regular expression *REGEX* is \
                found.
                """, audience: .both
        ) { (argument) throws(ReplMistake) in .history(try query(argument.text)) },
    ]

    private static func query(_ text: String) throws(ReplMistake) -> HistoryQuery {
        guard !text.isEmpty else { return .latest(HistoryQuery.usualCount) }
        if let count = Int(text) {
            guard count > 0 else { throw ReplMistake("'\(text)' is no number of lines") }
            return .latest(count)
        }
        do throws(PatternError) {
            _ = try Pattern(text)
        } catch {
            throw ReplMistake("'\(escapingControls(text))' is no regular expression: \(error)")
        }
        return .matching(text)
    }
}
