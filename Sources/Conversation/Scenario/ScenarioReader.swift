import Formats
import WSCore

extension Scenario {
    /// Reads a scenario.
    /// - Parameter contents: The contents of the file. It may begin with a byte order mark.
    /// - Throws: ``ScenarioError``.
    package init(_ contents: RawSpan, _ options: ScenarioOptions) throws(ScenarioError) {
        var reader = ScenarioReader(options)
        let bytes = contents.withUnsafeBytes { Array($0) }
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var start = bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0
        var lineNumber = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            lineNumber += 1
            try reader.read(bytes[start..<end], line: lineNumber)
            start = end + 1
        }
        reader.finish()
        try self.init(reader, lineCount: max(1, lineNumber))
    }

    private init(_ reader: ScenarioReader, lineCount: Int) throws(ScenarioError) {
        if let connection = reader.options.connection, !reader.connections.contains(connection) {
            throw ScenarioError(
                line: lineCount, column: 1,
                "the file has no connection \(connection); it has \(Self.list(of: reader.connections))")
        }
        guard !reader.steps.isEmpty else {
            throw ScenarioError(
                line: lineCount, column: 1, "the file has no steps; record a session with --record FILE")
        }
        steps = reader.steps
        hasRepetition = reader.repetition != nil
        repeatStart = reader.repetition?.start ?? 0
        playsPeer = reader.options.playsPeer
        variables = reader.options.variables
        usesLastMessage = steps.contains { $0.action.usesLastMessage }
        otherConnectionLine = reader.otherConnectionLine
        subprotocol = reader.subprotocol
        guard let repetition = reader.repetition else { return }
        guard repetition.start < steps.count else {
            throw ScenarioError(
                line: repetition.line, column: 1, "no step follows 'repeat'; add one, or delete it")
        }
        // A server would send forever, as fast as the client reads.
        guard !playsPeer || steps[repetition.start...].contains(where: \.action.waits) else {
            throw ScenarioError(
                line: repetition.line, column: 1,
                "the steps after 'repeat' wait neither for the client nor for a time; add a pause")
        }
    }
}

extension Scenario {
    /// Numbers of connections in words: `1`, `1 and 3`, or `1, 3, and 12 more up to 20`.
    fileprivate static func list(of numbers: Set<Int>) -> String {
        let sorted = numbers.sorted()
        let shown = sorted.prefix(8).map { "\($0)" }
        guard let last = sorted.last else { return "none" }
        let rest = sorted.count - shown.count
        if rest > 0 { return shown.joined(separator: ", ") + ", and \(rest) more up to \(last)" }
        return shown.count < 3
            ? shown.joined(separator: " and ") : shown.dropLast().joined(separator: ", ") + ", and \(last)"
    }
}

/// Reads the lines of a scenario.
///
/// Of a recording, it leaves out what belongs to no conversation or would happen by itself: the received pings and
/// pongs, and all connections but one.
private struct ScenarioReader {
    var options: ScenarioOptions
    private(set) var steps: [Scenario.Step] = []
    /// The step and the line with which the repetition begins.
    private(set) var repetition: (start: Int, line: Int)?
    /// The first line of another connection.
    private(set) var otherConnectionLine: Int?
    /// The subprotocol of the recorded connection.
    private(set) var subprotocol: String?
    /// The numbers of all connections: those of clients, or else counted from 1.
    private(set) var connections: Set<Int> = []
    /// The only client of a server's recording.
    private var client: Int?
    /// A recorded close frame. In the recording, it may precede replies that take longer this time.
    private var recordedClose: Scenario.Step?
    /// The number of pings that the client has sent without a step for the pong.
    private var pingCount = 0
    /// Whether the client has received a message in an earlier step.
    private var hasReceivedMessage = false
    private var line = ScenarioLine()
    /// Decodes expected messages, or `nil` to leave them unchanged.
    private let decoder: RecordedMessageDecoder?

    init(_ options: ScenarioOptions) {
        self.options = options
        decoder =
            options.decoders.isEmpty
            ? nil : RecordedMessageDecoder(options.decoders, limitBytes: options.decodedLimitBytes)
    }

    mutating func read(_ bytes: ArraySlice<UInt8>, line number: Int) throws(ScenarioError) {
        guard bytes.contains(where: { !$0.isBlank }) else { return }
        guard let line = try ScenarioLine(Array(bytes), number: number) else { return }
        self.line = line
        guard try isOfChosenConnection() else {
            let isEarlier = options.connection.map { connections.count < $0 } ?? false
            if otherConnectionLine == nil, !isEarlier { otherConnectionLine = number }
            return
        }
        switch line.kind {
        case .open: if subprotocol == nil { subprotocol = try line.text(.subprotocol) }
        case .recording, .listening, .http, .error: break
        case .anyOrder: try readGroup()
        case .repetition:
            guard repetition == nil else { throw line.error("'repeat' occurs twice; keep one", in: .type) }
            repetition = (steps.count, number)
        case .pause: try append(.pause(try pause()))
        case .message: try readMessage()
        case .ping, .pong: try readControl()
        case .close: try readClose()
        }
    }

