import WSCore

/// Parses a JSON text (RFC 8259) strictly, token by token, and without copying. Tokens are ranges of the text, which
/// preserves numbers, escapes, and the order of keys.
///
///     {"id":7} → beginObject, key 1..<5, number 6..<7, endObject, then nil
///
/// Each call receives the text, which must not change between calls and must be valid UTF-8.
package struct JSONReader {
    /// The maximum nesting depth of objects and arrays.
    package static let maximumDepth = 512

    private enum Expectation {
        case value
        /// A value, or the end of an empty array.
        case valueOrEnd
        case key
        /// A key, or the end of an empty object.
        case keyOrEnd
        /// After a value: a comma, the end of the enclosing object or array, or the end of the text.
        case next
    }

    private var offset = 0
    private var expectation = Expectation.value
    /// Whether each open level is an object; otherwise it is an array.
    private var levels: [Bool] = []

    /// Starts at the beginning of a text.
    package init() {}

    /// The number of open objects and arrays.
    package var depth: Int { levels.count }

    /// Returns the next token, or `nil` at the end of the text.
    /// - Throws: ``JSONError``. The reader must not be used after an error.
    package mutating func next(in text: RawSpan) throws(JSONError) -> JSONToken? {
        if expectation == .next, try takeSeparator(in: text) { return nil }
        skipSpace(in: text)
        guard offset < text.byteCount else { throw .truncated }
        let byte = byte(at: offset, of: text)
        switch (expectation, byte) {
        case (.keyOrEnd, UInt8(ascii: "}")): return close(.endObject)
        case (.valueOrEnd, UInt8(ascii: "]")): return close(.endArray)
        case (.next, UInt8(ascii: "}")) where levels.last == true: return close(.endObject)
        case (.next, UInt8(ascii: "]")) where levels.last == false: return close(.endArray)
        case (.next, _): throw .unexpected(offset: offset)
        case (.key, UInt8(ascii: "\"")), (.keyOrEnd, UInt8(ascii: "\"")): return try key(in: text)
        case (.key, _), (.keyOrEnd, _): throw .unexpected(offset: offset)
        case (.value, _), (.valueOrEnd, _): return try value(byte, in: text)
        }
    }

    /// Reads to the end of a value.
    /// - Parameter token: The beginning of the value, which ``next(in:)`` returned last.
    /// - Returns: The token with the range of the whole value.
    /// - Throws: ``JSONError``.
    @discardableResult
    package mutating func value(from token: JSONToken, in text: RawSpan) throws(JSONError) -> JSONToken {
        guard token.kind == .beginObject || token.kind == .beginArray else { return token }
        let depth = depth
        var end = token.range.upperBound
        while self.depth >= depth, let next = try next(in: text) { end = next.range.upperBound }
        return JSONToken(kind: token.kind, range: token.range.lowerBound..<end)
    }

    /// Returns the members of an object in their order, or `nil` if the text is another JSON value.
    /// - Returns: The names, and the values with the range of the whole value.
    /// - Throws: ``JSONError``.
    package static func members(of text: RawSpan) throws(JSONError) -> [(name: JSONToken, value: JSONToken)]? {
        var reader = JSONReader()
        var members: [(name: JSONToken, value: JSONToken)] = []
        let isObject = try reader.next(in: text)?.kind == .beginObject
        if isObject {
            while let name = try reader.next(in: text), name.kind == .key, let token = try reader.next(in: text) {
                members.append((name, try reader.value(from: token, in: text)))
            }
        }
        // Check the rest, and that nothing follows the value.
        while try reader.next(in: text) != nil {}
        return isObject ? members : nil
    }

    /// Returns why a text is not JSON, or `nil` if it is.
    package static func problem(in text: RawSpan) -> JSONError? {
        var reader = JSONReader()
        do throws(JSONError) {
            while try reader.next(in: text) != nil {}
            return nil
        } catch {
            return error
        }
    }

    /// Skips the comma after a value.
    /// - Returns: Whether the end of the text has been reached.
    private mutating func takeSeparator(in text: RawSpan) throws(JSONError) -> Bool {
        skipSpace(in: text)
        guard offset < text.byteCount else {
            guard levels.isEmpty else { throw .truncated }
            return true
        }
        guard let isObject = levels.last else { throw .unexpected(offset: offset) }
        if byte(at: offset, of: text) == UInt8(ascii: ",") {
            offset += 1
            expectation = isObject ? .key : .value
        }
        return false
    }

    private mutating func value(_ byte: UInt8, in text: RawSpan) throws(JSONError) -> JSONToken {
        switch byte {
        case UInt8(ascii: "{"): return try open(.beginObject)
        case UInt8(ascii: "["): return try open(.beginArray)
        case UInt8(ascii: "\""): return token(.string, endingAt: try endOfString(in: text))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return token(.number, endingAt: try endOfNumber(in: text))
        case UInt8(ascii: "t"): return token(.literal, endingAt: try end(of: "true", in: text))
        case UInt8(ascii: "f"): return token(.literal, endingAt: try end(of: "false", in: text))
        case UInt8(ascii: "n"): return token(.literal, endingAt: try end(of: "null", in: text))
        default: throw .unexpected(offset: offset)
        }
    }

    private mutating func key(in text: RawSpan) throws(JSONError) -> JSONToken {
        let token = token(.key, endingAt: try endOfString(in: text))
        skipSpace(in: text)
        guard offset < text.byteCount else { throw .truncated }
        guard byte(at: offset, of: text) == UInt8(ascii: ":") else { throw .unexpected(offset: offset) }
        offset += 1
        expectation = .value
        return token
    }

    private mutating func open(_ kind: JSONToken.Kind) throws(JSONError) -> JSONToken {
        guard levels.count < Self.maximumDepth else { throw .tooDeep(limit: Self.maximumDepth) }
        levels.append(kind == .beginObject)
        let start = offset
        offset += 1
        expectation = kind == .beginObject ? .keyOrEnd : .valueOrEnd
        return JSONToken(kind: kind, range: start..<offset)
    }

    private mutating func close(_ kind: JSONToken.Kind) -> JSONToken {
        levels.removeLast()
        return token(kind, endingAt: offset + 1)
    }

    private mutating func token(_ kind: JSONToken.Kind, endingAt end: Int) -> JSONToken {
        let start = offset
        offset = end
        expectation = .next
        return JSONToken(kind: kind, range: start..<end)
    }

    private mutating func skipSpace(in text: RawSpan) {
        while offset < text.byteCount {
            guard Self.isSpace(byte(at: offset, of: text)) else { return }
            offset += 1
        }
    }

    /// Whether a byte may be between tokens (RFC 8259 §2).
    @inline(__always)
    static func isSpace(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D: true
        default: false
        }
    }

    private func end(of word: StaticString, in text: RawSpan) throws(JSONError) -> Int {
        for index in 0..<word.utf8CodeUnitCount {
            guard offset + index < text.byteCount else { throw .truncated }
            guard byte(at: offset + index, of: text) == word.utf8Start[index] else {
                throw .unexpected(offset: offset + index)
            }
        }
        return offset + word.utf8CodeUnitCount
    }

    /// RFC 8259 §7: control characters are not allowed, and only the defined escapes.
    private func endOfString(in text: RawSpan) throws(JSONError) -> Int {
        var index = offset + 1
        while index < text.byteCount {
            switch byte(at: index, of: text) {
            case UInt8(ascii: "\""): return index + 1
            case UInt8(ascii: "\\"): index = try endOfEscape(at: index, in: text)
            case 0..<0x20: throw .unexpected(offset: index)
            default: index += 1
            }
        }
        throw .truncated
    }

    private func endOfEscape(at start: Int, in text: RawSpan) throws(JSONError) -> Int {
        guard start + 1 < text.byteCount else { throw .truncated }
        switch byte(at: start + 1, of: text) {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return start + 2
        case UInt8(ascii: "u"): break
        default: throw .unexpected(offset: start + 1)
        }
        for index in start + 2..<start + 6 {
            guard index < text.byteCount else { throw .truncated }
            guard HexDigits.value(byte(at: index, of: text)) != nil else { throw .unexpected(offset: index) }
        }
        return start + 6
    }

    /// RFC 8259 §6: no leading zeros, and digits are required after a decimal point and in an exponent.
    private func endOfNumber(in text: RawSpan) throws(JSONError) -> Int {
        var index = offset
        if byte(at: index, of: text) == UInt8(ascii: "-") { index += 1 }
        if index < text.byteCount, byte(at: index, of: text) == UInt8(ascii: "0") {
            index += 1
        } else {
            index = try endOfDigits(at: index, in: text)
        }
        if index < text.byteCount, byte(at: index, of: text) == UInt8(ascii: ".") {
            index = try endOfDigits(at: index + 1, in: text)
        }
        guard index < text.byteCount, byte(at: index, of: text) | 0x20 == UInt8(ascii: "e") else { return index }
        index += 1
        if index < text.byteCount, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(byte(at: index, of: text)) {
            index += 1
        }
        return try endOfDigits(at: index, in: text)
    }

    private func endOfDigits(at start: Int, in text: RawSpan) throws(JSONError) -> Int {
        var index = start
        while index < text.byteCount, case UInt8(ascii: "0")...UInt8(ascii: "9") = byte(at: index, of: text) {
            index += 1
        }
        if index > start { return index }
        throw index < text.byteCount ? .unexpected(offset: index) : .truncated
    }

    private func byte(at index: Int, of text: RawSpan) -> UInt8 {
        text.unsafeLoad(fromByteOffset: index, as: UInt8.self)
    }
}

/// A token of a JSON text (RFC 8259 §2).
package struct JSONToken: Equatable {
    /// The kind of a token.
    package enum Kind {
        case beginObject
        case endObject
        case beginArray
        case endArray
        /// The name of an object's member.
        case key
        case string
        case number
        /// `true`, `false`, or `null`.
        case literal
    }

    /// The kind of the token.
    package let kind: Kind
    /// The range in the text, in bytes. Keys and strings include their quotes.
    package let range: Range<Int>
}

/// Why a text is not JSON.
package enum JSONError: Error, Equatable, CustomStringConvertible {
    /// The text ends within a value.
    case truncated
    /// The byte at this offset is not allowed.
    case unexpected(offset: Int)
    /// Objects and arrays are nested too deeply.
    case tooDeep(limit: Int)

    /// The reason in words, to follow a colon.
    package var description: String {
        switch self {
        case .truncated: "the text is incomplete"
        case .unexpected(let offset): "unexpected character at byte \(offset + 1)"
        case .tooDeep(let limit): "more than \(limit) levels of nesting"
        }
    }
}
