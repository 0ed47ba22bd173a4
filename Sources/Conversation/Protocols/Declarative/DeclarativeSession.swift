import Formats
import WSCore

/// A session of a ``DeclarativeProtocol``.
final class DeclarativeSession: ProtocolSession {
    /// A sent message to send again after a reconnect.
    private struct Renewal {
        let line: [UInt8]
        /// The key of its reply on this connection, or `nil` if it has none.
        var key: String?
        /// Whether the caller waits for the reply, and sends the line again after a reconnect.
        var isAwaited: Bool
        var isAnswered = false
    }

    /// The possible intervals of heartbeats.
    static let intervals = Duration.milliseconds(100)...Duration.seconds(86_400)
    /// The maximum size of the lines to send again, in bytes.
    static let maximumRenewalBytes = 1 << 20

    private let definition: DeclarativeProtocol
    private let clockOffset: UInt64
    private let exchange: AutoReply
    private var connection: UInt64
    /// The number of typed lines and heartbeats that have been sent.
    private var sequence: UInt64 = 0
    private var random: SeededRandom
    private let patterns: DeclarativeProtocol.Patterns<Pattern>
    private let heartbeatAnswer: Pattern?
    private var parameters: ProtocolParameters
    private var renewals: [Renewal] = []
    private var interval: Duration?
    private var isHeartbeatUnanswered = false
    private(set) var deadline: UInt64?

    init(_ definition: DeclarativeProtocol, _ parameters: ProtocolParameters) {
        self.definition = definition
        clockOffset = parameters.clockOffset
        connection = parameters.connection
        random = SeededRandom(seed: parameters.seed)
        var plan = definition.plan
        let missing = definition.parameters.filter { parameters[$0] == nil }.compactMap(plan.variables.slot)
        plan.firstMessages.removeAll { $0.uses(variables: missing) }
        plan.answers.removeAll { $0.answer.uses(variables: missing) }
        exchange = AutoReply(.init(plan), seed: random.next())
        patterns = definition.patterns.map(Self.compile)
        heartbeatAnswer = definition.heartbeat?.answer.flatMap(Self.compile)
        self.parameters = parameters
        setParameters()
        let null = Array("null".utf8)
        guard let token = JSONText.token(of: null) else { return }
        for extraction in definition.plan.extractions {
            exchange.variables.set(extraction.slot, to: token, of: null.span.bytes)
        }
    }

    private func setParameters() {
        for name in definition.parameters {
            guard let slot = definition.plan.variables.slot(of: name), let value = parameters[name] else { continue }
            exchange.variables.set(slot, to: Array(value.utf8).span.bytes)
        }
    }

    func takeLogin(of session: any ProtocolSession) {
        guard let session = session as? DeclarativeSession else { return }
        parameters = session.parameters
        setParameters()
    }

    /// Compiles a regular expression that the reader has checked.
    private static func compile(_ source: String) -> Pattern? { try? Pattern(source) }

    var unconfirmedCount: Int { renewals.count { $0.key != nil && !$0.isAnswered } }

    func connectionOpened(subprotocol: String?, at now: UInt64, _ output: inout ProtocolOutput) {
        renewals.removeAll { $0.isAwaited }
        isHeartbeatUnanswered = false
        deadline = nil
        interval = nil
        exchange.begin(connection: connection)
        if case .fixed(let duration) = definition.heartbeat?.interval { beat(every: duration, at: now) }
        var sent: [[UInt8]] = []
        do throws(TemplateValueError) {
            try exchange.sendFirstMessages(at: time(now)) { sent.append($0.bytes) }
        } catch {
            output.append(.failure("a first message cannot be sent: \(error)", isAboutLogin: false))
        }
        for message in sent { output.send(message) }
        if exchange.isReady { becomeReady(at: now, &output) }
    }

    private func becomeReady(at now: UInt64, _ output: inout ProtocolOutput) {
        for index in renewals.indices {
            guard let message = framed(renewals[index].line, at: now) else { continue }
            output.send(message)
            output.append(.renewed(String(decoding: renewals[index].line, as: UTF8.self)))
            renewals[index].key = requestKey(of: message)
            renewals[index].isAnswered = false
        }
        output.append(.ready)
    }

    /// The time in milliseconds since 1970.
    private func time(_ now: UInt64) -> UInt64 { (now &+ clockOffset) / 1_000_000 }

    // MARK: Heartbeats

    private func beat(every interval: Duration, at now: UInt64) {
        guard self.interval != interval else { return }
        self.interval = interval
        deadline = now.addingReportingOverflow(interval.nanoseconds).partialValue
    }

    func timePassed(at now: UInt64, _ output: inout ProtocolOutput) {
        guard let deadline, deadline <= now, let interval, let heartbeat = definition.heartbeat else { return }
        guard !isHeartbeatUnanswered else {
            self.deadline = nil
            return output.append(
                .disconnect("the server did not answer the heartbeat for \(Phrase.duration(interval))"))
        }
        isHeartbeatUnanswered = heartbeatAnswer != nil
        self.deadline = now.addingReportingOverflow(interval.nanoseconds).partialValue
        var message = ByteBuffer()
        do throws(TemplateValueError) {
            try heartbeat.text.write(to: &message, stamp: nextStamp(at: now), variables: exchange.variables)
        } catch {
            return output.append(.disconnect("the heartbeat cannot be sent: \(error)"))
        }
        output.send(message.bytes)
    }

    private func nextStamp(at now: UInt64) -> Template.Stamp {
        sequence += 1
        return Template.Stamp(sequence: sequence, connection: connection, time: time(now), seed: random.next())
    }

    // MARK: Receiving

