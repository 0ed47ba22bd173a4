import CommandLine
import Conversation
import Formats
import WSCore

/// The text after a command's name and one space or newline.
package struct PromptArgument: Sendable {
    /// As typed; may be invalid UTF-8.
    let bytes: [UInt8]

    /// The text without leading and trailing spaces, tabs, and newlines.
    var text: String {
        let text = String(decoding: bytes, as: UTF8.self)
        let isBlank = { (character: Character) in character == " " || character == "\t" || character == "\n" }
        let start = text.drop(while: isBlank)
        return String(start.reversed().drop(while: isBlank).reversed())
    }

    /// The first word of the text, and the rest after one space.
    var words: (first: String, rest: String) {
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return (parts.first ?? "", parts.count > 1 ? parts[1] : "")
    }

    /// Throws ``PromptMistake`` if a command that takes no argument has one.
    package func checkEmpty() throws(PromptMistake) {
        guard text.isEmpty else { throw PromptMistake("unexpected text '\(escapingControls(text))'") }
    }

    /// The text, or nil if it is empty.
    func optionalText() -> String? { text.isEmpty ? nil : text }

    /// The URL of a server.
    package func url() throws(PromptMistake) -> String { try required("the URL is missing") }

    /// The text; throws ``PromptMistake`` if it is empty.
    func required(_ why: String) throws(PromptMistake) -> String {
        guard !text.isEmpty else { throw PromptMistake(why) }
        return text
    }
}

/// The reason why a command's argument is invalid, in one line without the command's name and usage.
package struct PromptMistake: Error, Equatable {
    let why: String

    package init(_ why: String) {
        self.why = why
    }
}

// The kinds of arguments. Each of these throws ``PromptMistake`` for an invalid argument.
extension PromptArgument {
    /// A message; `""` is the empty message.
    func message() throws(PromptMistake) -> [UInt8] {
        guard !bytes.isEmpty else {
            throw PromptMistake("the text is missing (\"\" sends an empty message)")
        }
        return text == "\"\"" ? [] : bytes
    }

    /// The payload of a ping or pong.
    func controlPayload() throws(PromptMistake) -> [UInt8] {
        guard bytes.count <= FrameHeader.maximumControlPayloadBytes else {
            throw PromptMistake("the text is longer than \(FrameHeader.maximumControlPayloadBytes) bytes")
        }
        return bytes
    }

    /// Bytes as hexadecimal digits or Base64.
    package func binary() throws(PromptMistake) -> [UInt8] {
        let (word, rest) = words
        guard word == "hex" || word == "base64" else { throw PromptMistake("expected hex or base64 and the bytes") }
        let text = Array(rest.utf8)
        var decoded = ByteBuffer()
        do throws(EncodedTextError) {
            let span = text.span.bytes
            if word == "hex" {
                try HexDigits.appendDecoded(span, to: &decoded)
            } else {
                try Base64.appendDecoded(span, to: &decoded)
            }
        } catch .unexpected(let offset) {
            throw PromptMistake("invalid \(word) at character \(offset + 1)")
        } catch {
            throw PromptMistake("incomplete \(word)")
        }
        return decoded.withReadableBytes { bytes in bytes.withUnsafeBytes { Array($0) } }
    }

    /// A file and the kind of its message.
    package func file() throws(PromptMistake) -> (path: String, MessageKind?) {
        let (word, rest) = words
        let kind: MessageKind? = word == "text" ? .text : word == "binary" ? .binary : nil
        let path = kind == nil ? text : rest
        guard !path.isEmpty else { throw PromptMistake("the file name is missing") }
        return (path, kind)
    }

    /// A JSON text.
    package func json() throws(PromptMistake) -> [UInt8] {
        guard !text.isEmpty else { throw PromptMistake("the message is missing") }
        if let problem = bytes.withUnsafeBytes({ JSONReader.problem(in: $0.bytes) }) {
            throw PromptMistake("invalid JSON: \(problem)")
        }
        return bytes
    }

    /// The location of a value in JSON messages, or nil if the argument is empty.
    func optionalPath() throws(PromptMistake) -> JSONPath? {
        guard !text.isEmpty else { return nil }
        do throws(JSONQueryError) {
            return try JSONPath(text)
        } catch {
            throw PromptMistake("\(error)")
        }
    }

    /// A condition on a value of JSON messages, or nil if the argument is empty.
    func optionalCondition() throws(PromptMistake) -> JSONCondition? {
        guard !text.isEmpty else { return nil }
        do throws(JSONQueryError) {
            return try JSONCondition(text)
        } catch {
            throw PromptMistake("\(error)")
        }
    }

