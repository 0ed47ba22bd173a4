import Formats
import WSCore

extension Scenario {
    /// Reads a scenario.
    /// - Parameter contents: The contents of the file.
    /// - Throws: ``ScenarioError``.
    public init(_ contents: RawSpan, _ options: ScenarioOptions) throws(ScenarioError) {
        var reader = ScenarioReader(options)
        let bytes = contents.withUnsafeBytes { Array($0) }
        var start = 0
        var lineNumber = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            lineNumber += 1
            try reader.read(bytes[start..<end], line: lineNumber)
            start = end + 1
        }
        try self.init(reader, lineCount: max(1, lineNumber))
    }

    private init(_ reader: ScenarioReader, lineCount: Int) throws(ScenarioError) {
        guard !reader.steps.isEmpty else {
            throw ScenarioError(
                line: lineCount, column: 1, reason: "the file has no steps; record a session with --record FILE")
        }
        guard reader.repeatStart ?? 0 < reader.steps.count else {
            throw ScenarioError(line: lineCount, column: 1, reason: "no step follows 'repeat'; add one, or delete it")
        }
        steps = reader.steps
        repeatStart = reader.repeatStart ?? 0
        variables = reader.options.variables
    }
}

/// Reads the lines of a scenario.
private struct ScenarioReader {
    /// The members of a line.
    private enum Member: String, CaseIterable {
        case type, direction, opcode, data, base64, match, set, name, timeout, strict, code, reason
        case pause = "for"
        case client
        // Members of recordings without a meaning here.
        case time, bytes, clean, request, rtt_us
    }

    var options: ScenarioOptions
    private(set) var steps: [Scenario.Step] = []
    private(set) var repeatStart: Int?
    /// The only client of a server's recording.
    private var client: Int?
    private var lineNumber = 0
    private var line: [UInt8] = []
    /// The value of each member of the line.
    private var values: [Member: JSONToken] = [:]

    /// The longest text that an error repeats, in characters.
    private static let longestShown = 40

    init(_ options: ScenarioOptions) {
        self.options = options
    }

    mutating func read(_ line: ArraySlice<UInt8>, line number: Int) throws(ScenarioError) {
        self.line = Array(line)
        lineNumber = number
        guard self.line.contains(where: { !$0.isBlank }) else { return }
        guard UTF8Validator.isValid(self.line.span.bytes) else { throw error("the line is not UTF-8") }
        let members = try members()
        let type = try type(of: members)
        // These events inform about the session.
        if ["recording", "open", "listening", "error"].contains(type) { return }
        try check(members, of: type)
        guard try isOfOnlyClient() else { return }
        switch type {
        case "repeat":
            guard repeatStart == nil else { throw error("'repeat' occurs twice; keep one", at: values[.type]) }
            repeatStart = steps.count
        case "pause": try append(.pause(try pause()))
        case "message": try readMessage()
        case "ping", "pong": try readControl(isPing: type == "ping")
        case "close": try readClose()
        default:
            throw error(
                "unknown type \(Self.shown(type)); expected message, ping, pong, close, pause, or repeat",
                at: values[.type])
        }
    }

    // MARK: Members

    private func members() throws(ScenarioError) -> [(name: JSONToken, value: JSONToken)] {
        do throws(JSONError) {
            if let members = try JSONReader.members(of: line.span.bytes) { return members }
        } catch {
            if case .unexpected(let offset) = error { throw self.error("the line is not JSON", atByte: offset) }
            throw self.error("the line is not JSON: \(error)", atByte: line.count)
        }
        throw error("expected a JSON object")
    }

    private mutating func type(of members: [(name: JSONToken, value: JSONToken)]) throws(ScenarioError) -> String {
        values.removeAll(keepingCapacity: true)
        for (name, value) in members where decoded(name) == "type" {
            values[.type] = value
            guard value.kind == .string else { throw error("'type' is not a string", at: value) }
            return decoded(value)
        }
        throw error("the step has no 'type'; add one, such as \"type\":\"message\"")
    }

    /// Checks the names of the members and keeps their values.
    private mutating func check(
        _ members: [(name: JSONToken, value: JSONToken)], of type: String
    ) throws(ScenarioError) {
        for (nameToken, value) in members {
            let name = decoded(nameToken)
            guard let member = Member(rawValue: name) else {
                throw error("unknown member \(Self.shown(name)); check its spelling", at: nameToken)
            }
            guard member == .type || values[member] == nil else {
                throw error("the member \(Self.shown(name)) occurs twice", at: nameToken)
            }
            values[member] = value
        }
        let expectations: [Member] = [.match, .set, .strict, .timeout]
        for member in expectations {
            guard let value = values[member] else { continue }
            guard type == "message" || member == .timeout && type != "pause" && type != "repeat", try isReceived()
            else {
                throw error(
                    "'\(member.rawValue)' applies only to steps that wait, with \"direction\":\"in\"", at: value)
            }
        }
    }

