import WSCore

/// A location in JSON texts: a JSON Pointer (RFC 6901), or a dotted path as in jq.
///
///     /items/0/id          the member id of the first element of items
///     .items[0].id         the same
///     .items[-1]."a b"     the member "a b" of the last element of items
///     .                    the whole text
///
/// If several members have the same name, the last one counts, as in JavaScript and Python. Values are found by reading
/// the tokens of the text once, and once more per negative index, without building a tree.
package struct JSONPath: Equatable, Sendable {
    /// A step from a value to a part of it.
    enum Step: Equatable, Sendable {
        /// The member of an object.
        case member([UInt8])
        /// The element of an array, counted from 0. Negative indices count from the end: the last element is -1.
        case element(Int)
        /// The member of an object, or the element of an array: RFC 6901 does not distinguish them.
        case memberOrElement([UInt8], Int)

        /// The step for a name, which may also be an index.
        init(name: [UInt8]) {
            self = Self.index(name).map { .memberOrElement(name, $0) } ?? .member(name)
        }

        /// The name of the member, or `nil` for an index.
        var name: [UInt8]? {
            switch self {
            case .member(let name), .memberOrElement(let name, _): name
            case .element: nil
            }
        }

        /// The index of the element, or `nil` for a name.
        var index: Int? {
            switch self {
            case .element(let index), .memberOrElement(_, let index): index
            case .member: nil
            }
        }

        /// RFC 6901 §4: an index consists of digits without leading zeros; `-` refers to a nonexistent element.
        private static func index(_ name: [UInt8]) -> Int? {
            let digits = String(decoding: name, as: UTF8.self)
            guard name.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let index = Int(digits) else {
                return nil
            }
            return "\(index)" == digits ? index : nil
        }
    }

    /// The path as typed.
    package let source: String
    let steps: [Step]

    /// Parses a JSON Pointer, which begins with a slash, or a dotted path, which begins with a dot.
    /// - Throws: ``JSONQueryError``.
    package init(_ text: String) throws(JSONQueryError) {
        var parser = JSONPathParser(Array(text.utf8), isFollowed: false)
        self = try parser.parse()
    }

    /// Creates a path from its steps.
    init(_ steps: [Step], source: String) {
        self.steps = steps
        self.source = source
    }

    // MARK: Values

    /// Finds the value at this location. Reads the text to its end, and returns `nil` if the text is not JSON.
    /// - Parameter text: Valid UTF-8.
    /// - Returns: A scalar, or the beginning of an object or array with the range of the whole value.
    package func value(in text: RawSpan) -> JSONToken? {
        do throws(JSONError) {
            var reader = JSONReader()
            guard let first = try reader.next(in: text) else { return nil }
            let value = try value(from: first, of: text, &reader)
            // Check that nothing follows the value.
            _ = try reader.next(in: text)
            return value
        } catch {
            return nil
        }
    }

    /// Appends the value at this location. A string is decoded and loses its quotes; an unpaired surrogate becomes
    /// U+FFFD. Any other value is copied without whitespace between tokens.
    /// - Parameter text: Valid UTF-8.
    /// - Returns: Whether there is a value; otherwise nothing was appended.
    package func appendValue(of text: RawSpan, to buffer: inout ByteBuffer) -> Bool {
        guard let value = value(in: text) else { return false }
        Self.append(value, of: text, to: &buffer)
        return true
    }

    /// Appends a value that ``value(in:)`` found: a string decoded and without its quotes, and any other value as
    /// ``appendJSON(_:of:to:)`` does.
    package static func append(_ value: JSONToken, of text: RawSpan, to buffer: inout ByteBuffer) {
        let bytes = text.extracting(value.range)
        if value.kind == .string {
            _ = JSONString.appendDecoded(bytes, to: &buffer, replacingSurrogates: true)
        } else {
            appendJSON(value, of: text, to: &buffer)
        }
    }

    /// Appends a value that ``value(in:)`` found as it is in the text, but without the whitespace between its tokens.
    package static func appendJSON(_ value: JSONToken, of text: RawSpan, to buffer: inout ByteBuffer) {
        let text = text.extracting(value.range)
        var (start, index, isInString) = (0, 0, false)
        while index < text.byteCount {
            switch text.unsafeLoad(fromByteOffset: index, as: UInt8.self) {
            case UInt8(ascii: "\""): isInString.toggle()
            // Only strings contain backslashes, and the next character never ends the string.
            case UInt8(ascii: "\\"): index += 1
            case 0x20 where !isInString, 0x09, 0x0A, 0x0D:
                if start < index { buffer.append(text.extracting(start..<index)) }
                start = index + 1
            default: break
            }
            index += 1
        }
        buffer.append(text.extracting(start..<text.byteCount))
    }

    // MARK: Searching

    /// Reads to the end of the value that begins with a token, and finds the value at this location within it.
    func value(
        from token: JSONToken, of text: RawSpan, _ reader: inout JSONReader
    ) throws(JSONError) -> JSONToken? {
        try Self.value(at: steps[...], from: token, of: text, &reader)
    }

    /// Recurses at most once per step and per level of the text.
    private static func value(
        at steps: ArraySlice<Step>, from token: JSONToken, of text: RawSpan, _ reader: inout JSONReader
    ) throws(JSONError) -> JSONToken? {
        guard let step = steps.first else { return try reader.value(from: token, in: text) }
        switch token.kind {
        case .beginObject: return try member(step.name, then: steps.dropFirst(), of: text, &reader)
        case .beginArray: return try element(step.index, then: steps.dropFirst(), of: text, &reader)
        default: return nil
        }
    }

    private static func member(
        _ name: [UInt8]?, then steps: ArraySlice<Step>, of text: RawSpan, _ reader: inout JSONReader
    ) throws(JSONError) -> JSONToken? {
        var found: JSONToken?
        while let key = try reader.next(in: text), key.kind == .key, let token = try reader.next(in: text) {
            if let name, JSONString.isEqual(text.extracting(key.range), to: name.span.bytes) {
                found = try value(at: steps, from: token, of: text, &reader)
            } else {
                try reader.value(from: token, in: text)
            }
        }
        return found
    }

    private static func element(
        _ wanted: Int?, then steps: ArraySlice<Step>, of text: RawSpan, _ reader: inout JSONReader
    ) throws(JSONError) -> JSONToken? {
        var wanted = wanted
        if let index = wanted, index < 0 { wanted = index + (try elementCount(of: text, after: reader)) }
        var found: JSONToken?
        var index = 0
        while let token = try reader.next(in: text), token.kind != .endArray {
            if index == wanted {
                found = try value(at: steps, from: token, of: text, &reader)
            } else {
                try reader.value(from: token, in: text)
            }
            index += 1
        }
        return found
    }

    /// Counts the elements of the array that has just begun.
    private static func elementCount(of text: RawSpan, after reader: JSONReader) throws(JSONError) -> Int {
        var reader = reader
        var count = 0
        while let token = try reader.next(in: text), token.kind != .endArray {
            try reader.value(from: token, in: text)
            count += 1
        }
        return count
    }
}

extension JSONPath {
    /// The step of a dotted path to a member.
    package static func step(to name: [UInt8]) -> String {
        let isPlain =
            !name.isEmpty
            && name.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "$"),
                    UInt8(ascii: "@"):
                    true
                default: false
                }
            }
        guard !isPlain else { return "." + String(decoding: name, as: UTF8.self) }
        var literal = ByteBuffer()
        JSONString.append(name.span.bytes, to: &literal)
        return "." + literal.withReadableBytes { String(decoding: $0.withUnsafeBytes { Array($0) }, as: UTF8.self) }
    }
}
