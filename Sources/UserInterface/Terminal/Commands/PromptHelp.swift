import CommandLine
import WSCore

/// The texts of `/help`.
package enum PromptHelp {
    /// The list of commands, one per line if the window is wide enough.
    /// - Parameter columns: The width of a line; nil: unlimited.
    static func text(of commands: [PromptCommandDescription], columns: Int? = nil) -> String {
        TermList.text(of: commands.map { ($0.usage, $0.summary) }, columns: columns)
    }

    /// The line after the list of commands.
    static let end = "Any other line is sent as a message; //TEXT sends /TEXT. Ctrl-F searches messages."

    /// The explanation of one command, or nil if it does not exist.
    static func text(about topic: String, among commands: [PromptCommandDescription], columns: Int? = nil) -> String? {
        let name = topic.hasPrefix("/") ? String(topic.dropFirst()) : topic
        guard let command = commands.first(where: { $0.name == name }) else { return nil }
        let explanation = HelpText.wrapped(
            command.explanation.plain, indentation: 2, columns: min(HelpText.columns, columns ?? .max))
        return ([command.usage] + explanation).joined(separator: "\n") + "\n"
    }

    /// Commands of other programs, and ours.
    private static let counterparts: [(names: [String], command: String)] = [
        (["leave", "end", "stop"], "quit"), (["disconnect", "kick"], "close"), (["open"], "connect"),
        (["list", "who", "users", "ls"], "clients"), (["json"], "send-json"), (["hex", "base64"], "binary"),
        (["stats"], "info"), (["log"], "record"), (["commands"], "help"), (["search"], "find"),
    ]

    /// The line that addresses a client instead of a command that does so in other servers: `@1 /close` for `/kick 1`.
    /// Returns `nil` for other commands.
    static func addressed(
        _ name: String, _ argument: [UInt8], among commands: [PromptCommandDescription]
    ) -> String? {
        guard commands.contains(where: { $0.name == "clients" }) else { return nil }
        let words = String(decoding: argument, as: UTF8.self).split(separator: " ", maxSplits: 1)
        let number = words.first.flatMap { UInt32($0.drop { $0 == "@" }) }
        let rest = words.count > 1 ? escapingControls(String(words[1])) : ""
        let reason = rest.isEmpty ? "" : " \(rest)"
        switch name {
        case "kick", "ban", "disconnect", "drop": return "@\(number ?? 1) /close\(reason)"
        // From 1000 on, the number is a code.
        case "close": return number.flatMap { $0 < 1000 ? "@\($0) /close\(reason)" : nil }
        case "to", "msg", "tell", "whisper":
            let text = rest.isEmpty ? "TEXT" : rest
            guard commands.contains(where: { $0.name == "to" }) else { return "@\(number ?? 1) \(text)" }
            return name == "to" ? nil : "/to \(number ?? 1) server|client \(text)"
        default: return nil
        }
    }

    /// Names of `/quit` in other programs.
    static let namesOfQuit = ["exit", "q", "bye"]

    /// The remedy for a line that is a command of other programs, and a message here; `nil` for other lines.
    package static func foreign(_ line: [UInt8]) -> String? {
        let text = String(decoding: line, as: UTF8.self)
        let name = text.first.map { "\\:.".contains($0) } ?? false ? String(text.dropFirst()) : text
        if name == "quit" || namesOfQuit.contains(name) {
            return "'\(text)' is a message here; /quit or Ctrl-D leaves."
        }
        // psql's.
        let word = text.prefix { $0 != " " }
        guard word.first == "\\", let first = word.dropFirst().first, first.isLetter || "!?".contains(first) else {
            return nil
        }
        return
            "'\(escapingControls(String(word)))' is a message here; commands begin with a slash, and /help lists them."
    }

    /// The error for `/help` with an unknown command.
    static func unknownTopic(_ topic: String, among commands: [PromptCommandDescription]) -> String {
        let name = topic.hasPrefix("/") ? String(topic.dropFirst()) : topic
        let nearest = EditDistance.nearest(to: name, among: commands.map(\.name))
        let hint = nearest.map { "did you mean '/help \($0)'?" } ?? "/help lists the commands"
        return "/help: there is no command '/\(escapingControls(name))'; \(hint)"
    }

    /// The error for an unknown command.
    static func unknown(_ name: String, among commands: [PromptCommandDescription]) -> String {
        let shown = escapingControls(name)
        if ["clear", "cls"].contains(name) { return "unknown command '/\(shown)'; Ctrl-L clears the screen" }
        let counterpart = counterparts.first { $0.names.contains(name) }?.command
        let nearest =
            commands.first { $0.name == counterpart }?.name
            ?? EditDistance.nearest(to: name, among: commands.map(\.name))
        let hint = nearest.map { "did you mean '/\($0)'?" } ?? "/help lists the commands; //\(shown) sends it"
        return "unknown command '/\(shown)'; \(hint)"
    }
}
