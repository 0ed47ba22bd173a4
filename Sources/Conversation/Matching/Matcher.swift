import Formats
import WSCore

/// Decides whether a received message is the expected one.
///
/// | form | matches |
/// | --- | --- |
/// | `"^ready"` | a message that the regular expression matches |
/// | `"json:.price>10"` | a JSON message that meets the condition; see ``MessageCondition`` |
/// | `{"/type":"reply","/id":"{{seq}}"}` | a JSON message with these values at these paths |
/// | the data of a recording | an equal message |
///
/// Numbers are equal by value, and objects in any order of their members. A string with placeholders also equals a
/// number, `true`, `false`, or `null` with this text, so `"{{seq}}"` matches both 1 and "1".
///
/// A matcher cannot be shared by several threads.
package struct Matcher {
    /// An expected value.
    struct Field {
        let path: JSONPath
        let expected: ExpectedValue
        /// The expected value as typed.
        let source: String
    }

    enum Test {
        case condition(MessageCondition)
        case fields([Field])
        /// An equal message, except for the values at these JSON Pointers.
        case equal(Template, ignoring: Set<ExactString>)
    }

    /// The reason why a message does not match.
    enum Failure {
        case condition(MessageCondition)
        case field(Field)
        /// The expected text contains secrets if it contains values of the environment.
        case data(ignoring: Set<ExactString>, isSecret: Bool)
    }

    private let test: Test

    /// Creates a matcher for messages that meet a condition.
    package init(_ condition: MessageCondition) {
        test = .condition(condition)
    }

    /// Creates a matcher for messages that equal a text or, if both are JSON, have the same values.
    /// - Parameter ignored: JSON Pointers to values that may differ or be missing. Defaults to none.
    package init(equalTo text: Template, ignoring ignored: Set<ExactString> = []) {
        test = .equal(text, ignoring: ignored)
    }

    /// Parses a matcher from JSON: a string is a regular expression or another condition, and an object maps paths to values.
    /// - Parameters:
    ///   - json: Valid UTF-8.
    ///   - variables: The variables that the values may insert.
    ///   - environment: Returns the value of an environment variable, or `nil` if it is not set.
    /// - Throws: ``MatcherError``.
    package init(
        parsing json: RawSpan, variables: VariableNames = VariableNames(), environment: (String) -> String?
    ) throws(MatcherError) {
        let value: JSONValue
        let members: [(name: JSONToken, value: JSONToken)]?
        do throws(JSONError) {
            value = try JSONValue(parsing: json)
            members = try JSONReader.members(of: json)
        } catch {
            throw MatcherError(.notJSON(error), at: 0)
        }
        if case .string(let source) = value {
            if let offset = variables.offsetOfPlaceholder(inPattern: source) {
                throw MatcherError(.placeholderInPattern, at: JSONString.offset(ofDecodedByte: offset, in: json))
            }
            do throws(MessageConditionError) {
                test = .condition(try MessageCondition(source))
            } catch {
                throw MatcherError(.condition(error), at: 0)
            }
            return
        }
        guard let members, !members.isEmpty else { throw MatcherError(.noFields, at: 0) }
        var fields: [Field] = []
        var names: Set<ExactString> = []
        for member in members {
            let name = JSONString.decoded(json.extracting(member.name.range))
            guard names.insert(ExactString(name)).inserted else {
                throw MatcherError(.duplicate(name), at: member.name.range.lowerBound)
            }
            fields.append(
                Field(
                    path: try Self.path(name, atByte: member.name.range.lowerBound),
                    expected: try Self.expected(json, member.value, variables, environment),
                    source: Self.shown(member.value, of: json)))
        }
        test = .fields(fields)
    }

    /// The location of a value.
    /// - Parameters:
    ///   - text: A JSON Pointer or a dotted path.
    ///   - offset: The offset of the text, for errors.
    static func path(_ text: String, atByte offset: Int) throws(MatcherError) -> JSONPath {
        guard text.isEmpty || text.hasPrefix("/") || text.hasPrefix(".") else {
            throw MatcherError(.notAPointer, at: offset)
        }
        do throws(JSONQueryError) {
            // RFC 6901 §5: the empty pointer is the whole text.
            return try JSONPath(text.isEmpty ? "." : text)
        } catch {
            throw MatcherError(.path(error), at: offset)
        }
    }

    private static func expected(
        _ json: RawSpan, _ token: JSONToken, _ variables: VariableNames, _ environment: (String) -> String?
    ) throws(MatcherError) -> ExpectedValue {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: json.extracting(token.range))
        } catch {
            throw MatcherError(.notJSON(error), at: token.range.lowerBound)
        }
        do throws(TemplateError) {
            return try ExpectedValue(value, variables: variables, environment: environment)
        } catch {
            let place = offset(of: error, in: json.extracting(token.range))
            throw MatcherError(.template(error), at: token.range.lowerBound + place)
        }
    }

    /// The offset of a placeholder in an expected value. A value with several strings is not searched for it.
    private static func offset(of error: TemplateError, in value: RawSpan) -> Int {
        guard value.byteCount > 0, value.unsafeLoad(as: UInt8.self) == UInt8(ascii: "\"") else { return 0 }
        return JSONString.offset(ofDecodedByte: error.byteOffset, in: value)
    }

    /// A value as compact JSON.
    static func shown(_ value: JSONToken, of text: RawSpan) -> String {
        var compact = ByteBuffer()
        JSONPath.appendJSON(value, of: text, to: &compact)
        return compact.withReadableBytes { span in span.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
    }

    /// The regular expression, if there is one. It reports searches that exceed their limits.
    package var pattern: Pattern? {
        if case .condition(let condition) = test { condition.pattern } else { nil }
    }

    /// Whether it compares the whole message, instead of values at paths in it.
    var comparesWhole: Bool {
        switch test {
        case .fields: false
        case .condition(let condition): !condition.isAboutJSON
        case .equal: true
        }
    }

    /// Whether an expected value contains values of the last message, which has to be passed to ``TemplateVariables``.
    package var usesLastMessage: Bool {
        switch test {
        case .condition: false
        case .fields(let fields): fields.contains { $0.expected.usesLastMessage }
        case .equal(let text, _): text.usesLastMessage
        }
    }

    /// Whether a message matches.
    /// - Parameters:
    ///   - message: Text or binary.
    ///   - stamp: The properties of the connection's last message.
    ///   - scratch: A buffer for temporary use, so that matching rarely allocates.
    /// - Throws: ``TemplateValueError`` if an expected value is missing.
    package func matches(
        _ message: RawSpan, stamp: Template.Stamp, variables: borrowing TemplateVariables, scratch: inout ByteBuffer
    ) throws(TemplateValueError) -> Bool {
        try failure(message, stamp: stamp, variables: variables, scratch: &scratch) == nil
    }

    /// Finds the first reason why a message does not match.
    /// - Returns: `nil` if the message matches.
    func failure(
        _ message: RawSpan, stamp: Template.Stamp, variables: borrowing TemplateVariables, scratch: inout ByteBuffer
    ) throws(TemplateValueError) -> Failure? {
        switch test {
        case .condition(let condition):
            return condition.matches(message) ? nil : .condition(condition)
        case .fields(let fields):
            let isText = UTF8Validator.isValid(message)
            for field in fields {
                guard isText, let token = field.path.value(in: message),
                    let value = JSONValue.parsed(message.extracting(token.range)),
                    try field.expected.matches(value, stamp: stamp, variables: variables, scratch: &scratch)
                else { return .field(field) }
            }
            return nil
        case .equal(let text, let ignored):
            scratch.removeAll()
            try text.write(to: &scratch, stamp: stamp, variables: variables)
            let isEqual = scratch.withReadableBytes { expected in
                if expected.isEqual(to: message) { return true }
                if case .same = JSONDifference.compare(expected, message, ignoring: ignored) { return true }
                return false
            }
            return isEqual ? nil : .data(ignoring: ignored, isSecret: text.insertsSecret)
        }
    }
}