    /// The decoded text of a string.
    private func decoded(_ token: JSONToken) -> String {
        JSONString.decoded(line.span.bytes.extracting(token.range))
    }

    /// The source of a value.
    private func source(of token: JSONToken) -> String { String(decoding: line[token.range], as: UTF8.self) }

    private func text(_ member: Member) throws(ScenarioError) -> String? {
        guard let value = values[member] else { return nil }
        guard value.kind == .string else { throw error("'\(member.rawValue)' is not a string", at: value) }
        return decoded(value)
    }

    private func flag(_ member: Member) throws(ScenarioError) -> Bool {
        guard let value = values[member] else { return false }
        switch (value.kind, source(of: value)) {
        case (.literal, "true"): return true
        case (.literal, "false"): return false
        default: throw error("'\(member.rawValue)' is neither true nor false", at: value)
        }
    }

    private func number(_ member: Member, in range: ClosedRange<Int>) throws(ScenarioError) -> Int? {
        guard let value = values[member] else { return nil }
        guard value.kind == .number, let number = Int(source(of: value)), range.contains(number) else {
            throw error(
                "'\(member.rawValue)' is not a number from \(range.lowerBound) to \(range.upperBound)", at: value)
        }
        return number
    }

    private func duration(_ text: String, of member: Member) throws(ScenarioError) -> Duration {
        guard let duration = options.parseDuration(text) else {
            throw error("'\(member.rawValue)' is not a duration such as 500ms or 2s", at: values[member])
        }
        return duration
    }

    // MARK: Directions

    /// Whether the step waits for its frame instead of sending it.
    private func isReceived() throws(ScenarioError) -> Bool {
        let direction = try text(.direction)
        guard direction == "in" || direction == "out" else {
            throw error("'direction' is not \"in\" or \"out\"", at: values[.direction])
        }
        // A server's recording, which has client numbers, is seen from the other end.
        return (direction == "in") != ((values[.client] != nil) != options.playsPeer)
    }

    /// Whether the line belongs to the conversation: it has no client number, or that of the first client.
    private mutating func isOfOnlyClient() throws(ScenarioError) -> Bool {
        guard let number = try number(.client, in: 1...Int.max) else { return true }
        if client == nil { client = number }
        return client == number
    }

    // MARK: Steps

    private mutating func append(_ action: Scenario.Step.Action) throws(ScenarioError) {
        let timeout = try text(.timeout)
        steps.append(
            Scenario.Step(
                action: action, name: try text(.name),
                timeout: try timeout.map { (text) throws(ScenarioError) in try duration(text, of: .timeout) },
                line: lineNumber))
    }

    private func pause() throws(ScenarioError) -> ClosedRange<Duration> {
        guard let text = try text(.pause) else {
            throw error("the pause has no length; add \"for\":\"1s\" or \"for\":\"1s-3s\"", at: values[.type])
        }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 2, let first = parts.first, let last = parts.last else {
            throw error("'for' is not a duration or a range such as 1s-3s", at: values[.pause])
        }
        let (least, most) = (try duration(first, of: .pause), try duration(last, of: .pause))
        guard least <= most else { throw error("'for' is not an ascending range", at: values[.pause]) }
        return least...most
    }

    private mutating func readMessage() throws(ScenarioError) {
        guard try isReceived() else {
            let (kind, template) = try message()
            return try append(.send(kind, template))
        }
        let matcher = try matcher()
        try append(
            .receive(
                Scenario.Expectation(
                    matcher: matcher, extractions: try extractions(), isStrict: try flag(.strict))))
    }

    /// The message that a step sends, or equals.
    private func message() throws(ScenarioError) -> (MessageKind, Template) {
        let opcode = try text(.opcode)
        guard [nil, "text", "binary"].contains(opcode) else {
            throw error("'opcode' is not \"text\" or \"binary\"", at: values[.opcode])
        }
        if values[.base64] != nil {
            guard values[.data] == nil else {
                throw error("'data' and 'base64' exclude each other", at: values[.base64])
            }
            return (opcode == "text" ? .text : .binary, Template(literal: try decodedBase64()))
        }
        guard let data = try text(.data) else {
            throw error("the message has neither 'data' nor 'base64'", at: values[.type])
        }
        do throws(TemplateError) {
            let template = try Template(data, variables: options.variables, environment: options.environment)
            return (opcode == "binary" ? .binary : .text, template)
        } catch {
            throw self.error("'data': \(error)", at: values[.data])
        }
    }

