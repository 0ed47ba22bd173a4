import Formats
import WSCore

/// Parses the text of a ``Template``.
package struct TemplateParser {
    /// What the text is for.
    enum Role {
        case text
        /// A binary message, which may be any bytes.
        case binary
        /// An argument of a filter, in which digests are bytes, too.
        case operand
    }

    private let bytes: [UInt8]
    private let variables: VariableNames
    /// The number of groups of a regular expression, or `nil` if dollar signs have no meaning.
    private let groupCount: Int?
    private let percentEncodesValues: Bool
    private let role: Role
    /// The offset of the next byte.
    private var offset = 0
    /// The start of the unfinished literal.
    private var literalStart = 0

    private(set) var literals: [UInt8] = []
    private(set) var paths: [JSONPath] = []
    private(set) var parts: [Template.Part] = []
    private(set) var filteredParts: [Template.FilteredPart] = []
    private(set) var programs: [(command: String, outputs: ProgramOutputs)] = []
    private(set) var requestValues: [Template.RequestedValue] = []
    private(set) var insertsSecret = false
    var allowsBytes: Bool { role == .binary }

    init(
        _ text: String, variables: VariableNames, groupCount: Int?, percentEncodesValues: Bool,
        role: Role = .text
    ) {
        bytes = Array(text.utf8)
        self.variables = variables
        self.groupCount = groupCount
        self.percentEncodesValues = percentEncodesValues
        self.role = role
    }

    mutating func parse(environment: (String) -> String?) throws(TemplateError) {
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "{") where isNext("{{{{"):
                literals += "{{".utf8
                offset += 4
            case UInt8(ascii: "{") where isNext("{{"): try placeholder(environment)
            case UInt8(ascii: "$") where groupCount != nil: try dollarSign()
            case let byte:
                literals.append(byte)
                offset += 1
            }
        }
        endLiteral()
    }

    private func isNext(_ text: StaticString, at offset: Int? = nil) -> Bool {
        let offset = offset ?? self.offset
        let count = text.utf8CodeUnitCount
        guard offset + count <= bytes.count else { return false }
        return (0..<count).allSatisfy { bytes[offset + $0] == text.utf8Start[$0] }
    }

    private mutating func endLiteral() {
        if literals.count > literalStart { parts.append(.literal(start: literalStart, end: literals.count)) }
        literalStart = literals.count
    }

    private mutating func append(_ part: Template.Part) {
        endLiteral()
        parts.append(part)
    }

    // MARK: Placeholders

    private mutating func placeholder(_ environment: (String) -> String?) throws(TemplateError) {
        let start = offset
        guard let (pieces, end) = Self.pieces(of: bytes[(start + 2)...], until: "}}") else {
            throw TemplateError(.notClosed, at: start)
        }
        let text = String(decoding: bytes[start + 2..<end].trimmingBlanks(), as: UTF8.self)
        do throws(TemplateError.Reason) {
            if pieces.count == 1 || variables.slot(of: Self.jsonValue(text) ?? text) != nil {
                try value(text, environment)
            } else {
                try filtered(pieces, environment)
            }
        } catch {
            throw TemplateError(error, at: start)
        }
        offset = end + 2
    }

    /// The text after `json:`, or `nil` if a text begins with something else.
    private static func jsonValue(_ text: String) -> String? {
        text.hasPrefix("json:") ? String(decoding: text.utf8.dropFirst(5).trimmingBlanks(), as: UTF8.self) : nil
    }

    /// Adds the part for a placeholder without its braces.
    private mutating func value(
        _ text: String, _ environment: (String) -> String?
    ) throws(TemplateError.Reason) {
        let inner = Self.jsonValue(text)
        try value(inner ?? text, as: inner == nil ? .text : .json, environment)
    }

    /// Adds the part for a placeholder without its braces and `json:`.
    private mutating func value(
        _ text: String, as form: Template.Form, _ environment: (String) -> String?
    ) throws(TemplateError.Reason) {
        let words = text.split(separator: " ")
        switch words.first {
        case "seq" where words.count == 1: append(.sequence, quotedFor: form)
        case "connection" where words.count == 1: append(.connection, quotedFor: form)
        case "time" where words.count == 1: append(.time, quotedFor: form)
        case "random":
            guard words.count == 2, let count = Int(words[1]), 1...Template.maximumRandomBytes ~= count else {
                throw .badLength
            }
            append(.random(count), quotedFor: form)
        default:
            if let slot = variables.slot(of: text) {
                if variables.secretSlots.contains(slot) { insertsSecret = true }
                append(.variable(slot: slot, form))
            } else if let literal = Self.literal(text) {
                if groupCount != nil, literal.utf8.indices.contains(where: { isGroup(literal.utf8[$0...]) }) {
                    throw .groupInLiteral
                }
                insert(literal, as: form)
            } else if text == "time:s" {
                append(.seconds, quotedFor: form)
            } else if text.hasPrefix("random:") {
                append(try Self.integer(text.utf8.dropFirst(7)), quotedFor: form)
            } else if text.hasPrefix("exec:") {
                try addProgram(String(text.dropFirst(5)), as: form)
            } else if text == "iso" {
                append(.iso, quotedFor: form)
            } else if text == "uuid" {
                append(.uuid, quotedFor: form)
            } else if text.hasPrefix("env:"), text != "env:" {
                try insertEnvironment(String(text.dropFirst(4)), as: form, environment)
            } else if text.hasPrefix("last:") {
                try addPath(String(text.dropFirst(5)), as: form)
            } else if let number = try group(text) {
                append(.group(number, form))
            } else if let requested = RequestValue(text), variables.includesRequest || requested != .path {
                try addRequested(requested, in: text, as: form)
            } else {
                throw .unknownName(
                    text, variables: variables.names, includesLastMessage: variables.includesLastMessage,
                    includesRequest: variables.includesRequest)
            }
        }
    }

    /// Adds a part that is text without characters to escape.
    private mutating func append(_ part: Template.Part, quotedFor form: Template.Form) {
        if form == .json { literals.append(UInt8(ascii: "\"")) }
        append(part)
        if form == .json { literals.append(UInt8(ascii: "\"")) }
    }

    private mutating func insertEnvironment(
        _ name: String, as form: Template.Form, _ environment: (String) -> String?
    ) throws(TemplateError.Reason) {
        guard let value = environment(name) else { throw .notInEnvironment(name) }
        insertsSecret = true
        insert(value, as: form)
    }

    /// Adds a text to the literal.
    private mutating func insert(_ value: String, as form: Template.Form) {
        var text = ByteBuffer()
        if form == .json { JSONString.append(Array(value.utf8).span.bytes, to: &text) } else { text.append(value) }
        var encoded = ByteBuffer()
        if percentEncodesValues { text.withReadableBytes { WebSocketURL.appendComponent($0, to: &encoded) } }
        let inserted = percentEncodesValues ? encoded.takeAll() : text.takeAll()
        inserted.withReadableBytes { span in span.withUnsafeBytes { literals += $0 } }
    }

    /// The random integer in a range `A..B`.
    private static func integer(_ range: Substring.UTF8View) throws(TemplateError.Reason) -> Template.Part {
        let dots = range.firstIndex(of: UInt8(ascii: ".")) ?? range.endIndex
        let upper = range[dots...].dropFirst(2)
        let bounds = -Template.maximumInteger...Template.maximumInteger
        guard range[dots...].starts(with: "..".utf8), let lower = Int(Substring(range[..<dots])),
            let upper = Int(Substring(upper)), lower <= upper, bounds ~= lower, bounds ~= upper
        else { throw .badRange }
        return .integer(lower, upper)
    }

    private mutating func addProgram(_ text: String, as form: Template.Form) throws(TemplateError.Reason) {
        guard let outputs = variables.programs else { throw .noPrograms }
        let command = Self.literal(text) ?? text
        guard command.utf8.contains(where: { !$0.isBlank }) else { throw .noCommand }
        insertsSecret = true
        programs.append((command, outputs))
        append(.program(programs.count - 1, form))
    }

    private mutating func addRequested(
        _ value: RequestValue, in text: String, as form: Template.Form
    ) throws(TemplateError.Reason) {
        guard variables.includesRequest else { throw .noRequest }
        guard value.isPossible, groupCount == nil || !text.utf8.indices.contains(where: { isGroup(text.utf8[$0...]) })
        else { throw .badRequestName }
        if value.isSecret { insertsSecret = true }
        // Of a value with filters, only the result is sent.
        let isOperand = role == .operand
        requestValues.append((value, value.isSecret && !isOperand ? variables.sink : nil, isRequired: isOperand))
        append(.request(requestValues.count - 1, form))
    }

    private mutating func addPath(_ text: String, as form: Template.Form) throws(TemplateError.Reason) {
        guard variables.includesLastMessage else { throw .noLastMessage }
        do throws(JSONQueryError) {
            // RFC 6901 §5: the empty pointer is the whole text.
            paths.append(try JSONPath(text.isEmpty ? "." : text))
        } catch {
            throw .badPath(error)
        }
        append(.last(path: paths.count - 1, form))
    }

    // MARK: Filters

    /// The size in bytes of the placeholder at the beginning of a text, with its braces; that of the text if it does not
    /// end.
    package static func placeholderByteCount(_ text: some Sequence<UInt8>) -> Int {
        let bytes = Array(text)
        return pieces(of: bytes.dropFirst(2), until: "}}").map { $0.end + 2 } ?? bytes.count
    }

    /// Divides a text at ` | `. In literals, this and the end have no meaning.
    /// - Parameter end: What follows the text.
    /// - Returns: The pieces without surrounding blanks, and the index of the end, or `nil` if it is missing.
    /// - Parameter depth: The number of parentheses around the text.
    package static func pieces(
        of text: ArraySlice<UInt8>, until end: String, depth: Int = 0
    ) -> (pieces: [String], end: Int)? {
        var pieces: [String] = []
        var start = text.startIndex
        guard depth <= maximumDepth, var index = literalEnd(in: text[start...], depth) else { return nil }
        while true {
            let rest = text[index...]
            let isAtEnd = rest.starts(with: end.utf8)
            if isAtEnd || rest.starts(with: separator) {
                pieces.append(String(decoding: text[start..<index].trimmingBlanks(), as: UTF8.self))
                if isAtEnd { return (pieces, index) }
                start = index + separator.count
                guard let next = literalEnd(in: text[start...], depth) else { return nil }
                index = next
            } else if rest.isEmpty {
                return nil
            } else {
                index += 1
            }
        }
    }

    static let separator = Array(" | ".utf8)
    /// The maximum number of parentheses around a value.
    private static let maximumDepth = 16

    /// The index after the literal with which a value or the argument of a filter begins, or after an argument in parentheses;
    /// otherwise the start of the text. `nil`: the parentheses do not end.
    private static func literalEnd(in text: ArraySlice<UInt8>, _ depth: Int) -> Int? {
        var start = text.startIndex
        while true {
            start += text[start...].prefix { $0.isBlank }.count
            // `json:`, or the name of a filter.
            let name = text[start...].prefix { ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "-") }
            guard !name.isEmpty, text[name.endIndex...].first == UInt8(ascii: ":") else { break }
            start = name.endIndex + 1
        }
        if text[start...].first == UInt8(ascii: "("), start > text.startIndex {
            return pieces(of: text[(start + 1)...], until: ")", depth: depth + 1).map { $0.end + 1 }
        }
        let quote = UInt8(ascii: "\"")
        guard text[start...].first == quote else { return text.startIndex }
        var index = start + 1
        while index < text.endIndex, text[index] != quote { index += text[index] == UInt8(ascii: "\\") ? 2 : 1 }
        return index < text.endIndex ? index + 1 : text.startIndex
    }

    /// The value of a JSON string, or `nil` for another text.
    static func literal(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.first == UInt8(ascii: "\""), JSONReader.problem(in: bytes.span.bytes) == nil else { return nil }
        return JSONString.decoded(bytes.span.bytes)
    }

    /// Parses filters.
    func filters(
        _ pieces: ArraySlice<String>, _ environment: (String) -> String?
    ) throws(TemplateError.Reason) -> [TemplateFilter] {
        var filters: [TemplateFilter] = []
        for piece in pieces {
            let colon = piece.utf8.firstIndex(of: UInt8(ascii: ":")) ?? piece.endIndex
            let argument =
                colon == piece.endIndex
                ? nil : String(decoding: piece.utf8[colon...].dropFirst().trimmingBlanks(), as: UTF8.self)
            filters.append(
                try TemplateFilter(String(piece[..<colon]), argument: argument) { (text) throws(TemplateError.Reason) in
                    try operand(text, environment)
                })
        }
        return filters
    }

    /// The template of a value, or of a value with filters in parentheses.
    private func operand(
        _ text: String, _ environment: (String) -> String?
    ) throws(TemplateError.Reason) -> Template {
        var parser = TemplateParser(
            "", variables: variables, groupCount: groupCount, percentEncodesValues: false, role: .operand)
        if text.hasPrefix("(") {
            let found = Self.pieces(of: Array(text.utf8.dropFirst())[...], until: ")")
            guard let (pieces, end) = found, end == text.utf8.count - 2 else { throw .badArgument }
            try parser.filtered(pieces, environment)
        } else {
            try parser.value(text, environment)
        }
        parser.endLiteral()
        return Template(parser)
    }

    /// Adds a value with filters.
    private mutating func filtered(
        _ pieces: [String], _ environment: (String) -> String?
    ) throws(TemplateError.Reason) {
        var filters = try filters(pieces.dropFirst(), environment)
        var value = Template(literal: [])
        do throws(TemplateError.Reason) {
            value = try operand(pieces[0], environment)
        } catch {
            // A variable that is not set is missing, like a value that does not exist yet.
            guard case .notInEnvironment = error else { throw error }
            while !filters.isEmpty {
                guard case .text(let text) = filters.removeFirst().argument else { continue }
                return append(value: Template(literal: text), filters: filters)
            }
            throw error
        }
        append(value: value, filters: filters)
    }

    private mutating func append(value: Template, filters: [TemplateFilter]) {
        var part = Template.FilteredPart(value: value, filters: filters)
        if part.operands.contains(where: \.insertsSecret) {
            insertsSecret = true
            part.sink = variables.sink
        }
        var constants: [Result<[UInt8], TemplateValueError>] = []
        for text in part.operands.compactMap(\.constantText) { constants.append(.success(text)) }
        // What is always the same is computed once.
        if constants.count == part.operands.count,
            let text = role == .operand
                ? try? part.result(constants).bytes : try? part.text(constants, allowsBytes: allowsBytes)
        {
            var inserted = ByteBuffer()
            Template.append(text, of: part, percentEncodesValues, to: &inserted)
            literals += inserted.bytes
        } else {
            filteredParts.append(part)
            append(.filtered(filteredParts.count - 1))
        }
    }

    // MARK: Groups

    /// Handles `$1`, and `$$` for a dollar sign. Any other dollar sign is literal.
    private mutating func dollarSign() throws(TemplateError) {
        let next = offset + 1 < bytes.count ? bytes[offset + 1] : 0
        if let digit = Self.digit(next) {
            do throws(TemplateError.Reason) {
                append(.group(try checkedGroup(digit), .text))
            } catch {
                throw TemplateError(error, at: offset)
            }
            offset += 2
        } else {
            literals.append(UInt8(ascii: "$"))
            offset += next == UInt8(ascii: "$") ? 2 : 1
        }
    }

    /// The number of a group as a placeholder, such as `$1`, or `nil` for another name.
    private func group(_ name: String) throws(TemplateError.Reason) -> Int? {
        let bytes = Array(name.utf8)
        guard groupCount != nil, bytes.count == 2, bytes[0] == UInt8(ascii: "$"), let digit = Self.digit(bytes[1])
        else { return nil }
        return try checkedGroup(digit)
    }

    private func checkedGroup(_ number: Int) throws(TemplateError.Reason) -> Int {
        let groupCount = groupCount ?? 0
        guard number <= groupCount else { throw .noGroup(number, groupCount: groupCount) }
        return number
    }

    /// Whether a text begins with `$1` or another group.
    private func isGroup(_ text: Substring.UTF8View) -> Bool {
        text.first == UInt8(ascii: "$") && text.dropFirst().first.flatMap(Self.digit) != nil
    }

    private static func digit(_ byte: UInt8) -> Int? {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte ? Int(byte - UInt8(ascii: "0")) : nil
    }
}
