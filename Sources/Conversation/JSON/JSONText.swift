import Formats
import WSCore

/// The members of a received JSON object, by name. Values keep their text, such as the digits of numbers. If several
/// members have the same name, the last one counts.
struct JSONMembers {
    private let text: [UInt8]
    private var values: [String: JSONToken] = [:]

    /// Parses an object. Returns `nil` for any other text.
    init?(_ text: RawSpan) {
        do throws(JSONError) {
            guard let members = try JSONReader.members(of: text) else { return nil }
            self.text = text.withUnsafeBytes { Array($0) }
            for (name, value) in members { values[JSONString.decoded(text.extracting(name.range))] = value }
        } catch {
            return nil
        }
    }

    /// Parses an object. Returns `nil` for any other text.
    init?(_ text: [UInt8]) {
        self.init(text.span.bytes)
    }

    /// Whether there is a member with this name.
    func has(_ name: String) -> Bool { values[name] != nil }

    /// The value of a member that is a string, decoded, or `nil`.
    func string(_ name: String) -> String? {
        guard let value = values[name], value.kind == .string else { return nil }
        return JSONString.decoded(text.span.bytes.extracting(value.range))
    }

    /// The value of a member that is an integer, or `nil`.
    func integer(_ name: String) -> Int? {
        guard let value = values[name], value.kind == .number else { return nil }
        return Int(String(decoding: text[value.range], as: UTF8.self))
    }

    /// The value of a member as JSON without whitespace, or `nil` if it is missing.
    func json(_ name: String) -> [UInt8]? {
        guard let value = values[name] else { return nil }
        return JSONText.compact(value, of: text.span.bytes)
    }

    /// Whether the value of a member is `true`.
    func isTrue(_ name: String) -> Bool { json(name) == Array("true".utf8) }

    /// Whether a member is missing or null.
    func isNull(_ name: String) -> Bool { json(name).map { $0 == Array("null".utf8) } ?? true }
}

/// JSON texts of protocols.
enum JSONText {
    /// A value without whitespace between its tokens.
    static func compact(_ value: JSONToken, of text: RawSpan) -> [UInt8] {
        var buffer = ByteBuffer()
        JSONPath.appendJSON(value, of: text, to: &buffer)
        return buffer.bytes
    }

    /// A text without whitespace between its tokens, or `nil` if it is not JSON.
    static func compact(_ text: [UInt8]) -> [UInt8]? {
        token(of: text).map { compact($0, of: text.span.bytes) }
    }

    /// The value of a text, or `nil` if it is not JSON.
    static func token(of text: [UInt8]) -> JSONToken? {
        var reader = JSONReader()
        do throws(JSONError) {
            guard let first = try reader.next(in: text.span.bytes) else { return nil }
            let value = try reader.value(from: first, in: text.span.bytes)
            // Check that nothing follows the value.
            _ = try reader.next(in: text.span.bytes)
            return value
        } catch {
            return nil
        }
    }

    /// The elements of an array, each without whitespace, or `nil` for any other text.
    static func elements(of text: RawSpan) -> [[UInt8]]? {
        var reader = JSONReader()
        var elements: [[UInt8]] = []
        do throws(JSONError) {
            guard try reader.next(in: text)?.kind == .beginArray else { return nil }
            while let token = try reader.next(in: text), token.kind != .endArray {
                elements.append(compact(try reader.value(from: token, in: text), of: text))
            }
            // Check that nothing follows the array.
            _ = try reader.next(in: text)
            return elements
        } catch {
            return nil
        }
    }

    /// The elements of an array, each without whitespace, or `nil` for any other text.
    static func elements(of text: [UInt8]) -> [[UInt8]]? {
        elements(of: text.span.bytes)
    }

    /// An array of JSON texts.
    static func array(_ elements: some Sequence<[UInt8]>) -> [UInt8] {
        Array("[".utf8) + Array(elements.joined(separator: ",".utf8)) + Array("]".utf8)
    }

    /// A text as a JSON string.
    static func string(_ text: String) -> [UInt8] { string(Array(text.utf8)) }

    /// UTF-8 as a JSON string.
    static func string(_ text: [UInt8]) -> [UInt8] {
        var buffer = ByteBuffer()
        JSONString.append(text.span.bytes, to: &buffer)
        return buffer.bytes
    }

