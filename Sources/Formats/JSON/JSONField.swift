import WSCore

/// A place in JSON texts: the name of a member, or a JSON Pointer (RFC 6901).
///
///     id             the member of the object, or of each object in an array of them
///     /params/0/id   the one value that the pointer leads to
///
/// Of members with the same name the last one counts, as it does in JavaScript and Python.
public struct JSONField: Equatable {
    /// The names and indices on the way to the value.
    private let steps: [[UInt8]]
    private let isPointer: Bool

    /// Reads a name, or a pointer, which begins with a slash. Nil where there is nothing, or an escape that a pointer
    /// does not have.
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

    /// The values that are there: one at most, but for the name of a member and an array of objects. None where the text
    /// is not JSON.
    public func values(in text: RawSpan) -> [JSONScalar] {
        do throws(JSONError) {
            return try checkedValues(in: text)
        } catch {
            return []
        }
    }

    /// RFC 6901 §3: `~1` stands for a slash and `~0` for a tilde, and there are no other escapes.
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

    // MARK: Looking

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
        // What follows the value would make the text something other than JSON.
        _ = try reader.next(in: text)
        return values
    }

    /// Reads the value that begins with a token to its end, and returns what is found in it.
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

    /// Reads the value that begins with a token to its end.
    private func pass(_ token: JSONToken, of text: RawSpan, _ reader: inout JSONReader) throws(JSONError) {
        if token.kind == .beginObject || token.kind == .beginArray { try skip(text, &reader) }
    }

    /// Reads to the end of the object or array that has just begun.
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

    /// RFC 6901 §4: an index has digits and no zeros in front; `-` stands for an element that is not there.
    private static func index(_ step: [UInt8]) -> Int? {
        let digits = String(decoding: step, as: UTF8.self)
        guard step.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let index = Int(digits) else {
            return nil
        }
        return "\(index)" == digits ? index : nil
    }
}
