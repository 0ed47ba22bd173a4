import WSCore

extension ReplCommand {
    /// How what travels is shown, and looking back at it.
    static let reading = [
        ReplCommand(
            "show", "[N]", "show a message whole",
            details: """
                Message *N*, counted from 1 as they are sent and received; without a number the last of which only the \
                beginning was shown, or else the last. The latest 10,000 messages are kept, up to 64 MiB.
                """
        ) { (argument) throws(ReplMistake) in .show(number: try optionalNumber(argument.text)) },
        ReplCommand(
            "find", "REGEX", "list the messages in which something is found",
            details: """
                *REGEX* is a regular expression as in Perl, `(?i)` at its beginning makes no difference between capitals \
                and small letters. At most 100 messages are listed, the latest.
                """
        ) { (argument) throws(ReplMistake) in
            guard !argument.text.isEmpty else { throw ReplMistake("what is to be found?") }
            return .find(argument.text)
        },
        ReplCommand(
            "filter", "[REGEX]", "hide messages that do not match",
            details: """
                It holds for what is sent and for what is received, until `/filter` alone. Hidden messages are kept for \
                `/find` and `/show`.
                """
        ) { .filter($0.text.isEmpty ? nil : $0.text) },
        ReplCommand(
            "save", "FILE [N]", "put the bytes of a message into a new file",
            details: "Message *N*, or the last received. A file that is there already is left alone.", completion: .file
        ) { (argument) throws(ReplMistake) in try save(argument.text) },
        ReplCommand(
            "pretty", "[on|off]", "indent JSON, or show it as it is", details: "Alone it changes between the two.",
            audience: .both
        ) { (argument) throws(ReplMistake) in .pretty(try optionalSwitch(argument.text)) },
        ReplCommand(
            "time", "[STYLE]", "choose the time that stands before messages",
            details: """
                *STYLE* is `local`, `utc`, `relative` or `off`, as for `--timestamps`. Alone it changes between the time \
                of day and the time since the start.
                """, audience: .both
        ) { (argument) throws(ReplMistake) in .time(try optionalStyle(argument.text)) },
    ]

    private static func optionalNumber(_ text: String) throws(ReplMistake) -> Int? {
        guard !text.isEmpty else { return nil }
        guard let number = number(text) else {
            throw ReplMistake("'\(escapingControls(text))' is no number of a message; /find lists them")
        }
        return number
    }

    private static func number(_ text: some StringProtocol) -> Int? {
        guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        return Int(text)
    }

    /// A number at the end belongs to a file name only where there is nothing else.
    private static func save(_ text: String) throws(ReplMistake) -> ReplAction {
        guard !text.isEmpty else { throw ReplMistake("into which file?") }
        guard let space = text.lastIndex(of: " "), let number = number(text[text.index(after: space)...]) else {
            return .save(path: text, number: nil)
        }
        return .save(path: ReplArgument(bytes: Array(text[..<space].utf8)).text, number: number)
    }

    private static func optionalSwitch(_ text: String) throws(ReplMistake) -> Bool? {
        switch text {
        case "": return nil
        case "on": return true
        case "off": return false
        default: throw ReplMistake("'\(escapingControls(text))' is neither on nor off")
        }
    }

    private static func optionalStyle(_ text: String) throws(ReplMistake) -> TimestampStyle? {
        guard !text.isEmpty else { return nil }
        guard let style = TimestampStyle(rawValue: text) else {
            throw ReplMistake("'\(escapingControls(text))' is none of local, utc, relative and off")
        }
        return style
    }
}
