import WSCore

/// A condition on the value at a location of JSON messages. ``JSONFilter`` applies it.
///
///     .price              there is a value, which may be null or false
///     !.price             there is none, or the message is not JSON
///     .type=error         also ==, !=, <, <=, >, >=
///     .type ~ ^err        a Perl-compatible regular expression matches
///
/// Blanks around the operator have no meaning. The path is a dotted path, or a JSON Pointer that ends at a blank or an
/// operator.
///
/// The value to compare with is a JSON scalar, or text without quotes. Without quotes, a number compares exactly and by
/// value with numbers and with strings that contain a number: `.price>50` is true for 50.5 and for "50.5". `true`,
/// `false`, `null`, and other text compare with strings, too. In quotes, the value compares with strings only. Strings
/// are ordered by their Unicode scalars.
///
/// Without a value at the path, every comparison is false. `!=` is true for a value of any other type; all other
/// comparisons with a value of another type, an object, or an array are false.
package struct JSONCondition: Equatable, Sendable {
    enum Test: Equatable, Sendable {
        case exists
        case isMissing
        case compares(Comparison, Operand)
        /// Matches a regular expression, which is valid.
        case matches(String)
    }

    enum Comparison: String, CaseIterable, Sendable {
        // The longer operators come first, so parsing finds them first.
        case equalAsInCode = "=="
        case notEqual = "!="
        case lessOrEqual = "<="
        case greaterOrEqual = ">="
        case equal = "="
        case less = "<"
        case greater = ">"
    }

    /// The value to compare with.
    struct Operand: Equatable, Sendable {
        /// The text as typed, or the decoded string.
        let text: [UInt8]
        let isQuoted: Bool
        /// The value of a number without quotes.
        let number: JSONNumber?
    }

    /// The condition as typed.
    package let source: String
    let path: JSONPath
    let test: Test
}

extension JSONCondition {
    /// Parses a condition.
    /// - Throws: ``JSONQueryError``.
    package init(_ text: String) throws(JSONQueryError) {
        var parser = JSONConditionParser(Array(text.utf8))
        let (path, test) = try parser.parse()
        self.init(source: text, path: path, test: test)
    }
}

/// Applies a ``JSONCondition`` to messages.
package struct JSONFilter {
    /// The condition.
    package let condition: JSONCondition
    /// The regular expression of the condition, if it has one. It reports searches that exceed their limits.
    package let pattern: Pattern?

    /// Prepares a condition.
    /// - Throws: ``PatternError`` if there is not enough memory for its regular expression.
    package init(_ condition: JSONCondition) throws(PatternError) {
        self.condition = condition
        if case .matches(let source) = condition.test {
            pattern = try Pattern(source)
        } else {
            pattern = nil
        }
    }

    /// Whether a message meets the condition. Takes time linear in its length, except for regular expressions.
    package func matches(_ text: RawSpan) -> Bool {
        let value = condition.path.value(in: text)
        switch condition.test {
        case .exists: return value != nil
        case .isMissing: return value == nil
        case .compares(let comparison, let operand):
            return value.map { comparison.holds(for: operand.order(of: $0, in: text)) } ?? false
        case .matches:
            guard let value, let pattern else { return false }
            var shown = ByteBuffer()
            JSONPath.append(value, of: text, to: &shown)
            return shown.withReadableBytes { pattern.matches($0) }
        }
    }
}

// MARK: Comparing

private enum Order {
    case less
    case same
    case greater

    init<Value: Equatable>(_ left: Value, _ right: Value, by isLess: (Value, Value) -> Bool) {
        self = left == right ? .same : isLess(left, right) ? .less : .greater
    }
}

extension JSONCondition.Comparison {
    /// Whether the comparison holds.
    /// - Parameter order: The order of the message's value relative to the operand, or `nil` if there is none.
    fileprivate func holds(for order: Order?) -> Bool {
        switch self {
        case .equal, .equalAsInCode: order == .same
        case .notEqual: order != .same
        case .less: order == .less
        case .lessOrEqual: order == .less || order == .same
        case .greater: order == .greater
        case .greaterOrEqual: order == .greater || order == .same
        }
    }
}

extension JSONCondition.Operand {
    /// The order of a message's value relative to the operand, or `nil` if they cannot be compared.
    fileprivate func order(of value: JSONToken, in text: RawSpan) -> Order? {
        let literal = text.extracting(value.range)
        switch value.kind {
        case .string:
            var decoded = ByteBuffer()
            _ = JSONString.appendDecoded(literal, to: &decoded, replacingSurrogates: true)
            return decoded.withReadableBytes { orderOfString($0) }
        case .number: return orderOfNumber(literal)
        case .literal:
            let isSame = !isQuoted && literal.withUnsafeBytes { $0.elementsEqual(self.text) }
            return isSame ? .same : nil
        case .beginObject, .endObject, .beginArray, .endArray, .key: return nil
        }
    }

