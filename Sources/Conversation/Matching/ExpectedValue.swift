import Formats
import WSCore

/// A JSON value that a message should contain. Its strings may be templates.
indirect enum ExpectedValue {
    /// A string with placeholders.
    case template(Template)
    /// A value that is neither an object nor an array.
    case scalar(JSONValue)
    case array([ExpectedValue])
    case object([ExactString: ExpectedValue])

    init(
        _ value: JSONValue, variables: VariableNames, environment: (String) -> String?
    ) throws(TemplateError) {
        switch value {
        case .string(let text):
            let template = try Template(text, variables: variables, environment: environment)
            // Escaped braces and values of the environment are constant, but differ from the text.
            self = template == Template(literal: Array(text.utf8)) ? .scalar(value) : .template(template)
        case .number, .bool, .null: self = .scalar(value)
        case .array(let elements):
            var expected: [ExpectedValue] = []
            for element in elements {
                expected.append(try ExpectedValue(element, variables: variables, environment: environment))
            }
            self = .array(expected)
        case .object(let members):
            var expected: [ExactString: ExpectedValue] = [:]
            for (name, member) in members {
                expected[name] = try ExpectedValue(member, variables: variables, environment: environment)
            }
            self = .object(expected)
        }
    }

    /// Whether a string contains values of the last message.
    var usesLastMessage: Bool {
        switch self {
        case .template(let template): template.usesLastMessage
        case .scalar: false
        case .array(let elements): elements.contains(where: \.usesLastMessage)
        case .object(let members): members.values.contains(where: \.usesLastMessage)
        }
    }

    /// Whether a value is the expected one.
    /// - Throws: ``TemplateValueError`` if the expected value is unknown.
    func matches(
        _ value: JSONValue, stamp: Template.Stamp, variables: borrowing TemplateVariables, scratch: inout ByteBuffer
    ) throws(TemplateValueError) -> Bool {
        switch (self, value) {
        case (.template(let template), _):
            guard let text = value.scalarText else { return false }
            scratch.removeAll()
            try template.write(to: &scratch, stamp: stamp, variables: variables)
            return scratch.withReadableBytes { span in span.withUnsafeBytes { $0.elementsEqual(text.utf8) } }
        case (.scalar(let expected), _): return expected.isSameScalar(as: value)
        case (.array(let expected), .array(let elements)):
            guard expected.count == elements.count else { return false }
            for (expected, element) in zip(expected, elements) {
                guard try expected.matches(element, stamp: stamp, variables: variables, scratch: &scratch) else {
                    return false
                }
            }
            return true
        case (.object(let expected), .object(let members)):
            guard expected.count == members.count else { return false }
            for (name, expected) in expected {
                guard let member = members[name],
                    try expected.matches(member, stamp: stamp, variables: variables, scratch: &scratch)
                else { return false }
            }
            return true
        case (.array, _), (.object, _): return false
        }
    }
}

extension JSONValue {
    /// Parses a text, or returns `nil` if it is not JSON.
    static func parsed(_ text: RawSpan) -> JSONValue? {
        do throws(JSONError) {
            return try JSONValue(parsing: text)
        } catch {
            return nil
        }
    }

    /// The string, or the text of another scalar, or `nil` for an object or array.
    var scalarText: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .bool(let value): value ? "true" : "false"
        case .null: "null"
        case .object, .array: nil
        }
    }

    /// Whether both are the same string, number, `true`, `false`, or `null`. Numbers are compared by value.
    func isSameScalar(as other: JSONValue) -> Bool {
        switch (self, other) {
        // Not by Swift's equality, for which "é" equals "e" with an accent.
        case (.string(let text), .string(let other)): text.utf8.elementsEqual(other.utf8)
        case (.number(let text), .number(let other)):
            text == other
                || JSONNumber(Array(text.utf8).span.bytes) == JSONNumber(Array(other.utf8).span.bytes)
        case (.bool(let value), .bool(let other)): value == other
        case (.null, .null): true
        default: false
        }
    }
}
