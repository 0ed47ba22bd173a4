import WSCore

/// A location in JSON texts: the name of a member, or a JSON Pointer (RFC 6901).
///
///     id             the member of the object, or of each object in an array of them
///     /params/0/id   the value at this location
///
/// If several members have the same name, the last one counts, as in JavaScript and Python.
public struct JSONField: Equatable {
    /// The names and indices that lead to the value.
    private let steps: [[UInt8]]
    private let isPointer: Bool

    /// Parses a name, or a pointer if the text begins with a slash. Returns `nil` for an empty text or an invalid
    /// escape.
    public init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        isPointer = text.utf8.first == UInt8(ascii: "/")
        guard isPointer else {
            steps = [Array(text.utf8)]
            return
        }
        var steps: [[UInt8]] = []
        for part in text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let step = Self.unescaped(part) else { return nil }
            steps.append(step)
        }
        self.steps = steps
    }

    /// Returns the values at this location: at most one, except for a member name and an array of objects. Returns none
    /// if the text is not JSON.
    public func values(in text: RawSpan) -> [JSONScalar] {
        do throws(JSONError) {
            return try checkedValues(in: text)
        } catch {
            return []
        }
    }

    /// RFC 6901 §3: `~1` represents a slash and `~0` a tilde; there are no other escapes.
    private static func unescaped(_ part: Substring.UTF8View) -> [UInt8]? {
        var step: [UInt8] = []
        var bytes = part.makeIterator()
        while let byte = bytes.next() {
            guard byte == UInt8(ascii: "~") else {
                step.append(byte)
                continue
            }
            switch bytes.next() {
            case UInt8(ascii: "0"): step.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1"): step.append(UInt8(ascii: "/"))
            default: return nil
            }
        }
        return step
    }

    // MARK: Searching

    private func checkedValues(in text: RawSpan) throws(JSONError) -> [JSONScalar] {
        var reader = JSONReader()
        guard let first = try reader.next(in: text) else { return [] }
        var values: [JSONScalar] = []
        if first.kind == .beginArray, !isPointer {
            while let token = try reader.next(in: text), token.kind != .endArray {
                if let value = try value(at: steps[...], from: token, of: text, &reader) { values.append(value) }
            }
        } else if let value = try value(at: steps[...], from: first, of: text, &reader) {
            values.append(value)
        }
        // Check that nothing follows the value.
        _ = try reader.next(in: text)
        return values
    }

    /// Reads to the end of the value that begins with a token. Returns the scalar at the location, if any.
    private func value(
        at steps: ArraySlice<[UInt8]>, from token: JSONToken, of text: RawSpan, _ reader: inout JSONReader
    ) throws(JSONError) -> JSONScalar? {
        switch token.kind {
        case .beginObject where !steps.isEmpty: try member(at: steps, of: text, &reader)
        case .beginArray where !steps.isEmpty: try element(at: steps, of: text, &reader)
        case .beginObject, .beginArray: try skip(text, &reader)
        default: steps.isEmpty ? JSONScalar(token, in: text) : nil
        }
    }

    private func member(
        at steps: ArraySlice<[UInt8]>, of text: RawSpan, _ reader: inout JSONReader
    ) throws(JSONError) -> JSONScalar? {
        var found: JSONScalar?
        while let key = try reader.next(in: text), key.kind == .key, let token = try reader.next(in: text) {
            let isNamed = Self.isKey(text.extracting(key.range), named: steps[steps.startIndex])
            if isNamed {
                found = try value(at: steps.dropFirst(), from: token, of: text, &reader)
            } else {
                try pass(token, of: text, &reader)
            }
        }
        return found
    }

    private func element(
        at steps: ArraySlice<[UInt8]>, of text: RawSpan, _ reader: inout JSONReader
    ) throws(JSONError) -> JSONScalar? {
        let wanted = Self.index(steps[steps.startIndex])
        var found: JSONScalar?
        var index = 0
        while let token = try reader.next(in: text), token.kind != .endArray {
            if index == wanted {
                found = try value(at: steps.dropFirst(), from: token, of: text, &reader)
            } else {
                try pass(token, of: text, &reader)
            }
            index += 1
        }
        return found
    }

    /// Skips the value that begins with a token.
    private func pass(_ token: JSONToken, of text: RawSpan, _ reader: inout JSONReader) throws(JSONError) {
        if token.kind == .beginObject || token.kind == .beginArray { try skip(text, &reader) }
    }

    /// Skips the rest of the object or array that has just begun.
    @discardableResult
    private func skip(_ text: RawSpan, _ reader: inout JSONReader) throws(JSONError) -> JSONScalar? {
        let depth = reader.depth
        while reader.depth >= depth, try reader.next(in: text) != nil {}
        return nil
    }

    private static func isKey(_ literal: RawSpan, named name: [UInt8]) -> Bool {
        let isPlain = literal.withUnsafeBytes { !$0.contains(UInt8(ascii: "\\")) }
        if isPlain {
            return literal.withUnsafeBytes { $0.count == name.count + 2 && $0.dropFirst().starts(with: name) }
        }
        var decoded = ByteBuffer()
        guard JSONString.appendDecoded(literal, to: &decoded) else { return false }
        return decoded.withReadableBytes { $0.withUnsafeBytes { $0.elementsEqual(name) } }
    }

    /// RFC 6901 §4: an index consists of digits without leading zeros; `-` refers to a nonexistent element.
    private static func index(_ step: [UInt8]) -> Int? {
        let digits = String(decoding: step, as: UTF8.self)
        guard step.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let index = Int(digits) else {
            return nil
        }
        return "\(index)" == digits ? index : nil
    }
}
