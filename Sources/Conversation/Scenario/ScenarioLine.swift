import Formats
import WSCore

/// A line of a scenario: a JSON object whose members suit its type.
struct ScenarioLine {
    /// The type of a line.
    enum Kind: String, CaseIterable {
        case message, ping, pong, close, pause, anyOrder
        case repetition = "repeat"
        // These events of recordings inform about the session.
        case recording, open, listening, http, error

        /// Whether the line is a step or `repeat`.
        var isPlayed: Bool {
            switch self {
            case .message, .ping, .pong, .close, .pause, .anyOrder, .repetition: true
            case .recording, .open, .listening, .http, .error: false
            }
        }
    }

    /// The name of a member.
    enum Member: String {
        case type, direction, opcode, data, base64, match, expect, replyEnd, set, name, timeout, optional, strict
        case code, reason, steps
        case pause = "for"
        // The members of recordings.
        case time, client, bytes, clean, request, decoded, injected, rewritten, dropped, record, records, subprotocol
        case decodeError = "decode_error"
        case roundTrip = "rtt_us"
    }

    /// The number of the line in the file, from 1.
    let number: Int
    /// The type of the line.
    let kind: Kind
    /// Whether the client of the conversation sends the frame of the step. `false` for lines without a frame.
    private(set) var isOutgoing = false
    private let bytes: [UInt8]
    /// The value of each member.
    private var values: [Member: JSONToken] = [:]

    /// Creates a line that is not played.
    init() {
        number = 0
        kind = .listening
        bytes = []
    }

    /// Parses a line. Returns `nil` for a recorded event of an unknown type, which a later version may have added.
    /// - Throws: ``ScenarioError`` if the line is not a JSON object, or has members that its type does not have.
    init?(_ bytes: [UInt8], number: Int) throws(ScenarioError) {
        self.bytes = bytes
        self.number = number
        guard UTF8Validator.isValid(bytes.span.bytes) else {
            throw ScenarioError(line: number, column: 1, "the line is not UTF-8")
        }
        let members = try Self.members(of: bytes, number: number)
        guard let kind = try Self.kind(of: members, in: bytes, number: number) else { return nil }
        self.kind = kind
        try check(members)
    }

    // MARK: The members of each type

    /// The members that a line of this type may have.
    private var allowed: Set<Member> {
        switch (kind, isOutgoing) {
        case (.message, true):
            Self.relayed.union([
                .opcode, .data, .base64, .bytes, .request, .match, .set, .optional,
            ]).union(has(.optional) ? [.timeout] : [])
        case (.message, false):
            Self.relayed.union([
                .opcode, .data, .base64, .bytes, .request, .roundTrip, .match, .expect, .replyEnd, .set, .strict,
                .optional, .timeout,
            ]).union(isRecorded ? [.decoded, .decodeError, .record, .records] : [])
        case (.ping, true), (.pong, true): Self.recorded.union([.data, .base64, .bytes])
        case (.ping, false), (.pong, false):
            Self.recorded.union([.timeout, .bytes, .roundTrip]).union(isRecorded ? [.data, .base64] : [])
        case (.close, true): Self.recorded.union([.code, .reason, .timeout, .clean])
        case (.close, false): Self.recorded.union([.code, .timeout, .clean]).union(isRecorded ? [.reason] : [])
        case (.pause, _): [.type, .name, .pause]
        case (.anyOrder, _): [.type, .steps, .timeout]
        case (.repetition, _): [.type]
        case (.recording, _), (.open, _), (.listening, _), (.http, _), (.error, _): []
        }
    }

    /// The members of every step that is a frame.
    private static let recorded: Set<Member> = [.type, .direction, .name, .time, .client]
    private static let relayed = recorded.union([.injected, .rewritten, .dropped])

    /// Whether the line was recorded: only recorders write the time. Its data is literal.
    var isRecorded: Bool { values[.time] != nil }

    /// Whether the line is a recorded message that was dropped as a whole, as opposed to some of its records.
    var isDropped: Bool { values[.dropped].map { literal($0) == "true" } ?? false }

    /// The step in words: `an incoming ping`.
    private var words: String {
        switch kind {
        case .pause: "a pause"
        case .anyOrder: "'anyOrder'"
        case .repetition: "'repeat'"
        default: (isOutgoing ? "an outgoing " : "an incoming ") + kind.rawValue
        }
    }