    private func orderOfString(_ string: RawSpan) -> Order? {
        guard number == nil else { return orderOfNumber(string) }
        // The bytes of UTF-8 have the order of the scalars.
        return Order(string.withUnsafeBytes { Array($0) }, text) { $0.lexicographicallyPrecedes($1) }
    }

    private func orderOfNumber(_ digits: RawSpan) -> Order? {
        guard let number, let other = JSONNumber(digits) else { return nil }
        return Order(other, number, by: <)
    }
}

// MARK: Parsing

private struct JSONConditionParser {
    private let bytes: [UInt8]
    private var offset = 0
    /// The end of the text without trailing blanks.
    private let end: Int

    private static let operators = "=!<>~"

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        end = (bytes.lastIndex { !Self.isBlank($0) } ?? -1) + 1
    }

    mutating func parse() throws(JSONQueryError) -> (JSONPath, JSONCondition.Test) {
        skipBlanks()
        let isNegated = next == UInt8(ascii: "!")
        if isNegated {
            offset += 1
            skipBlanks()
        }
        var parser = JSONPathParser(bytes, at: offset, isFollowed: true)
        let path = try parser.parse()
        offset = parser.offset
        skipBlanks()
        if isNegated {
            guard next == nil else {
                throw problem("unexpected text after the path", remedy: "compare as in .a!=5")
            }
            return (path, .isMissing)
        }
        if next == nil { return (path, .exists) }
        return (path, try comparison())
    }

    private var next: UInt8? { offset < end ? bytes[offset] : nil }

    private mutating func skipBlanks() {
        while let next, Self.isBlank(next) { offset += 1 }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
    }

    private func problem(_ reason: String, at offset: Int? = nil, remedy: String? = nil) -> JSONQueryError {
        JSONQueryError(reason, at: offset ?? self.offset, in: Array(bytes[..<end]), remedy: remedy)
    }

    private mutating func comparison() throws(JSONQueryError) -> JSONCondition.Test {
        if next == UInt8(ascii: "~") {
            offset += 1
            skipBlanks()
            return .matches(try pattern())
        }
        guard
            let comparison = JSONCondition.Comparison.allCases.first(where: {
                bytes[offset..<end].starts(with: $0.rawValue.utf8)
            })
        else { throw problem("expected an operator", remedy: "use =, !=, <, <=, >, >=, or ~") }
        offset += comparison.rawValue.utf8.count
        skipBlanks()
        return .compares(comparison, try operand())
    }

    private func pattern() throws(JSONQueryError) -> String {
        guard next != nil else { throw problem("expected a regular expression") }
        let source = String(decoding: bytes[offset..<end], as: UTF8.self)
        do throws(PatternError) {
            _ = try Pattern(source)
            return source
        } catch {
            let length = error.characterOffset.map { source.prefix($0).utf8.count }
            throw problem("invalid regular expression: \(error.reason)", at: length.map { offset + $0 } ?? end)
        }
    }

    private func operand() throws(JSONQueryError) -> JSONCondition.Operand {
        switch next {
        case nil: throw problem("expected a value", remedy: #""" is the empty text"#)
        case UInt8(ascii: "\""): return try string()
        case UInt8(ascii: "'"): throw problem("expected a value", remedy: "use double quotes")
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            throw problem(
                "objects and arrays cannot be compared", remedy: "compare one of their values, or quote the text")
        case let first? where Self.operators.utf8.contains(first):
            throw problem("expected a value", remedy: "quote text that begins with an operator")
        default: break
        }
        let text = Array(bytes[offset..<end])
        return JSONCondition.Operand(text: text, isQuoted: false, number: JSONNumber(text.span.bytes))
    }

    /// Parses a JSON string, the last part of the condition.
    private func string() throws(JSONQueryError) -> JSONCondition.Operand {
        let bytes = Array(bytes[offset..<end])
        var decoded = ByteBuffer()
        do throws(JSONError) {
            let text = bytes.span.bytes
            var reader = JSONReader()
            if let token = try reader.next(in: text) {
                guard token.range.upperBound == text.byteCount else {
                    throw JSONError.unexpected(offset: token.range.upperBound)
                }
                _ = JSONString.appendDecoded(text, to: &decoded, replacingSurrogates: true)
            }
        } catch {
            switch error {
            case .unexpected(let position):
                throw problem("invalid JSON string", at: offset + position, remedy: #"write '"' as \" in quotes"#)
            case .truncated, .tooDeep: throw problem("expected '\"'", at: end)
            }
        }
        let text = decoded.withReadableBytes { $0.withUnsafeBytes { Array($0) } }
        return JSONCondition.Operand(text: text, isQuoted: true, number: nil)
    }
}