extension Matcher {
    /// How much a message resembles the expected one: the number of equal values, and of values at the right paths.
    func closeness(_ message: RawSpan, stamp: Template.Stamp, variables: borrowing TemplateVariables) -> Int {
        var scratch = ByteBuffer()
        do throws(TemplateValueError) {
            switch test {
            case .condition: return 0
            case .fields(let fields):
                guard UTF8Validator.isValid(message) else { return 0 }
                var count = 0
                for field in fields {
                    guard let token = field.path.value(in: message),
                        let value = JSONValue.parsed(message.extracting(token.range))
                    else { continue }
                    let isEqual = try field.expected.matches(
                        value, stamp: stamp, variables: variables, scratch: &scratch)
                    count += isEqual ? 2 : 1
                }
                return count
            case .equal(let text, let ignored):
                try text.write(to: &scratch, stamp: stamp, variables: variables)
                return scratch.withReadableBytes { JSONDifference.equalCount($0, message, ignoring: ignored) }
            }
        } catch {
            return 0
        }
    }
}

/// Why a JSON text is not a ``Matcher``.
package struct MatcherError: Error, Equatable {
    /// A mistake.
    package enum Reason: Equatable, Sendable {
        /// The text is not JSON.
        case notJSON(JSONError)
        /// The value is neither a string nor an object with members.
        case noFields
        /// Several members have this name.
        case duplicate(String)
        /// The condition is invalid.
        case condition(MessageConditionError)
        /// The regular expression contains a placeholder, which only the values of objects can.
        case placeholderInPattern
        /// The name of a member begins with neither a slash nor a dot.
        case notAPointer
        /// The name of a member is not a path for another reason.
        case path(JSONQueryError)
        /// A string is not a template.
        case template(TemplateError)
    }

    /// The mistake.
    package let reason: Reason
    /// The offset of the name or the value in the text, in bytes.
    package let byteOffset: Int

    init(_ reason: Reason, at byteOffset: Int) {
        self.reason = reason
        self.byteOffset = byteOffset
    }
}

extension MatcherError: CustomStringConvertible {
    /// The remedy for a text that is not a JSON Pointer.
    static let pointerRemedy = "expected a JSON Pointer such as /user/name"

    /// The mistake of a regular expression in JSON with a placeholder.
    static let noPlaceholderInPattern =
        #"a regular expression has no placeholders; write '\\{\\{' for literal braces"#

    /// The mistake of an object with several members of a name.
    static func duplicateWords(_ name: String) -> String { "the member \(quoted(name)) occurs twice; delete one" }

    /// The mistake and its remedy, to follow a colon.
    package var description: String {
        switch reason {
        case .notJSON(let error): "not JSON: \(error)"
        case .noFields: #"expected a regular expression, or an object such as {"/type":"ready"}"#
        case .duplicate(let name): Self.duplicateWords(name)
        case .condition(let error): "\(error)"
        case .placeholderInPattern:
            #"a regular expression has no placeholders; use an object such as {"/id":"{{seq}}"}, "#
                + #"or '\\{\\{' for literal braces"#
        case .notAPointer: Self.pointerRemedy
        case .path(let error): "\(error)"
        case .template(let error): "\(error)"
        }
    }
}