    private static func members(
        of bytes: [UInt8], number: Int
    ) throws(ScenarioError) -> [(name: JSONToken, value: JSONToken)] {
        do throws(JSONError) {
            if let members = try JSONReader.members(of: bytes.span.bytes) { return members }
        } catch {
            if case .unexpected(let offset) = error {
                throw Self.error(
                    "the line is not JSON; write one object per line", atByte: offset, of: bytes, number: number)
            }
            throw Self.error(
                "the line is not JSON: \(error); write one object per line", atByte: bytes.count, of: bytes,
                number: number)
        }
        throw ScenarioError(line: number, column: 1, "expected a JSON object")
    }

    /// Returns the type of a line, or `nil` for a recorded event of an unknown type.
    private static func kind(
        of members: [(name: JSONToken, value: JSONToken)], in bytes: [UInt8], number: Int
    ) throws(ScenarioError) -> Kind? {
        for (name, value) in members where decoded(name, in: bytes) == Member.type.rawValue {
            let place = value.range.lowerBound
            guard value.kind == .string else {
                throw error("'type' is not a string", atByte: place, of: bytes, number: number)
            }
            let word = decoded(value, in: bytes)
            guard let kind = Kind(rawValue: word) else {
                // A line that was written by hand has no time, and may contain a mistake.
                if members.contains(where: { decoded($0.name, in: bytes) == Member.time.rawValue }) { return nil }
                let known = Kind.allCases.filter(\.isPlayed).map(\.rawValue)
                throw error(.unknown("type", word, known: known), atByte: place, of: bytes, number: number)
            }
            return kind
        }
        throw ScenarioError(line: number, column: 1, "the step has no 'type'; add one, such as \"type\":\"message\"")
    }

    /// Keeps the values of the members, and checks that the type has them.
    private mutating func check(_ members: [(name: JSONToken, value: JSONToken)]) throws(ScenarioError) {
        var unknown: JSONToken?
        for (nameToken, value) in members {
            let name = decoded(nameToken)
            guard let member = Member(rawValue: name) else {
                unknown = unknown ?? nameToken
                continue
            }
            guard values.updateValue(value, forKey: member) == nil else {
                throw error(MatcherError.duplicateWords(name), at: nameToken)
            }
        }
        guard kind.isPlayed else { return }
        try checkStrings(members)
        if let unknown {
            // The unknown member may be the direction, so a missing one is not an error here.
            do throws(ScenarioError) { try readDirection() } catch {}
            let known = allowed.map(\.rawValue).sorted()
            throw error(.unknown("member", decoded(unknown), known: known), atByte: unknown.range.lowerBound)
        }
        try readDirection()
        let allowed = self.allowed
        for (nameToken, _) in members {
            guard let member = Member(rawValue: decoded(nameToken)), !allowed.contains(member) else { continue }
            throw error("\(words) has no '\(member.rawValue)'; delete it", at: nameToken)
        }
    }

    private mutating func readDirection() throws(ScenarioError) {
        guard kind != .pause, kind != .anyOrder, kind != .repetition else { return }
        guard let direction = try text(.direction) else {
            throw error("the step has no 'direction'; add \"direction\":\"in\" or \"out\"")
        }
        guard direction == "in" || direction == "out" else {
            throw error(
                .unknown("direction", direction, known: ["in", "out"]),
                atByte: values[.direction]?.range.lowerBound ?? 0)
        }
        // A server's recording, which has client numbers, is seen from the other end.
        isOutgoing = (direction == "out") != has(.client)
    }

    // MARK: Values

    /// Whether the line has a member.
    func has(_ member: Member) -> Bool { values[member] != nil }

    /// The place and the bytes of a member's value.
    func source(of member: Member) -> (offset: Int, bytes: [UInt8])? {
        values[member].map { ($0.range.lowerBound, Array(bytes[$0.range])) }
    }

    /// The objects of an array member as lines, or `nil` if there is none.
    func lines(in member: Member) throws(ScenarioError) -> [ScenarioLine]? {
        guard let array = values[member] else { return nil }
        guard array.kind == .beginArray else { throw error("'\(member.rawValue)' is not an array of steps", at: array) }
        let text = bytes.span.bytes.extracting(array.range)
        var elements: [Range<Int>] = []
        do throws(JSONError) {
            var reader = JSONReader()
            _ = try reader.next(in: text)
            while let token = try reader.next(in: text), token.kind != .endArray {
                elements.append(try reader.value(from: token, in: text).range)
            }
        } catch {
            throw self.error("'\(member.rawValue)' is not JSON", at: array)
        }
        var lines: [ScenarioLine] = []
        for element in elements {
            let start = array.range.lowerBound + element.lowerBound
            // As many blanks as characters precede it, so that errors name the right column.
            let indentation = String(decoding: bytes.prefix(start), as: UTF8.self).count
            let blanks = Array(repeating: UInt8(ascii: " "), count: indentation)
            let line = try ScenarioLine(blanks + bytes[start..<start + element.count], number: number)
            if let line { lines.append(line) }
        }
        return lines
    }

