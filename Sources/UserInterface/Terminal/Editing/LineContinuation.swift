import Formats
import WSCore

/// The effect of Enter: submit the text, or continue it on another line.
///
/// - A backslash at the end of a message continues it on another line and is removed. Two backslashes at the end become
///   one and submit the message.
/// - A message that is incomplete JSON continues until its brackets are closed.
/// - Enter on an empty continuation line submits the text.
enum LineContinuation: Equatable {
    /// The text is complete.
    case complete([UInt8])
    /// Continue on another line after removing this many bytes from the end.
    case continues(removing: Int)

    private static let backslash = UInt8(ascii: "\\")

    /// Decides how to go on with a text.
    /// - Parameters:
    ///   - text: The whole text.
    ///   - isOnNewLine: Whether the text has not changed since a continuation line began.
    ///   - commands: The commands of the prompt.
    init(after text: [UInt8], isOnNewLine: Bool, commands: [PromptCommandDescription]) {
        if isOnNewLine, text.last == UInt8(ascii: "\n") {
            self = .complete(text.dropLast())
        } else if let command = Self.command(of: text, among: commands) {
            let json = command.takesJSON ? text.dropFirst(command.name.utf8.count + 2) : []
            self = Self.isOpen(json) ? .continues(removing: 0) : .complete(text)
        } else {
            let backslashes = text.reversed().prefix { $0 == Self.backslash }.count
            if backslashes == 1 {
                self = .continues(removing: 1)
            } else if backslashes > 1 {
                self = .complete(text.dropLast())
            } else {
                self = Self.isOpen(text[...]) ? .continues(removing: 0) : .complete(text)
            }
        }
    }

    /// The command at the beginning of the text; nil: a message or an unknown command.
    private static func command(of text: [UInt8], among commands: [PromptCommandDescription])
        -> PromptCommandDescription?
    {
        guard text.first == UInt8(ascii: "/") else { return nil }
        let name = text.dropFirst().prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") }
        return commands.first { $0.name.utf8.elementsEqual(name) }
    }

    /// Whether the text is the beginning of a JSON object or array.
    private static func isOpen(_ text: ArraySlice<UInt8>) -> Bool {
        guard mayBeJSON(text) else { return false }
        return text.withUnsafeBytes { JSONReader.problem(in: $0.bytes) } == .truncated
    }

    /// Whether the text begins like a JSON object or array.
    static func mayBeJSON(_ text: ArraySlice<UInt8>) -> Bool {
        text.first { !" \t\n".utf8.contains($0) }.map { "{[".utf8.contains($0) } ?? false
    }
}
