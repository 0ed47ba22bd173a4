import Formats
import WSCore

/// A text with placeholders that are replaced each time it is written: `{"id":{{seq}},"user":{{json:name}}}`.
///
///     {{seq}}            the number of the message on its connection
///     {{connection}}     the number of the connection
///     {{time}}           the time in milliseconds since 1970
///     {{iso}}            the time in RFC 3339, `2026-05-01T12:00:00.123Z`
///     {{uuid}}           a random UUID
///     {{random N}}       N random letters, digits, `-`, and `_`
///     {{env:NAME}}       an environment variable, which is read when the template is parsed
///     {{NAME}}           a variable: a column of a data file, or a value from a message
///     {{last:/pointer}}  a value in the last received message, or {{last:.path}}
///     {{time:s}}         the time in seconds since 1970
///     {{random:A..B}}    a random integer from A to B
///     {{exec:COMMAND}}   the latest output of a program
///     {{path}}           the path of the client's request, in a server; also {{query:NAME}} and {{header:NAME}}
///     {{json:…}}         any of these as a JSON value
///     {{… | sha256}}     any of these, changed by filters; see ``TemplateFilter``
///     {{"text" | hex}}   a literal, which is a JSON string
///     {{{{               two literal braces
///
/// With `json:`, text becomes a JSON string. Without it, text is inserted unchanged, and strings of JSON messages lose
/// their quotes. Other values of JSON, such as numbers and objects, are inserted as JSON either way.
///
/// A template is parsed once. Writing allocates only if the buffer has to grow, or a string has escapes.
package struct Template: Equatable, Sendable {
    /// How a value is inserted.
    enum Form: Equatable, Sendable {
        case text
        case json
    }

    /// A part of the text. Literals are stored elsewhere, so copying a part retains nothing.
    enum Part: Equatable, Sendable {
        /// A range of ``literals``.
        case literal(start: Int, end: Int)
        case sequence
        case connection
        case time
        /// The time in seconds since 1970.
        case seconds
        /// The time in RFC 3339, in UTC with milliseconds.
        case iso
        /// A random UUID (RFC 9562 §5.4).
        case uuid
        /// This many random characters.
        case random(Int)
        /// A random integer from one to another.
        case integer(Int, Int)
        case variable(slot: Int, Form)
        /// The path at this index of ``paths``.
        case last(path: Int, Form)
        /// A group of the regular expression that matched; see ``AnswerRule``.
        case group(Int, Form)
        /// The latest output of the program at this index of ``commands``.
        case program(Int, Form)
        /// The value of the client's request at this index of ``requestValues``.
        case request(Int, Form)
        /// A value with filters, at this index of ``filteredParts``.
        case filtered(Int)

        /// The maximum number of bytes that the part writes, or `nil` if it is not bounded.
        var maximumByteCount: Int? {
            switch self {
            case .literal(let start, let end): end - start
            case .sequence, .connection, .time, .seconds, .integer: Template.mostDigits
            case .random(let count): count
            case .iso: Template.isoBytes
            case .uuid: Template.uuidBytes
            case .variable, .last, .group, .program, .request, .filtered: nil
            }
        }
    }

    /// A value of the client's request, what receives it if it is a secret, and whether it must not be missing.
    typealias RequestedValue = (value: RequestValue, sink: SecretSink?, isRequired: Bool)

    /// The properties of a message that placeholders insert.
    package struct Stamp: Equatable, Sendable {
        /// The number of the message on its connection, starting at 1.
        package var sequence: UInt64
        /// The number of the connection, starting at 1.
        package var connection: UInt64
        /// The time in milliseconds since 1970.
        package var time: UInt64
        /// The seed of random characters. Equal seeds produce equal messages.
        package var seed: UInt64

        /// Creates a stamp.
        package init(sequence: UInt64, connection: UInt64, time: UInt64, seed: UInt64) {
            self.sequence = sequence
            self.connection = connection
            self.time = time
            self.seed = seed
        }
    }

    private let contents: Contents

    /// The maximum number of characters of a `{{random N}}`.
    package static let maximumRandomBytes = 1 << 24
    /// The maximum of the bounds of a `{{random:A..B}}`, and of their negatives.
    static let maximumInteger = 1_000_000_000_000_000_000
    /// The maximum number of digits of a 64-bit number.
    static let mostDigits = 20
    static let isoBytes = 24
    static let uuidBytes = 36

    /// Parses a text with placeholders.
    /// - Parameters:
    ///   - variables: The variables that the text may insert.
    ///   - percentEncodesValues: Whether values are percent-encoded, because the text is the path and query of a URL.
    ///   - allowsBytes: Whether filters may leave bytes that are no text, because the text is a binary message.
    ///   - environment: Returns the value of an environment variable, or `nil` if it is not set.
    /// - Throws: ``TemplateError``.
    package init(
        _ text: String, variables: VariableNames = VariableNames(), percentEncodesValues: Bool = false,
        allowsBytes: Bool = false, environment: (String) -> String?
    ) throws(TemplateError) {
        try self.init(
            text, variables: variables, groupCount: nil, percentEncodesValues: percentEncodesValues,
            allowsBytes: allowsBytes, environment: environment)
    }

    /// Parses a text with placeholders and, unless `groupCount` is `nil`, references to groups: `$0` through `$9`.
    init(
        _ text: String, variables: VariableNames, groupCount: Int?, percentEncodesValues: Bool = false,
        allowsBytes: Bool = false, environment: (String) -> String?
    ) throws(TemplateError) {
        var parser = TemplateParser(
            text, variables: variables, groupCount: groupCount, percentEncodesValues: percentEncodesValues,
            role: allowsBytes ? .binary : .text)
        try parser.parse(environment: environment)
        self.init(parser, percentEncodesValues: percentEncodesValues)
    }

    /// Creates the template that a parser has read.
    init(_ parser: TemplateParser, percentEncodesValues: Bool = false) {
        contents = Contents(
            literals: parser.literals, paths: parser.paths, parts: parser.parts, filteredParts: parser.filteredParts,
            programs: parser.programs, requestValues: parser.requestValues, insertsSecret: parser.insertsSecret,
            percentEncodesValues: percentEncodesValues, allowsBytes: parser.allowsBytes)
    }

    /// Creates a text without placeholders.
    package init(literal bytes: [UInt8]) {
        contents = Contents(literals: bytes, parts: bytes.isEmpty ? [] : [.literal(start: 0, end: bytes.count)])
    }

    /// The template that is always a text, whose braces would otherwise begin placeholders.
    package static func escaping(_ text: [UInt8]) -> [UInt8] {
        let brace = UInt8(ascii: "{")
        var escaped: [UInt8] = []
        var index = 0
        while index < text.count {
            let isPair = text[index] == brace && index + 1 < text.count && text[index + 1] == brace
            escaped += isPair ? [brace, brace, brace, brace] : [text[index]]
            index += isPair ? 2 : 1
        }
        return escaped
    }

    // MARK: Properties

    var parts: [Part] { contents.parts }

    /// Whether a part or the operand of a filter fulfills a condition.
    private func contains(where condition: (Part) -> Bool) -> Bool {
        parts.contains(where: condition)
            || contents.filteredParts.contains { $0.operands.contains { $0.contains(where: condition) } }
    }

    /// The maximum size of the text in bytes, or `nil` if variables or messages determine it.
    package var maximumByteCount: Int? { contents.maximumByteCount }

    /// Whether the text contains values that may be secrets: of the environment, or of columns with telling names.
    package var insertsSecret: Bool { contents.insertsSecret }

    /// Whether the text is the same each time.
    package var isConstant: Bool {
        parts.allSatisfy { part in
            if case .literal = part { true } else { false }
        }
    }

    /// The text if it is the same each time, and otherwise `nil`.
    package var constantText: [UInt8]? {
        guard isConstant else { return nil }
        var text: [UInt8] = []
        for case .literal(let start, let end) in parts { text += contents.literals[start..<end] }
        return text
    }

    /// Whether the text contains the number of the message.
    package var usesSequence: Bool { contains { $0 == .sequence } }

    /// Whether the messages of a connection differ, because they contain their number, a time, or random characters.
    package var variesByMessage: Bool {
        contains { part in
            switch part {
            case .sequence, .time, .seconds, .iso, .uuid, .random, .integer, .last, .group: true
            case .literal, .connection, .variable, .program, .request, .filtered: false
            }
        }
    }

    /// The commands of programs whose outputs the text contains.
    package var commands: [String] {
        contents.programs.map(\.command) + contents.filteredParts.flatMap { $0.operands.flatMap(\.commands) }
    }

    /// Whether a filter may fail.
    package var mayFail: Bool { contents.filteredParts.contains(where: \.mayFail) }

    /// Whether a filter may fail in some messages of a connection.
    package var mayFailByMessage: Bool {
        contents.filteredParts.contains { $0.mayFail && $0.operands.contains(where: \.variesByMessage) }
    }

    /// Whether the text contains variables.
    package var usesVariables: Bool {
        contains { part in
            if case .variable = part { true } else { false }
        }
    }

    /// Whether the text contains one of these variables.
    package func uses(variables: [Int]) -> Bool {
        contains { part in
            if case .variable(let slot, _) = part { variables.contains(slot) } else { false }
        }
    }

    /// Whether the text contains the variable of a slot as JSON.
    package func insertsAsJSON(variable slot: Int) -> Bool { contains { $0 == .variable(slot: slot, .json) } }

    /// The number of times that the text contains the variable of a slot without filters.
    package func count(ofVariable slot: Int) -> Int {
        parts.count { part in
            if case .variable(slot, _) = part { true } else { false }
        }
    }

    /// Whether the text contains values of the last message, which has to be passed to ``TemplateVariables``.
    package var usesLastMessage: Bool { contains { if case .last = $0 { true } else { false } } }

    /// The size of the text in bytes, or `nil` if it is not always the same.
    package var constantByteCount: Int? {
        parts.reduce(0) { sum, part in
            switch part {
            case .literal, .iso, .uuid, .random: sum.flatMap { sum in part.maximumByteCount.map { sum + $0 } }
            case .sequence, .connection, .time, .seconds, .integer, .variable, .last, .group, .program, .request,
                .filtered:
                nil
            }
        }
    }

    /// The part with filters that is the whole template, or `nil` if there is none.
    var onlyFilteredPart: FilteredPart? {
        guard parts.count == 1, case .filtered(let number)? = parts.first else { return nil }
        return contents.filteredParts[number]
    }

    // MARK: Writing

    /// Appends the text to a buffer.
    /// - Throws: ``TemplateValueError`` if a value is missing. A part of the text may already have been appended.
    package func write(
        to buffer: inout ByteBuffer, stamp: Stamp, variables: borrowing TemplateVariables
    ) throws(TemplateValueError) {
        try write(to: &buffer, stamp: stamp, variables: variables, match: nil, of: RawSpan())
    }

    /// Appends the text to a buffer.
    /// - Parameters:
    ///   - match: The regular expression that matched, if the template has references to its groups.
    ///   - message: The message in which it matched.
    func write(
        to buffer: inout ByteBuffer, stamp: Stamp, variables: borrowing TemplateVariables, match: Pattern?,
        of message: RawSpan
    ) throws(TemplateValueError) {
        let contents = contents
        if let maximumByteCount = contents.maximumByteCount {
            // Usually all parts are bounded. Reserving memory once for all of them is faster.
            let target = buffer.reserve(maximumByteCount)
            return buffer.commit(contents.writeBounded(stamp, to: target))
        }
        for index in contents.parts.indices {
            let part = contents.parts[index]
            switch part {
            case .literal, .sequence, .connection, .time, .seconds, .iso, .uuid, .random, .integer:
                let target = buffer.reserve(part.maximumByteCount ?? 0)
                buffer.commit(contents.writeBounded(part, at: index, stamp, to: target))
            case .variable, .last, .group, .program, .request:
                guard contents.percentEncodesValues else {
                    try appendValue(of: part, to: &buffer, variables, match, message)
                    continue
                }
                var value = ByteBuffer()
                try appendValue(of: part, to: &value, variables, match, message)
                value.withReadableBytes { WebSocketURL.appendComponent($0, to: &buffer) }
            case .filtered(let number):
                let part = contents.filteredParts[number]
                let values = Self.values(of: part, at: index, stamp, variables, match, of: message)
                let text = try part.text(values, allowsBytes: contents.allowsBytes)
                Self.append(text, of: part, contents.percentEncodesValues, to: &buffer)
            }
        }
    }

    /// The values of the operands of a part with filters, or why they are missing.
    private static func values(
        of part: FilteredPart, at index: Int, _ stamp: Stamp, _ variables: borrowing TemplateVariables,
        _ match: Pattern?, of message: RawSpan
    ) -> [Result<[UInt8], TemplateValueError>] {
        var values: [Result<[UInt8], TemplateValueError>] = []
        for (number, operand) in part.operands.enumerated() {
            // The random characters of operands differ.
            var stamp = stamp
            stamp.seed ^= UInt64(index + 1) << 24 ^ UInt64(number) << 16
            values.append(operand.value(stamp, variables, match, of: message))
        }
        return values
    }

    /// The bytes of an operand, or why they are missing.
    private func value(
        _ stamp: Stamp, _ variables: borrowing TemplateVariables, _ match: Pattern?, of message: RawSpan
    ) -> Result<[UInt8], TemplateValueError> {
        var buffer = ByteBuffer()
        do throws(TemplateValueError) {
            // An argument with filters, whose result need not be text.
            if let part = onlyFilteredPart {
                return .success(
                    try part.result(Self.values(of: part, at: 0, stamp, variables, match, of: message)).bytes)
            }
            try write(to: &buffer, stamp: stamp, variables: variables, match: match, of: message)
            return .success(buffer.bytes)
        } catch {
            return .failure(error)
        }
    }

    /// Appends the result of filters.
    static func append(_ text: [UInt8], of part: FilteredPart, _ percentEncodes: Bool, to buffer: inout ByteBuffer) {
        if percentEncodes, !part.isEncoded {
            WebSocketURL.appendComponent(text.span.bytes, to: &buffer)
        } else {
            buffer.append(text.span.bytes)
        }
    }

    /// Appends a value without a bounded size.
    private func appendValue(
        of part: Part, to buffer: inout ByteBuffer, _ variables: borrowing TemplateVariables, _ match: Pattern?,
        _ message: RawSpan
    ) throws(TemplateValueError) {
        switch part {
        case .literal, .sequence, .connection, .time, .seconds, .iso, .uuid, .random, .integer, .filtered: break
        case .program(let index, let form):
            let program = contents.programs[index]
            guard let output = program.outputs[program.command] else { throw .noOutput(program.command) }
            Self.append(text: Array(output.utf8).span.bytes, as: form, to: &buffer)
        case .request(let index, let form):
            let (value, sink, isRequired) = contents.requestValues[index]
            let found = variables.request.flatMap { value.text(in: $0) }
            if found == nil, isRequired { throw .notInRequest }
            let text = Array((found ?? "").utf8)
            sink?.add(text)
            Self.append(text: text.span.bytes, as: form, to: &buffer)
        case .variable(let slot, let form): try variables.append(slot, as: form, to: &buffer)
        case .last(let path, let form): try variables.appendLast(contents.paths[path], as: form, to: &buffer)
        case .group(let number, let form):
            // A group that took no part in the match is empty.
            let range = match?.group(number) ?? 0..<0
            let text = message.extracting(range)
            guard UTF8Validator.isValid(text) else {
                // The answer is a text message, so bytes that are not UTF-8 become replacement characters.
                let repaired = Array(text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }.utf8)
                return Self.append(text: repaired.span.bytes, as: form, to: &buffer)
            }
            Self.append(text: text, as: form, to: &buffer)
        }
    }
}

extension Template {
    private static func append(text: RawSpan, as form: Form, to buffer: inout ByteBuffer) {
        if form == .json { JSONString.append(text, to: &buffer) } else { buffer.append(text) }
    }
}