    func received(_ payload: RawSpan, as kind: MessageKind, at now: UInt64, _ output: inout ProtocolOutput) {
        if patterns.failure?.matches(payload) == true {
            let words = String(decoding: payload.bytes, as: UTF8.self)
            return output.append(.failure("the server refused the connection: \(quoted(words))"))
        }
        let isText = kind == .text || UTF8Validator.isValid(payload)
        if isText { takeInterval(from: payload, at: now) }
        let isAnswer = heartbeatAnswer?.matches(payload) == true
        if isAnswer { isHeartbeatUnanswered = false }
        let finding = exchange(payload, at: now, &output)
        var event = isText ? event(for: payload) : ProtocolEvent(.event(), payload: payload.bytes, isText: false)
        if isAnswer || finding == .ready || finding == .opening || patterns.hidden?.matches(payload) == true {
            event.role = .hidden
        }
        output.append(event)
        if finding == .ready { becomeReady(at: now, &output) }
    }

    /// Answers a message, and finds out whether it belongs to the opening.
    private func exchange(
        _ payload: RawSpan, at now: UInt64, _ output: inout ProtocolOutput
    ) -> AutoReply.Finding {
        let wasReady = exchange.isReady
        var sent: [[UInt8]] = []
        var finding = AutoReply.Finding.none
        exchange.beginReceiving()
        do throws(TemplateValueError) {
            finding = try exchange.receive(payload, at: time(now)) { sent.append($0.bytes) }
        } catch {
            let reason = "the message cannot be answered: \(error)"
            output.append(wasReady ? .unknown(reason: reason) : .failure(reason, isAboutLogin: false))
        }
        for message in sent { output.send(message) }
        return finding == .answered && !wasReady ? .opening : finding
    }

    /// Sets the interval of heartbeats.
    private func takeInterval(from payload: RawSpan, at now: UInt64) {
        guard case .received(let path) = definition.heartbeat?.interval, let value = path.value(in: payload),
            value.kind == .number,
            let milliseconds = Int(String(decoding: payload.extracting(value.range).bytes, as: UTF8.self)),
            1...86_400_000 ~= milliseconds
        else { return }
        beat(every: max(.milliseconds(milliseconds), Self.intervals.lowerBound), at: now)
    }

    private static func isNull(_ value: JSONToken, _ text: RawSpan) -> Bool {
        value.kind == .literal && text.extracting(value.range).bytes == Array("null".utf8)
    }

    private func event(for payload: RawSpan) -> ProtocolEvent {
        var event = ProtocolEvent(.event())
        if let value = definition.event?.value(in: payload), value.kind == .string || value.kind == .number {
            event.name = JSONText.text(JSONText.compact(value, of: payload))
        }
        let isError = definition.id != nil && patterns.error?.matches(payload) == true
        if let id = replyID(in: payload, isError: isError), patterns.reply?.matches(payload) != false {
            let key = JSONText.key(of: id)
            event.id = JSONText.text(id)
            event.role = .reply(key, isError: isError)
            if let index = renewals.firstIndex(where: { $0.key == key && !$0.isAnswered }) {
                renewals[index].isAnswered = true
                renewals[index].isAwaited = false
                // The next connection would refuse it, too.
                if isError { renewals.remove(at: index) }
                event.isRefusal = isError
            }
        }
        var unwrapped = ByteBuffer()
        let isUnwrapped = definition.unwrap.contains { $0.appendValue(of: payload, to: &unwrapped) == true }
        event.payload = isUnwrapped ? unwrapped.bytes : JSONText.compact(payload.bytes) ?? payload.bytes
        return event
    }

    // MARK: Sending

    func send(
        _ line: RawSpan, wantsReply: Bool, at now: UInt64, _ output: inout ProtocolOutput
    ) throws(ProtocolInputError) -> ProtocolEvent.ReplyKey? {
        let line = line.bytes
        guard let message = framed(line, at: now) else {
            throw ProtocolInputError("the prefix or the suffix inserts a value that does not exist yet")
        }
        let key = requestKey(of: message)
        if patterns.renew?.matches(message.span.bytes) == true {
            renewals.removeAll { $0.line == line }
            guard renewals.reduce(line.count, { $0 + $1.line.count + 64 }) <= Self.maximumRenewalBytes else {
                throw ProtocolInputError("more than 1 MiB of lines would have to be sent again after a reconnect")
            }
            renewals.append(Renewal(line: line, key: key, isAwaited: wantsReply && key != nil))
        }
        output.send(message)
        return key
    }

    /// The key of a message that is being sent, or `nil` if it has no id.
    private func requestKey(of message: [UInt8]) -> String? {
        guard let id = definition.id?.value(in: message.span.bytes), !Self.isNull(id, message.span.bytes) else {
            return nil
        }
        return JSONText.key(of: JSONText.compact(id, of: message.span.bytes))
    }

    /// The id in a received message, or `nil` if it has none.
    private func replyID(in payload: RawSpan, isError: Bool) -> [UInt8]? {
        let paths = definition.replyIDs
        for index in paths.indices {
            let path = isError ? paths[paths.count - 1 - index] : paths[index]
            guard let id = path.value(in: payload), !Self.isNull(id, payload) else { continue }
            return JSONText.compact(id, of: payload)
        }
        return nil
    }

    /// A line with its prefix and suffix, or `nil` if they lack a value.
    private func framed(_ line: [UInt8], at now: UInt64) -> [UInt8]? {
        var message = ByteBuffer()
        let stamp = nextStamp(at: now)
        do throws(TemplateValueError) {
            try definition.prefix.write(to: &message, stamp: stamp, variables: exchange.variables)
            message.append(line.span.bytes)
            try definition.suffix.write(to: &message, stamp: stamp, variables: exchange.variables)
        } catch {
            return nil
        }
        return message.bytes
    }
}