    /// Ends the last connection.
    mutating func finish() {
        if let recordedClose { steps.append(recordedClose) }
        recordedClose = nil
    }

    /// Whether the line belongs to the first connection of the recording, or to the one that was chosen.
    private mutating func isOfChosenConnection() throws(ScenarioError) -> Bool {
        let number = try line.integer(.client, in: 1...Int.max)
        if let number {
            connections.insert(number)
        } else if line.kind == .open || (line.kind.isPlayed && connections.isEmpty) {
            connections.insert(connections.count + 1)
        }
        if let chosen = options.connection {
            if let number, number != chosen { return false }
            if number == nil, client == nil, connections.count < chosen { return false }
        }
        switch line.kind {
        case .recording, .open:
            // A client's recording has one `open` event per connection. In a server's, each client is a connection.
            let isFurther = number == nil && (!steps.isEmpty || recordedClose != nil)
            return otherConnectionLine == nil && !isFurther
        case .listening, .http, .error: return true
        default:
            guard let number else { return otherConnectionLine == nil || client != nil }
            if client == nil { client = number }
            return client == number
        }
    }

    // MARK: Steps

    private mutating func append(_ action: Scenario.Step.Action) throws(ScenarioError) {
        let timeout = try line.text(.timeout)
        var step = Scenario.Step(
            action: action, name: try line.text(.name),
            timeout: try timeout.map { (text) throws(ScenarioError) in try duration(text, of: .timeout) },
            line: line.number)
        let isOptional = try line.flag(.optional)
        if case .receive = action { step.isOptional = isOptional }
        if step.name == "" { throw line.error("'name' is empty; write a name, or delete it", in: .name) }
        if step.timeout == .zero {
            throw line.error("'timeout' is zero, but the step waits for the peer; write 1s, for example", in: .timeout)
        }
        if action.endsConnection, line.isOutgoing, line.isRecorded {
            // A missing answer to the close frame is recorded as a second close.
            if recordedClose == nil { recordedClose = step }
            return
        }
        if recordedClose != nil, line.kind != .message || line.isOutgoing { finish() }
        guard action.endsConnection || !(steps.last?.action.endsConnection ?? false) else {
            guard line.isRecorded else {
                throw line.error("no step can follow 'close'; delete one of them", in: .type)
            }
            // A message that waits for the next connection.
            if otherConnectionLine == nil { otherConnectionLine = line.number }
            return
        }
        steps.append(step)
    }

    private func duration(_ text: String, of member: ScenarioLine.Member) throws(ScenarioError) -> Duration {
        guard let duration = options.parseDuration(text) else {
            throw line.error("'\(member.rawValue)' is not a duration such as 500ms or 2s", in: member)
        }
        return duration
    }

    private func pause() throws(ScenarioError) -> ClosedRange<Duration> {
        guard let text = try line.text(.pause) else {
            throw line.error("the pause has no length; add \"for\":\"1s\" or \"for\":\"1s-3s\"", in: .type)
        }
        guard let range = options.parseRange(text) else {
            throw line.error(
                "'for' is neither a duration such as 500ms nor an ascending range such as 1s-3s", in: .pause)
        }
        return range
    }

    // MARK: Messages