    /// A variable, and the location of its value.
    package func setVariable() throws(PromptMistake) -> SetVariableValue {
        do throws(ValueProblem) {
            return try SetVariableValue.parse(text)
        } catch {
            throw PromptMistake(error.words)
        }
    }

    /// Codecs of received messages, or nil if the argument is empty. `off` stands for none.
    package func optionalCodecs() throws(PromptMistake) -> [Codec]? {
        guard !text.isEmpty else { return nil }
        var codecs: [Codec] = []
        for word in text.split(separator: " ") where text != "off" {
            let shown = escapingControls(String(word))
            do throws(CodecNameProblem) {
                let codec = try Codec(opening: String(word))
                guard codec.program == nil else { throw .unknown }
                codecs.append(codec)
            } catch .unknown {
                let names = Codec.forms.filter { $0.codec.program == nil }.map(\.name).joined(separator: ", ")
                throw PromptMistake("expected \(names), or off, but got '\(shown)'")
            } catch {
                throw PromptMistake("invalid codec '\(shown)': \(error.words)")
            }
        }
        return codecs
    }

    /// A saved message and the values of its parameters, or nil if the argument is empty.
    package func optionalCall() throws(PromptMistake) -> MessageCall? {
        guard !text.isEmpty else { return nil }
        do throws(ValueProblem) {
            return try MessageCall(try quotedWords())
        } catch {
            throw PromptMistake(error.words)
        }
    }

