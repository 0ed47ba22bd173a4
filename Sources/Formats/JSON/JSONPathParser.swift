import WSCore

/// Parses JSON Pointers (RFC 6901) and dotted paths.
///
///     pointer = *( "/" *( character / "~0" / "~1" ) )            at least one slash
///     dotted  = "." / 1*( "." ( name / string ) / ["."] "[" ( ["-"] 1*digit / string ) "]" )
///     name    = 1*( letter / digit / "_" / "-" / "$" / "@" )     any character beyond ASCII is a letter
///
/// A string is a JSON string. The first step of a dotted path has a dot.
struct JSONPathParser {
    private let bytes: [UInt8]
    /// Whether an operator or a blank ends the path.
    private let isFollowed: Bool
    /// The offset of the next byte.
    private(set) var offset: Int

    private static let quotingRemedy = #"quote other names, as in ."a b""#

    /// Prepares to parse the path at an offset.
    init(_ bytes: [UInt8], at offset: Int = 0, isFollowed: Bool) {
        self.bytes = bytes
        self.offset = offset
        self.isFollowed = isFollowed
    }

    /// Parses the path, up to the end of the text unless something may follow it.
    mutating func parse() throws(JSONQueryError) -> JSONPath {
        let start = offset
        let steps: [JSONPath.Step]
        switch next {
        case UInt8(ascii: "/"): steps = try pointer()
        case UInt8(ascii: "."): steps = try dotted()
        default: throw problem("expected a path", remedy: "write a path as in .user.name or /user/name")
        }
        if !isFollowed, next != nil { throw problem("expected '.' or '['", remedy: Self.quotingRemedy) }
        return JSONPath(steps, source: String(decoding: bytes[start..<offset], as: UTF8.self))
    }

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// Whether the next byte can belong neither to a name nor to a part of a pointer, because something else follows.
    private var isAtEnd: Bool {
        guard let next else { return true }
        guard isFollowed else { return false }
        switch next {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "="), UInt8(ascii: "!"),
            UInt8(ascii: "<"), UInt8(ascii: ">"):
            return true
        case UInt8(ascii: "~"):
            // In a pointer, ~0 and ~1 are escapes.
            let digit = offset + 1 < bytes.count ? bytes[offset + 1] : 0
            return digit != UInt8(ascii: "0") && digit != UInt8(ascii: "1")
        default: return false
        }
    }

    private func problem(_ reason: String, at offset: Int? = nil, remedy: String? = nil) -> JSONQueryError {
        JSONQueryError(reason, at: offset ?? self.offset, in: bytes, remedy: remedy)
    }

    // MARK: Pointers

    private mutating func pointer() throws(JSONQueryError) -> [JSONPath.Step] {
        var steps: [JSONPath.Step] = []
        while next == UInt8(ascii: "/") {
            offset += 1
            steps.append(JSONPath.Step(name: try pointerPart()))
        }
        return steps
    }

    /// RFC 6901 §3: `~1` represents a slash and `~0` a tilde; there are no other escapes.
    private mutating func pointerPart() throws(JSONQueryError) -> [UInt8] {
        var part: [UInt8] = []
        while !isAtEnd, let byte = next, byte != UInt8(ascii: "/") {
            offset += 1
            guard byte == UInt8(ascii: "~") else {
                part.append(byte)
                continue
            }
            switch next {
            case UInt8(ascii: "0"): part.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1"): part.append(UInt8(ascii: "/"))
            default: throw problem("invalid escape", at: offset - 1, remedy: "write '~' as ~0 and '/' as ~1")
            }
            offset += 1
        }
        return part
    }

    // MARK: Dotted paths

    private mutating func dotted() throws(JSONQueryError) -> [JSONPath.Step] {
        offset += 1
        // A single dot is the whole text. In a dotted path, a tilde is always an operator.
        if isAtEnd || isFollowed && next == UInt8(ascii: "~") { return [] }
        var steps = [try stepAfterDot()]
        while true {
            switch next {
            case UInt8(ascii: "."):
                offset += 1
                steps.append(try stepAfterDot())
            case UInt8(ascii: "["): steps.append(try bracket())
            default: return steps
            }
        }
    }

    private mutating func stepAfterDot() throws(JSONQueryError) -> JSONPath.Step {
        if next == UInt8(ascii: "[") { return try bracket() }
        if next == UInt8(ascii: "\"") { return .member(try string()) }
        let start = offset
        while let byte = next, Self.isNameByte(byte) { offset += 1 }
        guard offset > start else { throw problem("expected a name", remedy: Self.quotingRemedy) }
        return JSONPath.Step(name: Array(bytes[start..<offset]))
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "$"),
            UInt8(ascii: "@"), 0x80...:
            true
        default: false
        }
    }

    private mutating func bracket() throws(JSONQueryError) -> JSONPath.Step {
        offset += 1
        let step: JSONPath.Step
        if next == UInt8(ascii: "\"") {
            step = .member(try string())
        } else {
            step = .element(try index())
        }
        guard next == UInt8(ascii: "]") else { throw problem("expected ']'") }
        offset += 1
        return step
    }

    private mutating func index() throws(JSONQueryError) -> Int {
        let start = offset
        if next == UInt8(ascii: "-") { offset += 1 }
        let digits = offset
        while let byte = next, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { offset += 1 }
        guard offset > digits else {
            throw problem("expected an index", remedy: "[0] is the first element, and [-1] the last one")
        }
        guard let index = Int(String(decoding: bytes[start..<offset], as: UTF8.self)) else {
            throw problem("the index is too large", at: start)
        }
        return index
    }

    /// Parses a JSON string and decodes it.
    private mutating func string() throws(JSONQueryError) -> [UInt8] {
        let (bytes, start) = (bytes, offset)
        var decoded = ByteBuffer()
        do throws(JSONError) {
            let text = bytes.span.bytes.extracting(start..<bytes.count)
            var reader = JSONReader()
            // Cannot be nil: the text begins with a quotation mark.
            guard let token = try reader.next(in: text) else { return [] }
            offset = start + token.range.upperBound
            guard JSONString.appendDecoded(text.extracting(token.range), to: &decoded) else {
                throw JSONError.unexpected(offset: 0)
            }
        } catch {
            switch error {
            case .unexpected(let position): throw problem("invalid JSON string", at: start + position)
            case .truncated, .tooDeep: throw problem("expected '\"'", at: bytes.count)
            }
        }
        return decoded.withReadableBytes { $0.withUnsafeBytes { Array($0) } }
    }
}

/// The reason why a text is not a ``JSONPath`` or a ``JSONCondition``.
package struct JSONQueryError: Error, Equatable, CustomStringConvertible {
    /// The expected text, or the mistake.
    package let reason: String
    /// The number of characters before the error; nil: the error is at the end.
    package let characterOffset: Int?
    /// How to correct the mistake, or `nil` if the reason suffices.
    package let remedy: String?

    /// Creates an error at a byte offset of a text.
    init(_ reason: String, at offset: Int, in bytes: [UInt8], remedy: String? = nil) {
        self.reason = reason
        self.remedy = remedy
        characterOffset = offset < bytes.count ? String(decoding: bytes[..<offset], as: UTF8.self).count : nil
    }

    /// The reason, its position, and the remedy: `expected ']' at character 4`.
    package var description: String {
        "\(reason) at " + (characterOffset.map { "character \($0 + 1)" } ?? "the end")
            + (remedy.map { "; \($0)" } ?? "")
    }
}
