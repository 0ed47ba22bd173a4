import Formats
import WSCore

/// Reads a typed line word by word: `join room:a {"user":1}`.
struct TypedLine {
    private let bytes: [UInt8]
    private var offset = 0

    /// Starts at the first word.
    init(_ line: RawSpan) {
        bytes = line.bytes
        skipBlanks()
    }

    /// The rest of the line, without surrounding blanks.
    var rest: [UInt8] {
        var end = bytes.count
        while end > offset, Self.isBlank(bytes[end - 1]) { end -= 1 }
        return Array(bytes[offset..<end])
    }

    /// Whether nothing follows.
    var isAtEnd: Bool { offset == bytes.count }

    /// The next byte, or `nil` at the end.
    var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// The next word, which ends at a blank, without moving past it. Empty at the end.
    var nextWord: String {
        let end = bytes[offset...].firstIndex(where: Self.isBlank) ?? bytes.count
        return String(decoding: bytes[offset..<end], as: UTF8.self)
    }

    /// Returns the next word and moves past it, or `nil` at the end.
    mutating func word() -> String? {
        guard !isAtEnd else { return nil }
        let word = nextWord
        // A line is valid UTF-8, so the word has as many bytes as the line.
        offset = min(bytes.count, offset + word.utf8.count)
        skipBlanks()
        return word
    }

    /// Returns the next word, or the text of the JSON string that begins here, and moves past it.
    /// - Throws: ``ProtocolInputError`` at the end of the line, or if the string is invalid.
    /// - Parameters:
    ///   - what: The name of the word in errors.
    ///   - form: The expected form of the line.
    mutating func name(_ what: String, _ form: String) throws(ProtocolInputError) -> String {
        let isQuoted = next == UInt8(ascii: "\"")
        guard let name = isQuoted ? json().flatMap(JSONText.decoded) : word() else {
            throw ProtocolInputError("\(isQuoted ? quoteProblem : "\(what) is missing"); \(form)")
        }
        return name
    }

    /// What is wrong with the quoted text that begins here.
    private var quoteProblem: String {
        var end = offset + 1
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") { end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1 }
        guard end < bytes.count else { return "the quote is not closed" }
        let isSeparate = end + 1 == bytes.count || Self.isBlank(bytes[end + 1])
        return isSeparate ? "the quoted text is not a JSON string" : "a blank is missing after the closing quote"
    }

    /// Returns the JSON value that begins here without whitespace and moves past it, or `nil` if there is none.
    mutating func json() -> [UInt8]? {
        let rest = Array(bytes[offset...])
        // The reader reports text after the value as an error, so find the end of the value first.
        guard let length = Self.lengthOfValue(rest), let value = JSONText.compact(Array(rest[..<length])) else {
            return nil
        }
        let end = offset + length
        guard end == bytes.count || Self.isBlank(bytes[end]) else { return nil }
        offset = end
        skipBlanks()
        return value
    }

    /// The length of the value at the start of a text, or `nil` if it is incomplete or invalid.
    private static func lengthOfValue(_ text: [UInt8]) -> Int? {
        var reader = JSONReader()
        do throws(JSONError) {
            guard let first = try reader.next(in: text.span.bytes) else { return nil }
            return try reader.value(from: first, in: text.span.bytes).range.upperBound
        } catch {
            return nil
        }
    }

    /// The rest of the line as arguments, each a JSON text. An argument that is valid JSON is JSON, and any other is a
    /// string, as in ``JSONRPCCall``. A single array is the list of arguments.
    mutating func arguments() throws(JSONRPCCallError) -> [[UInt8]] {
        let rest = Array(bytes[offset...])
        offset = bytes.count
        let arguments = try JSONRPCCall.arguments(rest.span.bytes)
        if arguments.count == 1, let elements = JSONText.elements(of: arguments[0]) { return elements }
        return arguments.map { JSONText.compact($0) ?? $0 }
    }

    private mutating func skipBlanks() {
        while offset < bytes.count, Self.isBlank(bytes[offset]) { offset += 1 }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        [0x20, 0x09, 0x0A, 0x0D].contains(byte)
    }
}