    /// The value of a string member, or `nil` if there is none.
    func text(_ member: Member) throws(ScenarioError) -> String? {
        guard let value = values[member] else { return nil }
        guard value.kind == .string else {
            let isObject = value.kind == .beginObject || value.kind == .beginArray
            let remedy = isObject ? #"write it as text, such as "{\"id\":1}""# : "put it in quotes"
            throw error("'\(member.rawValue)' is not a string; \(remedy)", at: value)
        }
        return decoded(value)
    }

    /// The offset of a character of a string member, which a placeholder begins.
    /// - Parameter decodedOffset: The offset of the character in the decoded string, in bytes.
    func offset(of member: Member, atDecodedByte decodedOffset: Int) -> Int {
        guard let range = values[member]?.range else { return 0 }
        let literal = bytes.span.bytes.extracting(range)
        return range.lowerBound + JSONString.offset(ofDecodedByte: decodedOffset, in: literal)
    }

    /// Checks that all strings of the line have an encoding in UTF-8.
    private func checkStrings(_ members: [(name: JSONToken, value: JSONToken)]) throws(ScenarioError) {
        for (name, value) in members {
            for token in [name, value] {
                let text = bytes.span.bytes.extracting(token.range)
                guard let offset = JSONString.offsetOfUnpairedSurrogate(in: text) else { continue }
                throw error(
                    .other("the escape is half of a surrogate pair, which no text can contain"),
                    atByte: token.range.lowerBound + offset)
            }
        }
    }

    /// The value of a Boolean member; `false` if there is none.
    func flag(_ member: Member) throws(ScenarioError) -> Bool {
        guard let value = values[member] else { return false }
        switch (value.kind, literal(value)) {
        case (.literal, "true"): return true
        case (.literal, "false"): return false
        default: throw error("'\(member.rawValue)' is neither true nor false", at: value)
        }
    }

    /// The value of an integer member, or `nil` if there is none.
    func integer(_ member: Member, in range: ClosedRange<Int>) throws(ScenarioError) -> Int? {
        guard let value = values[member] else { return nil }
        guard value.kind == .number, let number = Int(literal(value)), range.contains(number) else {
            let bounds =
                range.upperBound == .max
                ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
            throw error("'\(member.rawValue)' is not a number \(bounds)", at: value)
        }
        return number
    }

    /// The bytes of `data` or `base64`, or `nil` if there is neither.
    func payload() throws(ScenarioError) -> [UInt8]? {
        if has(.data), let base64 = values[.base64] {
            throw error("'data' and 'base64' exclude each other", at: base64)
        }
        if let data = try text(.data) { return Array(data.utf8) }
        guard let text = try text(.base64) else { return nil }
        var decoded = ByteBuffer()
        do throws(EncodedTextError) {
            try Base64.appendDecoded(Array(text.utf8).span.bytes, to: &decoded)
        } catch {
            throw self.error("'base64' is not Base64", in: .base64)
        }
        return decoded.withReadableBytes { span in span.withUnsafeBytes { Array($0) } }
    }

    private func decoded(_ token: JSONToken) -> String { Self.decoded(token, in: bytes) }

    private static func decoded(_ token: JSONToken, in bytes: [UInt8]) -> String {
        JSONString.decoded(bytes.span.bytes.extracting(token.range))
    }

    private func literal(_ token: JSONToken) -> String { String(decoding: bytes[token.range], as: UTF8.self) }

    // MARK: Errors

    /// An error in the value of a member, or of the line if it has no such member.
    func error(_ words: String, in member: Member) -> ScenarioError {
        error(.other(words), atByte: values[member]?.range.lowerBound ?? 0)
    }

    /// An error of the whole line.
    func error(_ words: String) -> ScenarioError { error(.other(words), atByte: 0) }

    /// An error at an offset in the line.
    func error(_ problem: ScenarioError.Problem, atByte offset: Int) -> ScenarioError {
        Self.error(problem, atByte: offset, of: bytes, number: number)
    }

    private func error(_ words: String, at token: JSONToken) -> ScenarioError {
        error(.other(words), atByte: token.range.lowerBound)
    }

    private static func error(_ words: String, atByte offset: Int, of bytes: [UInt8], number: Int) -> ScenarioError {
        error(.other(words), atByte: offset, of: bytes, number: number)
    }

    private static func error(
        _ problem: ScenarioError.Problem, atByte offset: Int, of bytes: [UInt8], number: Int
    ) -> ScenarioError {
        let before = String(decoding: bytes.prefix(offset), as: UTF8.self)
        return ScenarioError(line: number, column: before.count + 1, problem)
    }
}
