import Formats
import WSCore

/// The first difference between an expected and a received message.
package struct MessageDifference: Equatable, Sendable {
    /// The location in JSON messages, or `nil` for the whole message.
    package let path: String?
    /// The expected value in words, or `nil` if there should be none.
    package let expected: String?
    /// The received value in words, or `nil` if there is none.
    package let actual: String?

    /// The maximum length of a shown value, in characters.
    package static let longestValue = 120

    /// Creates a difference.
    init(at path: String?, expected: String?, actual: String?) {
        self.path = path.map { escapingControls($0, longest: Self.longestValue) }
        self.expected = expected.map { escapingControls($0, longest: Self.longestValue) }
        self.actual = actual.map { escapingControls($0, longest: Self.longestValue) }
    }
}

extension MessageDifference: CustomStringConvertible {
    /// The difference in one line: `/id: expected 42, received 41`.
    package var description: String {
        (path.map { "\($0): " } ?? "") + "expected \(expected ?? "no value"), received \(actual ?? "no value")"
    }
}

extension Matcher {
    /// Explains why a message does not match. Takes longer than ``matches(_:stamp:variables:scratch:)``.
    /// - Returns: The first difference, or `nil` if the message matches.
    /// - Throws: ``TemplateValueError`` if an expected value is missing.
    package func difference(
        _ message: RawSpan, stamp: Template.Stamp, variables: borrowing TemplateVariables
    ) throws(TemplateValueError) -> MessageDifference? {
        var scratch = ByteBuffer()
        guard let failure = try failure(message, stamp: stamp, variables: variables, scratch: &scratch) else {
            return nil
        }
        switch failure {
        case .condition(let condition):
            let expected =
                condition.isAboutJSON ? "a message with '\(condition.source)'" : "a match of '\(condition.source)'"
            return MessageDifference(at: nil, expected: expected, actual: Self.text(message))
        case .field(let field):
            guard UTF8Validator.isValid(message), JSONReader.problem(in: message) == nil else {
                return MessageDifference(at: nil, expected: "JSON", actual: Self.text(message))
            }
            let value = field.path.value(in: message)
            var expected = field.source
            // Values of the environment may be secrets, so the text of the template is shown instead.
            if case .template(let template) = field.expected, !template.insertsSecret {
                scratch.removeAll()
                try template.write(to: &scratch, stamp: stamp, variables: variables)
                expected = scratch.withReadableBytes { Self.text($0) }
                if value?.kind == .string { expected = JSONValue.string(expected).shown }
            }
            return MessageDifference(
                at: field.path.source, expected: expected, actual: value.map { Self.shown($0, of: message) })
        case .data(let ignored, let isSecret):
            return scratch.withReadableBytes { expected in
                guard case .differ(let difference) = JSONDifference.compare(expected, message, ignoring: ignored) else {
                    let text = isSecret ? Self.hidden : Self.text(expected)
                    return MessageDifference(at: nil, expected: text, actual: Self.text(message))
                }
                return MessageDifference(
                    at: difference.pointer.isEmpty ? nil : difference.pointer,
                    expected: difference.expected.map { isSecret ? Self.hidden : $0.shown },
                    actual: difference.actual?.shown)
            }
        }
    }

    /// Stands for text with values of the environment, which may be secrets.
    private static let hidden = "•••"

    private static func text(_ bytes: RawSpan) -> String {
        bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}

/// The first difference between two JSON texts.
struct JSONDifference {
    /// The result of a comparison.
    enum Comparison {
        case same
        case differ(JSONDifference)
        /// The texts are not two objects, two arrays, or two equal scalars.
        case notComparable
    }

    /// The location as a JSON Pointer (RFC 6901).
    let pointer: String
    /// The expected value, or `nil` if there should be none.
    let expected: JSONValue?
    /// The actual value, or `nil` if there is none.
    let actual: JSONValue?

