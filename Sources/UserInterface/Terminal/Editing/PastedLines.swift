import Formats
import WSCore

/// The messages and commands in a pasted text: what Enter at the end of each line would submit.
struct PastedLines: Equatable {
    /// A message or a command.
    struct Line: Equatable {
        /// The text for the history.
        let typed: [UInt8]
        let submitted: [UInt8]
    }

    private(set) var lines: [Line] = []

    private static let newline = UInt8(ascii: "\n")

    /// The commands that run programs, use files, or leave the server. A paste with one of them stays in the line, where
    /// it can be read before Enter.
    private static let commandsToRead = ["pipe", "show", "edit", "file", "save", "record", "connect", "quit"]

    /// Splits a text. Returns nil if it is one message: it has one line, is one JSON value, or has lines that are not
    /// complete by themselves. A text with one of ``commandsToRead`` is not split either.
    /// - Parameter commands: The commands of the prompt.
    init?(_ text: [UInt8], commands: [PromptCommandDescription]) {
        var rest = text[...]
        // The line so far, with those that it continues.
        var typed: [UInt8] = []
        while let line = Self.takeLine(from: &rest) {
            if typed.isEmpty, line.isEmpty { continue }
            typed += line
            var continuation = LineContinuation(after: typed, isOnNewLine: false, commands: commands)
            if continuation == .continues(removing: 0) {
                guard let count = Self.byteCountOfJSON(typed + [Self.newline] + rest) else { return nil }
                while typed.count < count, let line = Self.takeLine(from: &rest) { typed += [Self.newline] + line }
                continuation = LineContinuation(after: typed, isOnNewLine: false, commands: commands)
            }
            switch continuation {
            case .continues(removing: 0): return nil
            case .continues(let count): typed = typed.dropLast(count) + [Self.newline]
            case .complete(let submitted):
                guard Self.isBalanced(typed), !Self.commandsToRead.contains(Self.commandName(of: typed)) else {
                    return nil
                }
                lines.append(Line(typed: typed, submitted: submitted))
                typed = []
            }
        }
        guard typed.isEmpty, lines.count > 1 else { return nil }
    }

    private static func takeLine(from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard !rest.isEmpty else { return nil }
        let end = rest.firstIndex(of: newline) ?? rest.endIndex
        defer { rest = rest[min(end + 1, rest.endIndex)...] }
        return rest[..<end]
    }

    private static func commandName(of line: [UInt8]) -> String {
        guard line.first == UInt8(ascii: "/") else { return "" }
        let name = line.dropFirst().prefix { $0 != UInt8(ascii: " ") && $0 != newline }
        return String(decoding: name, as: UTF8.self)
    }

    /// The size of a text up to the end of the JSON value with which it begins, after the name of a command if it has
    /// one. Nil: the value is incomplete or invalid.
    private static func byteCountOfJSON(_ text: [UInt8]) -> Int? {
        let start = text.firstIndex { "{[".utf8.contains($0) } ?? 0
        return text[start...].withUnsafeBytes { bytes in
            var reader = JSONReader()
            guard let token = try? reader.next(in: bytes.bytes),
                let value = try? reader.value(from: token, in: bytes.bytes)
            else { return nil }
            return start + value.range.upperBound
        }
    }

    /// Whether a text closes the brackets that it opens, unlike a line of a program or a query. JSON, whose strings may
    /// contain brackets, is complete in any case.
    private static func isBalanced(_ text: [UInt8]) -> Bool {
        func count(_ byte: UInt8) -> Int { text.reduce(0) { $1 == byte ? $0 + 1 : $0 } }
        return LineContinuation.mayBeJSON(text[...]) || text.first == UInt8(ascii: "/")
            || count(UInt8(ascii: "{")) == count(UInt8(ascii: "}"))
                && count(UInt8(ascii: "[")) == count(UInt8(ascii: "]"))
    }
}

/// The question after several messages were pasted.
///
///     Paste of 3 messages: [l] send each, [o] send as one, [Enter] edit
final class PasteQuestion: ModalLine {
    enum Answer {
        case lines
        case one
        case edit
        case discard
    }

    var didChange: () -> Void = {}
    private let count: Int
    private let answer: (Answer) -> Void

    /// Asks about a number of messages.
    init(about count: Int, answer: @escaping (Answer) -> Void) {
        self.count = count
        self.answer = answer
    }

    func line(columns: Int) -> (text: StyledText, cursor: Int) {
        let count = Phrase.grouped(count)
        let forms = [
            "Paste of \(count) messages: [l] send each, [o] send as one, [Enter] edit ",
            "\(count) messages: [l]ines [o]ne [Enter] edit ", "\(count): [l]ines [o]ne [Enter] edit ",
            "[l] [o] [Enter] ",
        ]
        var line = StyledText(Palette(isEnabled: false))
        line.append(forms.first { $0.utf8.count <= columns } ?? forms[forms.count - 1], cutTo: columns)
        return (line, line.columns)
    }

    func press(_ key: PromptKey) -> Bool {
        switch key {
        case .text("l"), .text("L"): answer(.lines)
        case .text("o"), .text("O"): answer(.one)
        case .text("e"), .text("E"), .enter: answer(.edit)
        case .escape, .control("C"), .control("D"), .control("G"): answer(.discard)
        // Pasted text is no answer.
        case .text, .pasted, .control, .backspace, .up, .down, .other: return true
        }
        return false
    }
}
