import Formats
import WSCore

/// What Enter does: hand on what was typed, or go on with it on another line.
///
/// - A backslash at the end of a message asks for another line; it is not part of the message. Two at the end stand for
///   one that is.
/// - A message that is JSON so far, but not to its end, goes on until its brackets are closed.
/// - Enter on an empty line that came about so hands on what there is.
enum LineContinuation: Equatable {
    /// What was typed is complete.
    case complete([UInt8])
    /// Another line follows, once some bytes at the end have been removed.
    case continues(removing: Int)

    private static let backslash = UInt8(ascii: "\\")

    /// Looks at what was typed.
    /// - Parameters:
    ///   - text: All of it.
    ///   - isOnNewLine: Whether a new line was just begun, and nothing has been changed since.
    ///   - commands: Those there are.
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

    /// The command that a text gives; nil: it is a message, or no command that there is.
    private static func command(of text: [UInt8], among commands: [PromptCommandDescription])
        -> PromptCommandDescription?
    {
        guard text.first == UInt8(ascii: "/") else { return nil }
        let name = text.dropFirst().prefix { $0 != UInt8(ascii: " ") }
        return commands.first { $0.name.utf8.elementsEqual(name) }
    }

    /// Whether a text is the beginning of an object or array in JSON.
    private static func isOpen(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first(where: { !" \t\n".utf8.contains($0) }), "{[".utf8.contains(first) else {
            return false
        }
        return text.withUnsafeBytes { JSONReader.problem(in: $0.bytes) } == .truncated
    }
}