    /// Compares two texts by their values.
    /// - Parameter ignored: JSON Pointers to values that may differ or be missing.
    static func compare(_ expected: RawSpan, _ actual: RawSpan, ignoring ignored: Set<ExactString>) -> Comparison {
        guard UTF8Validator.isValid(expected), UTF8Validator.isValid(actual) else { return .notComparable }
        switch (JSONValue.parsed(expected), JSONValue.parsed(actual)) {
        case (let expected?, let actual?) where expected.isSameContainer(as: actual):
            return first(expected, actual, at: "", ignoring: ignored).map { Comparison.differ($0) } ?? .same
        case (let expected?, let actual?) where expected.isSameScalar(as: actual): return .same
        default: return .notComparable
        }
    }

    /// The number of equal values at the same places of two JSON texts; 0 for other texts.
    /// - Parameter ignored: JSON Pointers to values that may differ or be missing.
    static func equalCount(_ expected: RawSpan, _ actual: RawSpan, ignoring ignored: Set<ExactString>) -> Int {
        guard UTF8Validator.isValid(expected), UTF8Validator.isValid(actual),
            let expected = JSONValue.parsed(expected), let actual = JSONValue.parsed(actual)
        else { return 0 }
        return equalCount(expected, actual)
    }

    /// Recurses once per level of the texts.
    private static func equalCount(_ expected: JSONValue, _ actual: JSONValue) -> Int {
        switch (expected, actual) {
        case (.array(let expected), .array(let actual)):
            zip(expected, actual).reduce(0) { $0 + equalCount($1.0, $1.1) }
        case (.object(let expected), .object(let actual)):
            expected.reduce(0) { sum, member in
                actual[member.key].map { sum + equalCount(member.value, $0) } ?? sum
            }
        default: expected.isSameScalar(as: actual) ? 1 : 0
        }
    }

    /// Recurses once per level of the texts.
    private static func first(
        _ expected: JSONValue?, _ actual: JSONValue?, at pointer: String, ignoring ignored: Set<ExactString>
    ) -> JSONDifference? {
        if ignored.contains(ExactString(pointer)) { return nil }
        switch (expected, actual) {
        case (.array(let expected), .array(let actual)):
            for index in 0..<max(expected.count, actual.count) {
                let difference = first(
                    index < expected.count ? expected[index] : nil, index < actual.count ? actual[index] : nil,
                    at: "\(pointer)/\(index)", ignoring: ignored)
                if let difference { return difference }
            }
            return nil
        case (.object(let expected), .object(let actual)):
            // In a fixed order, so that the first difference is always the same.
            for name in Set(expected.keys).union(actual.keys).sorted() {
                let difference = first(
                    expected[name], actual[name], at: "\(pointer)/\(escaped(name.text))", ignoring: ignored)
                if let difference { return difference }
            }
            return nil
        case (let expected?, let actual?) where expected.isSameScalar(as: actual): return nil
        default: return JSONDifference(pointer: pointer, expected: expected, actual: actual)
        }
    }

    /// RFC 6901 §3: `~` becomes `~0`, and `/` becomes `~1`.
    private static func escaped(_ name: String) -> String {
        var escaped = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "~": escaped += "~0"
            case "/": escaped += "~1"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension JSONValue {
    /// Whether both are objects, or both are arrays.
    fileprivate func isSameContainer(as other: JSONValue) -> Bool {
        switch (self, other) {
        case (.object, .object), (.array, .array): true
        default: false
        }
    }

    /// The value in one line; objects and arrays in words.
    fileprivate var shown: String {
        switch self {
        case .object(let members): members.isEmpty ? "{}" : "an object"
        case .array(let elements): elements.isEmpty ? "[]" : "an array"
        case .string(let text): Self.quoted(text)
        case .number, .bool, .null: scalarText ?? ""
        }
    }

    private static func quoted(_ text: String) -> String {
        var literal = ByteBuffer()
        JSONString.append(Array(text.utf8).span.bytes, to: &literal)
        return literal.withReadableBytes { span in span.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
    }
}
