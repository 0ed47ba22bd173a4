import CommandLine
import Formats
import WSCore

/// What was typed after a command's name and one space.
struct PromptArgument {
    /// As typed; not always UTF-8.
    let bytes: [UInt8]

    /// As text, without blanks at its ends.
    var text: String {
        let text = String(decoding: bytes, as: UTF8.self)
        let isBlank = { (character: Character) in character == " " || character == "\t" || character == "\n" }
        let start = text.drop(while: isBlank)
        return String(start.reversed().drop(while: isBlank).reversed())
    }

    /// The first word of the text, and what follows it and one blank.
    var words: (first: String, rest: String) {
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return (parts.first ?? "", parts.count > 1 ? parts[1] : "")
    }

    /// Throws ``PromptMistake`` when something was typed after a command that takes nothing.
    func checkEmpty() throws(PromptMistake) {
        guard text.isEmpty else { throw PromptMistake("nothing follows this command") }
    }

    /// The text, or a ``PromptMistake`` where there is none.
    func required(_ why: String) throws(PromptMistake) -> String {
        guard !text.isEmpty else { throw PromptMistake(why) }
        return text
    }
}

/// Why a command cannot be carried out: one line, without the command's name.
struct PromptMistake: Error, Equatable {
    let why: String

    init(_ why: String) {
        self.why = why
    }
}

// What the commands read. Each throws ``PromptMistake`` for what it cannot take.
extension PromptArgument {
    /// A message, which `""` stands for an empty one of.
    func message() throws(PromptMistake) -> [UInt8] {
        guard !bytes.isEmpty else {
            throw PromptMistake("the text is missing; /send \"\" sends an empty message")
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

    /// Bytes in hexadecimal digits or Base64.
    func binary() throws(PromptMistake) -> [UInt8] {
        let (word, rest) = words
        guard word == "hex" || word == "base64" else { throw PromptMistake("write hex or base64, then the bytes") }
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
            throw PromptMistake("character \(offset + 1) of the bytes is not \(word)")
        } catch {
            throw PromptMistake("this is no whole number of bytes in \(word)")
        }
        return decoded.withReadableBytes { bytes in bytes.withUnsafeBytes { Array($0) } }
    }

    /// A file, and the kind of message that it is.
    func file() throws(PromptMistake) -> (path: String, MessageKind?) {
        let (word, rest) = words
        let kind: MessageKind? = word == "text" ? .text : word == "binary" ? .binary : nil
        let path = kind == nil ? text : rest
        guard !path.isEmpty else { throw PromptMistake("the path is missing") }
        return (path, kind)
    }

    /// A JSON text.
    func json() throws(PromptMistake) -> [UInt8] {
        guard !text.isEmpty else { throw PromptMistake("the message is missing") }
        if let problem = bytes.withUnsafeBytes({ JSONReader.problem(in: $0.bytes) }) {
            throw PromptMistake("this is no JSON: \(problem)")
        }
        return bytes
    }

    /// A count, and an interval, zero unless it is given.
    func repetition() throws(PromptMistake) -> (count: Int, interval: Duration) {
        let (word, rest) = words
        do throws(ValueProblem) {
            return (try CountValue.parse(word), rest.isEmpty ? .zero : try DurationValue.parse(rest))
        } catch {
            throw PromptMistake("'\(escapingControls(text))' is no count, as 10 or 5k, with an interval, as 500ms")
        }
    }

    /// A close code and a reason.
    func closeFrame() throws(PromptMistake) -> CloseFrame {
        let (word, reason) = words
        guard !word.isEmpty else { return CloseFrame(code: .normalClosure) }
        let code: CloseCode
        do throws(ValueProblem) {
            code = CloseCode(rawValue: try CloseCodeValue.parse(word))
        } catch {
            throw PromptMistake(
                "'\(escapingControls(word))' is no code that may be sent; 1000 through 1003, 1007 through 1014 and 3000 through 4999 may"
            )
        }
        guard reason.utf8.count <= CloseFrame.maximumReasonBytes else {
            throw PromptMistake("the reason is longer than \(CloseFrame.maximumReasonBytes) bytes")
        }
        return CloseFrame(code: code, reason: reason)
    }

    /// The number of a message; nil: none is given.
    func optionalMessageNumber() throws(PromptMistake) -> Int? {
        guard !text.isEmpty else { return nil }
        guard let number = Self.number(text) else {
            throw PromptMistake("'\(escapingControls(text))' is no number of a message; /find lists them")
        }
        return number
    }

    private static func number(_ text: some StringProtocol) -> Int? {
        guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        return Int(text)
    }

    /// A file name and the number of a message. A number at the end belongs to a file name only where there is nothing
    /// else.
    func saving() throws(PromptMistake) -> (path: String, number: Int?) {
        let text = try required("into which file?")
        guard let space = text.lastIndex(of: " "), let number = Self.number(text[text.index(after: space)...]) else {
            return (text, nil)
        }
        return (PromptArgument(bytes: Array(text[..<space].utf8)).text, number)
    }

    /// `on` or `off`; nil: neither is given.
    func optionalSwitch() throws(PromptMistake) -> Bool? {
        switch text {
        case "": return nil
        case "on": return true
        case "off": return false
        default: throw PromptMistake("'\(escapingControls(text))' is neither on nor off")
        }
    }

    /// A style of times; nil: none is given.
    func optionalStyle() throws(PromptMistake) -> TimestampStyle? {
        guard !text.isEmpty else { return nil }
        guard let style = TimestampStyle(rawValue: text) else {
            throw PromptMistake("'\(escapingControls(text))' is none of local, utc, relative and off")
        }
        return style
    }

    /// What an editor begins with.
    var editSource: EditSource {
        guard !text.isEmpty else { return .lastLine }
        return Int(text).map { .line(number: $0) } ?? .text(bytes)
    }

    /// Which lines of the history are listed.
    func historyQuery() throws(PromptMistake) -> HistoryQuery {
        guard !text.isEmpty else { return .latest(HistoryQuery.usualCount) }
        if let count = Int(text) {
            guard count > 0 else { throw PromptMistake("'\(text)' is no number of lines") }
            return .latest(count)
        }
        do throws(PatternError) {
            _ = try Pattern(text)
        } catch {
            throw PromptMistake("'\(escapingControls(text))' is no regular expression: \(error)")
        }
        return .matching(text)
    }
}