    private func decodedBase64() throws(ScenarioError) -> [UInt8] {
        let text = Array((try text(.base64) ?? "").utf8)
        var decoded = ByteBuffer()
        do throws(EncodedTextError) {
            try Base64.appendDecoded(text.span.bytes, to: &decoded)
        } catch {
            throw self.error("'base64' is not Base64", at: values[.base64])
        }
        return decoded.withReadableBytes { span in span.withUnsafeBytes { Array($0) } }
    }

    private func matcher() throws(ScenarioError) -> Matcher {
        guard let match = values[.match] else {
            return Matcher(equalTo: try message().1, ignoring: options.ignoredPointers)
        }
        do throws(MatcherError) {
            return try Matcher(
                parsing: line.span.bytes.extracting(match.range), variables: options.variables,
                environment: options.environment)
        } catch {
            throw self.error("'match': \(error)", atByte: match.range.lowerBound + error.byteOffset)
        }
    }

    private mutating func extractions() throws(ScenarioError) -> [Extraction] {
        guard let set = values[.set] else { return [] }
        let object = Array(line[set.range])
        let members: [(name: JSONToken, value: JSONToken)]?
        do throws(JSONError) {
            members = try JSONReader.members(of: object.span.bytes)
        } catch {
            throw self.error("'set' is not JSON", at: set)
        }
        guard let members else { throw error("'set' is not an object, such as {\"sid\":\"/session\"}", at: set) }
        var extractions: [Extraction] = []
        for (name, value) in members {
            let place = set.range.lowerBound + name.range.lowerBound
            guard value.kind == .string else { throw error("the location is not a string", atByte: place) }
            let path = try path(JSONString.decoded(object.span.bytes.extracting(value.range)), atByte: place)
            let variable = JSONString.decoded(object.span.bytes.extracting(name.range))
            do throws(VariableNameError) {
                extractions.append(Extraction(slot: try options.variables.add(variable), path: path))
            } catch {
                throw self.error("\(error)", atByte: place)
            }
        }
        return extractions
    }

    private func path(_ text: String, atByte offset: Int) throws(ScenarioError) -> JSONPath {
        do throws(JSONQueryError) {
            return try JSONPath(text)
        } catch {
            throw self.error("\(error)", atByte: offset)
        }
    }

    private mutating func readControl(isPing: Bool) throws(ScenarioError) {
        let isReceived = try isReceived()
        if isReceived { return try append(isPing ? .receivePing : .receivePong) }
        var payload: [UInt8] = []
        if values[.base64] != nil {
            payload = try decodedBase64()
        } else {
            payload = Array((try text(.data) ?? "").utf8)
        }
        guard payload.count <= FrameHeader.maximumControlPayloadBytes else {
            throw error("a ping or pong has at most \(FrameHeader.maximumControlPayloadBytes) bytes", at: values[.type])
        }
        try append(isPing ? .sendPing(payload) : .sendPong(payload))
    }

    private mutating func readClose() throws(ScenarioError) {
        let code = try number(.code, in: 1000...4999).map { CloseCode(rawValue: UInt16($0)) }
        if try isReceived() { return try append(.receiveClose(code)) }
        let reason = try text(.reason) ?? ""
        guard reason.utf8.count <= CloseFrame.maximumReasonBytes else {
            throw error("'reason' has more than \(CloseFrame.maximumReasonBytes) bytes", at: values[.reason])
        }
        guard let code, code.mayTravel else { return try append(.close(CloseFrame(code: nil))) }
        try append(.close(CloseFrame(code: code, reason: reason)))
    }

    // MARK: Errors

    private func error(_ reason: String, at token: JSONToken? = nil) -> ScenarioError {
        error(reason, atByte: token?.range.lowerBound ?? 0)
    }

    private func error(_ reason: String, atByte offset: Int) -> ScenarioError {
        let before = String(decoding: line.prefix(offset), as: UTF8.self)
        return ScenarioError(line: lineNumber, column: before.count + 1, reason: reason)
    }

    private static func shown(_ text: String) -> String {
        "'\(escapingControls(String(text.prefix(longestShown))))'"
    }
}