    /// The words of the text. Double quotes keep blanks; within them, a backslash precedes a quote or backslash.
    private func quotedWords() throws(ValueProblem) -> [String] {
        var words: [[UInt8]] = []
        var (isInWord, isQuoted) = (false, false)
        /// Whether a value begins here. Quotes elsewhere are text, as in JSON.
        func isAtValue() -> Bool {
            guard isInWord, let word = words.last else { return false }
            return word.firstIndex(of: UInt8(ascii: "=")) == word.count - 1
        }
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\"") where isQuoted || isAtValue(): isQuoted.toggle()
            case UInt8(ascii: "\\") where isQuoted && (rest.first.map { "\"\\".utf8.contains($0) } ?? false):
                words[words.count - 1].append(rest.removeFirst())
            case UInt8(ascii: " ") where !isQuoted, UInt8(ascii: "\n") where !isQuoted: isInWord = false
            default:
                if !isInWord { words.append([]) }
                isInWord = true
                words[words.count - 1].append(byte)
            }
        }
        guard !isQuoted else { throw .unusable(words: "a quote is not closed") }
        return words.map { String(decoding: $0, as: UTF8.self) }
    }

    /// A count, and an interval that defaults to zero.
    package func repetition() throws(PromptMistake) -> (count: Int, interval: Duration) {
        let (word, rest) = words
        do throws(ValueProblem) {
            return (try CountValue.parse(word), rest.isEmpty ? .zero : try DurationValue.parse(rest))
        } catch {
            throw PromptMistake("expected a count such as 10 or 5k, and optionally an interval such as 500ms")
        }
    }

    /// A close code, 1000 by default, and a reason.
    func closeFrame() throws(PromptMistake) -> CloseFrame {
        let (word, reason) = words
        guard !word.isEmpty else { return CloseFrame(code: .normalClosure) }
        let code: CloseCode
        do throws(ValueProblem) {
            code = CloseCode(rawValue: try CloseCodeValue.parse(word))
        } catch {
            throw PromptMistake(
                "'\(escapingControls(word))' is not a close code (1000 to 1003, 1007 to 1014, or 3000 to 4999)")
        }
        guard reason.utf8.count <= CloseFrame.maximumReasonBytes else {
            throw PromptMistake("the reason is longer than \(CloseFrame.maximumReasonBytes) bytes")
        }
        return CloseFrame(code: code, reason: reason)
    }

    /// A message number, or nil if there is none.
    func optionalMessageNumber() throws(PromptMistake) -> Int? {
        guard !text.isEmpty else { return nil }
        guard let number = Self.number(text) else {
            throw PromptMistake("'\(escapingControls(text))' is not a message number")
        }
        return number
    }

    /// The number of a message or nil, and the shell command behind a vertical bar or nil.
    func messageAndCommand() throws(PromptMistake) -> (number: Int?, command: String?) {
        guard let bar = text.utf8.firstIndex(of: UInt8(ascii: "|")) else { return (try optionalMessageNumber(), nil) }
        let number = PromptArgument(bytes: Array(text.utf8[..<bar]))
        let command = PromptArgument(bytes: Array(text.utf8[text.utf8.index(after: bar)...]))
        return (try number.optionalMessageNumber(), try command.required("the command after | is missing"))
    }

    /// The argument of `/to`: a client's number, the side, and the line.
    package func relayedLine() throws(PromptMistake) -> (client: Int, toServer: Bool, line: [UInt8]) {
        let words = bytes.split(separator: UInt8(ascii: " "), maxSplits: 2)
        let names = words.prefix(2).map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 3, let client = Self.number(names[0].drop { $0 == "@" }),
            names[1] == "server" || names[1] == "client"
        else { throw PromptMistake("write a client, a side, and a line, as in '/to 3 server TEXT'") }
        return (client, names[1] == "server", Array(words[2]))
    }

    /// A client's number, a side, or both; nil: neither.
    package func optionalOrigin() throws(PromptMistake) -> MessageOrigin? {
        guard !text.isEmpty else { return nil }
        var origin = MessageOrigin()
        for word in text.split(separator: " ") {
            if origin.client == nil, let number = Self.number(word.drop { $0 == "@" }), number > 0 {
                origin.client = number
            } else if origin.side == nil, let side = RelaySide(rawValue: String(word)) {
                origin.side = side
            } else {
                throw PromptMistake(
                    "write a client, a side, or both, as in '/only 3', '/only client', or '/only 3 server'")
            }
        }
        return origin
    }

    /// A number of messages, 10 by default.
    func tailCount() throws(PromptMistake) -> Int {
        guard !text.isEmpty else { return 10 }
        guard let count = Self.number(text), count > 0 else {
            throw PromptMistake("'\(escapingControls(text))' is not a number of messages")
        }
        return count
    }

    private static func number(_ text: some StringProtocol) -> Int? {
        guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        return Int(text)
    }

    /// A file name and a message number. A number alone is a file name.
    func saving() throws(PromptMistake) -> (path: String, number: Int?) {
        let text = try required("the file name is missing")
        guard let space = text.lastIndex(of: " "), let number = Self.number(text[text.index(after: space)...]) else {
            return (text, nil)
        }
        return (PromptArgument(bytes: Array(text[..<space].utf8)).text, number)
    }

    /// `on` or `off`, or nil if the argument is empty.
    func optionalSwitch() throws(PromptMistake) -> Bool? {
        switch text {
        case "": return nil
        case "on": return true
        case "off": return false
        default: throw PromptMistake("'\(escapingControls(text))' is neither on nor off")
        }
    }

    /// Whether the argument is `secrets`, or empty.
    package func secretsSwitch() throws(PromptMistake) -> Bool {
        guard text.isEmpty || text == "secrets" else {
            throw PromptMistake("'\(escapingControls(text))' is not secrets")
        }
        return !text.isEmpty
    }

    /// A layout of JSON, or nil if the argument is empty. `on` stands for `full`, as in earlier versions.
    func optionalPrettyStyle() throws(PromptMistake) -> PrettyStyle? {
        guard !text.isEmpty else { return nil }
        guard let style = text == "on" ? .full : PrettyStyle(rawValue: text) else {
            throw PromptMistake("'\(escapingControls(text))' is not fit, full, or off")
        }
        return style
    }

    /// A timestamp style, or nil if the argument is empty.
    func optionalStyle() throws(PromptMistake) -> TimestampStyle? {
        guard !text.isEmpty else { return nil }
        guard let style = TimestampStyle(rawValue: text) else {
            throw PromptMistake("'\(escapingControls(text))' is not local, utc, relative, or off")
        }
        return style
    }

    /// The text with which the editor opens.
    func editSource() -> EditSource {
        guard !text.isEmpty else { return .lastLine }
        return Int(text).map { .line(number: $0) } ?? .text(bytes)
    }

    /// The lines of the history to list.
    func historyQuery() throws(PromptMistake) -> HistoryQuery {
        guard !text.isEmpty else { return .latest(HistoryQuery.usualCount) }
        if let count = Int(text) {
            guard count > 0 else { throw PromptMistake("'\(text)' is not a number of lines") }
            return .latest(count)
        }
        do throws(PatternError) {
            _ = try Pattern(text)
        } catch {
            throw PromptMistake("invalid regular expression '\(escapingControls(text))': \(error)")
        }
        return .matching(text)
    }
}

/// The text with which `/edit` opens the editor.
package enum EditSource: Equatable {
    /// The previous line.
    case lastLine
    /// The line with this number in `/history`.
    case line(number: Int)
    case text([UInt8])
}