    /// Reads the steps of `anyOrder`. Only steps that wait have any order; the others send in the given one.
    private mutating func readGroup() throws(ScenarioError) {
        let outer = line
        defer { line = outer }
        guard let lines = try outer.lines(in: .steps), let first = lines.first else {
            throw outer.error(#"'anyOrder' has no steps; add "steps":[...] with messages"#, in: .steps)
        }
        var timeout: Duration?
        if let text = try outer.text(.timeout) { timeout = try duration(text, of: .timeout) }
        let start = steps.count
        for inner in lines {
            line = inner
            guard inner.kind == .message else {
                throw inner.error("only messages may have any order; move the step out of 'anyOrder'", in: .type)
            }
            guard inner.isOutgoing == first.isOutgoing else {
                throw inner.error("all steps of 'anyOrder' need the same direction", in: .direction)
            }
            guard !inner.has(.replyEnd) else {
                throw inner.error("a reply of several messages must not be in 'anyOrder'; move the step", in: .replyEnd)
            }
            try readMessage()
        }
        guard steps.count > start, case .receive = steps[start].action else { return }
        for index in start..<steps.count {
            steps[index].group = start..<steps.count
            if steps[index].timeout == nil { steps[index].timeout = timeout }
        }
    }

    private mutating func readMessage() throws(ScenarioError) {
        defer { if !line.isOutgoing { hasReceivedMessage = true } }
        guard line.isOutgoing == options.playsPeer else {
            if options.playsPeer { try checkExpectation() } else { _ = try matcher(in: .match) }
            // The client can do without the message.
            if options.playsPeer, try line.flag(.optional), !line.has(.data), !line.has(.base64) { return }
            // Nobody has got it.
            if line.isDropped { return }
            let (kind, template) = try message()
            return try append(
                .send(Scenario.Message(kind: kind, template: template, extractions: try extractions())))
        }
        let (match, expected, replyEnd) = try matchers()
        func expect(_ kind: MessageKind?, _ matcher: Matcher?) throws(ScenarioError) {
            try append(
                .receive(
                    Scenario.Expectation(
                        kind: kind, matcher: matcher, expected: expected, replyEnd: replyEnd,
                        extractions: try extractions(), isStrict: try line.flag(.strict) || options.playsPeer)))
        }
        if match != nil || replyEnd != nil { return try expect(try opcode(), match) }
        let (kind, texts) = try expectedMessages()
        for text in texts { try expect(kind, Matcher(equalTo: text, ignoring: options.ignoredPointers)) }
    }

    /// Checks the members that only the client needs.
    private func checkExpectation() throws(ScenarioError) {
        _ = try matchers()
        _ = try line.flag(.strict)
    }

    /// The matchers that select the message and check it.
    private func matchers() throws(ScenarioError) -> (match: Matcher?, expected: Matcher?, replyEnd: Matcher?) {
        let (match, expected) = (try matcher(in: .match), try matcher(in: .expect))
        let replyEnd = try matcher(in: .replyEnd)
        guard match != nil || replyEnd != nil || expected == nil else {
            throw line.error("'expect' checks the message that 'match' selects; add 'match'", in: .expect)
        }
        return (match, expected, replyEnd)
    }

    private func opcode() throws(ScenarioError) -> MessageKind? {
        switch try line.text(.opcode) {
        case nil: return nil
        case "text": return .text
        case "binary": return .binary
        case let word?:
            let place = line.source(of: .opcode)?.offset ?? 0
            throw line.error(.unknown("opcode", word, known: ["text", "binary"]), atByte: place)
        }
    }

    /// The messages that a step expects: one, or the records of a recorded one.
    private func expectedMessages() throws(ScenarioError) -> (kind: MessageKind?, texts: [Template]) {
        let message = try message()
        guard let decoder else { return (message.kind, [message.text]) }
        // The opcode is that of the message as received. Its decoded form may be text either way.
        let kind = try opcode() ?? (line.has(.base64) ? .binary : nil)
        guard line.isRecorded || line.has(.base64), !line.has(.decoded), let payload = try line.payload() else {
            return (kind, [message.text])
        }
        return (kind, decoder.decode(payload, as: message.kind).map { Template(literal: $0.payload) })
    }

    /// The message that a step sends, or equals.
    private func message() throws(ScenarioError) -> (kind: MessageKind, text: Template) {
        var kind = try opcode() ?? (line.has(.base64) ? .binary : .text)
        // The opcode is that of the message before it was decoded.
        if line.has(.decoded) { kind = line.has(.base64) ? .binary : .text }
        guard let payload = try line.payload() else {
            guard line.has(.match) else { throw line.error("the message has neither 'data' nor 'base64'", in: .type) }
            throw line.error("the message to send is unknown; add 'data' to 'match'", in: .match)
        }
        guard line.has(.data), !line.isRecorded else {
            guard kind == .binary || UTF8Validator.isValid(payload.span.bytes) else {
                throw line.error("'base64' is not UTF-8, which a text message must be", in: .base64)
            }
            return (kind, Template(literal: payload))
        }
        let template: Template
        do throws(TemplateError) {
            let text = String(decoding: payload, as: UTF8.self)
            template = try Template(text, variables: names, environment: options.environment)
        } catch {
            throw line.error(
                .template(error, member: "data"), atByte: line.offset(of: .data, atDecodedByte: error.byteOffset))
        }
        return (kind, template)
    }

    /// The names of the variables. There is a last message only after a step that receives one.
    private var names: VariableNames {
        var names = options.variables
        names.includesLastMessage = hasReceivedMessage
        return names
    }

    private func matcher(in member: ScenarioLine.Member) throws(ScenarioError) -> Matcher? {
        guard let (offset, match) = line.source(of: member) else { return nil }
        do throws(MatcherError) {
            return try Matcher(parsing: match.span.bytes, variables: names, environment: options.environment)
        } catch {
            let place = offset + error.byteOffset
            if case .template(let error) = error.reason {
                throw line.error(.template(error, member: member.rawValue), atByte: place)
            }
            throw line.error(.other("'\(member.rawValue)': \(error)"), atByte: place)
        }
    }

    private mutating func extractions() throws(ScenarioError) -> [Extraction] {
        guard let (offset, object) = line.source(of: .set) else { return [] }
        let members: [(name: JSONToken, value: JSONToken)]?
        do throws(JSONError) {
            members = try JSONReader.members(of: object.span.bytes)
        } catch {
            throw line.error("'set' is not JSON", in: .set)
        }
        guard let members else {
            throw line.error("'set' is not an object, such as {\"sid\":\"/session\"}", in: .set)
        }
        var extractions: [Extraction] = []
        var variables: Set<ExactString> = []
        for (name, value) in members {
            let place = offset + value.range.lowerBound
            guard value.kind == .string else {
                throw line.error(.other("'set': \(MatcherError.pointerRemedy)"), atByte: place)
            }
            let path = try path(JSONString.decoded(object.span.bytes.extracting(value.range)), atByte: place)
            let variable = JSONString.decoded(object.span.bytes.extracting(name.range))
            guard variables.insert(ExactString(variable)).inserted else {
                throw line.error(
                    .other("'set': \(MatcherError.duplicateWords(variable))"), atByte: offset + name.range.lowerBound)
            }
            do throws(VariableNameError) {
                extractions.append(Extraction(slot: try options.variables.add(variable), path: path))
            } catch {
                throw line.error(.other("'set': \(error)"), atByte: offset + name.range.lowerBound)
            }
        }
        return extractions
    }

    private func path(_ text: String, atByte offset: Int) throws(ScenarioError) -> JSONPath {
        do throws(MatcherError) {
            return try Matcher.path(text, atByte: offset)
        } catch {
            throw line.error(.other("'set': \(error)"), atByte: error.byteOffset)
        }
    }

    // MARK: Frames

    private mutating func readControl() throws(ScenarioError) {
        let isPing = line.kind == .ping
        // Most of them are automatic: answers to heartbeats, and the peer's own heartbeats.
        if line.isRecorded, !line.isOutgoing { return }
        let payload = try line.payload() ?? []
        guard payload.count <= FrameHeader.maximumControlPayloadBytes else {
            throw line.error(
                "a ping or pong has at most \(FrameHeader.maximumControlPayloadBytes) bytes",
                in: line.has(.data) ? .data : .base64)
        }
        guard options.playsPeer else {
            if line.isOutgoing { return try append(isPing ? .sendPing(payload) : .sendPong(payload)) }
            return try append(isPing ? .receivePing : .receivePong)
        }
        if line.isOutgoing {
            if isPing { pingCount += 1 }
            return try append(isPing ? .receivePing : .receivePong)
        }
        if !isPing, pingCount > 0 {
            // The pong that answers a ping is sent without a step.
            pingCount -= 1
            return
        }
        try append(isPing ? .sendPing(payload) : .sendPong(payload))
    }

    private mutating func readClose() throws(ScenarioError) {
        let code = try line.integer(.code, in: 1000...4999).map { CloseCode(rawValue: UInt16($0)) }
        let reason = try line.text(.reason) ?? ""
        guard reason.utf8.count <= CloseFrame.maximumReasonBytes else {
            throw line.error("'reason' has more than \(CloseFrame.maximumReasonBytes) bytes", in: .reason)
        }
        guard line.isOutgoing != options.playsPeer else { return try append(.receiveClose(code)) }
        guard let code, code != .noStatus else { return try append(.close(CloseFrame(code: nil))) }
        guard code.mayTravel || code == .abnormalClosure else {
            throw line.error("no close frame can contain \(code.rawValue); 1006 drops the connection", in: .code)
        }
        try append(code.mayTravel ? .close(CloseFrame(code: code, reason: reason)) : .drop)
    }
}

extension Scenario.Step.Action {
    /// Whether the step inserts values of the last message.
    fileprivate var usesLastMessage: Bool {
        switch self {
        case .send(let message): message.template.usesLastMessage
        case .receive(let expectation):
            [expectation.matcher, expectation.expected, expectation.replyEnd].contains { $0?.usesLastMessage == true }
        case .sendPing, .sendPong, .receivePing, .receivePong, .close, .drop, .receiveClose, .pause: false
        }
    }
}