    /// The decoded text of a JSON string, or `nil` for another value.
    static func decoded(_ value: [UInt8]) -> String? {
        value.first == UInt8(ascii: "\"") ? JSONString.decoded(value.span.bytes) : nil
    }

    /// The key of a request or a reply with this id: the same text for equal values, as ``JSONScalar`` compares them.
    static func key(of id: [UInt8]) -> String {
        let scalar = token(of: id).flatMap { JSONScalar($0, in: id.span.bytes) }
        return String(decoding: scalar?.json ?? id, as: UTF8.self)
    }

    /// The text of a scalar: a string without its quotes, and other values as they are. `nil` for null.
    static func text(_ value: [UInt8]) -> String? {
        if value == Array("null".utf8) { return nil }
        return decoded(value) ?? String(decoding: value, as: UTF8.self)
    }

    /// Arguments in one JSON text: a single argument as it is, unless it is an array, and otherwise the array of them.
    /// None are an empty text. ``TypedLine/arguments()`` reverses this.
    static func payload(of arguments: [[UInt8]]) -> [UInt8] {
        if arguments.isEmpty { return [] }
        if arguments.count == 1, arguments[0].first != UInt8(ascii: "[") { return arguments[0] }
        return array(arguments)
    }
}

extension ByteBuffer {
    /// A copy of the readable bytes.
    var bytes: [UInt8] { withReadableBytes { $0.withUnsafeBytes { Array($0) } } }
}

extension RawSpan {
    /// A copy of the bytes.
    var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
}

/// Byte strings in JSON: `{"$bytes":"AQID"}` with Base64.
enum JSONBytes {
    /// The form of a byte string in JSON.
    static func text(of bytes: [UInt8]) -> [UInt8] {
        Array("{\"$bytes\":\"".utf8) + Array(Base64.text(of: bytes.span.bytes).utf8) + Array("\"}".utf8)
    }

    /// The bytes of a JSON value in that form, or `nil` for another value.
    static func bytes(of value: [UInt8]) -> [UInt8]? {
        guard let members = JSONMembers(value), let text = members.string("$bytes"), members.count == 1 else {
            return nil
        }
        return decoded(text)
    }

    /// The decoded bytes, or `nil` for an invalid text.
    static func decoded(_ text: String) -> [UInt8]? {
        var buffer = ByteBuffer()
        do throws(EncodedTextError) {
            try Base64.appendDecoded(Array(text.utf8).span.bytes, to: &buffer)
        } catch {
            return nil
        }
        return buffer.bytes
    }

    /// Replaces the objects of a JSON text that have at most two members, all of them scalars.
    /// - Parameter replacement: Returns the JSON text to put in place of an object, or `nil` to keep it.
    static func replacingSmallObjects(
        in text: [UInt8], with replacement: (JSONMembers) -> [UInt8]?
    ) -> [UInt8] {
        var reader = JSONReader()
        var result: [UInt8] = []
        var copied = 0
        do throws(JSONError) {
            while let token = try reader.next(in: text.span.bytes) {
                guard token.kind == .beginObject, let range = try smallObject(token, of: text, reader),
                    let members = JSONMembers(Array(text[range])), let value = replacement(members)
                else { continue }
                result += text[copied..<range.lowerBound]
                result += value
                copied = range.upperBound
            }
        } catch {
            return text
        }
        return copied == 0 ? text : result + text[copied...]
    }

    /// The range of the object that a token begins, if it has at most two members, all of them scalars. A larger object
    /// is not read to its end.
    private static func smallObject(
        _ start: JSONToken, of text: [UInt8], _ reader: JSONReader
    ) throws(JSONError) -> Range<Int>? {
        var reader = reader
        for _ in 0...2 {
            guard let key = try reader.next(in: text.span.bytes) else { return nil }
            if key.kind == .endObject { return start.range.lowerBound..<key.range.upperBound }
            guard let value = try reader.next(in: text.span.bytes) else { return nil }
            guard [.string, .number, .literal].contains(value.kind) else { return nil }
        }
        return nil
    }
}

extension JSONMembers {
    /// The number of different names.
    var count: Int { values.count }
}
