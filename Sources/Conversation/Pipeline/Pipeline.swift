import Formats
import WSCore

/// The path between a connection and a command, without I/O or a clock: codecs, then an application protocol or automatic
/// answers.
///
///     received ─► decoders ─► protocol ─────────────► event ─┐
///                    │           └─► answers ─► deliver      ├─► next
///                    └─ programs: decode ─► answered, nextDecoded ─► pass
///     submit ───► protocol, or encoder ───────────► send ────┘
///
/// The span of a received message cannot be stored, so it is delivered by a call. Everything else is an ``Effect`` in a
/// queue, in the order of sending. An input that arrives while effects are executed adds its effects behind them.
///
/// Times are those of a monotonic clock, in nanoseconds.
package final class Pipeline {
    /// The part that a delivered message plays.
    package enum Role {
        /// The command handles it.
        case message
        /// It belongs to the login.
        case login
        /// A rule has answered it.
        case answered
        /// It counts nowhere: a dropped message, or one without a record.
        case hidden
    }

    /// Handles a message, or a record of it, that is not the application protocol's: its kind, both after decoding, the part
    /// that it plays, and how it was decoded, or `nil` if it is as received. It may call the pipeline.
    package typealias Delivery = (RawSpan, MessageKind, Role, Decoding?) -> Void

    /// Records a message: as it is passed on, or as received if it is dropped.
    package typealias Arrival = (RawSpan, MessageEdit?) -> Void

    private let encoder: TextEncoder
    private var decoding: DecodingStage
    private var protocolStage: ProtocolStage?
    private let answers: AutoReply?
    private let readinessTimeout: Duration?
    /// Changes and drops messages, or `nil` if none are.
    package var editor: MessageEditor?
    /// Keeps messages until a user lets them pass, or `nil` if all pass.
    package var held: HeldMessages? {
        didSet { held?.pipeline = self }
    }
    /// The offset from the clock of the calls to the time since 1970, in nanoseconds. It changes when the machine sleeps, or
    /// its clock is set.
    package var clockOffset: UInt64
    private var effects = EffectQueue()
    private var decoded = MessageRecords()
    /// Until when the message that `--ready` asks for has to arrive, or `nil` if it has arrived, or at any time.
    private var loginDeadline: UInt64?
    /// When the next heartbeat is due, or `nil` if none is.
    private var heartbeatTime: UInt64?
    /// Why the last message was not decoded, or `nil` if it was, or needed not.
    package private(set) var undecodable: String?
    /// Whether there is an application protocol, detected or not.
    package let hasProtocol: Bool
    /// Whether the last connection ended before the message that `--ready` asks for.
    package private(set) var endedBeforeReady = false

    /// Prepares the pipeline of a connection, or of several in a row.
    /// - Parameters:
    ///   - application: The application protocol, or `nil` if there is none.
    ///   - answers: The first messages and answers, or `nil` if there are none. Not together with an application protocol.
    ///   - readinessTimeout: The time limit of a login, or `nil` if the caller limits it.
    ///   - unfinished: Counts what decoding keeps on the connections of a server, or `nil` if nothing is counted.
    ///   - clockOffset: The offset from the clock of the calls to the time since 1970, in nanoseconds.
    package init(
        _ codecs: MessageCodecs = MessageCodecs(), application: Application? = nil,
        answers: AutoReply? = nil, readinessTimeout: Duration? = nil, sharing unfinished: UnfinishedMessages? = nil,
        clockOffset: UInt64
    ) {
        encoder = TextEncoder(codecs.encoders)
        decoding = DecodingStage(codecs, sharing: unfinished)
        protocolStage = application.map { ProtocolStage($0, readinessTimeout: readinessTimeout) }
        hasProtocol = application != nil
        self.answers = answers
        self.readinessTimeout = readinessTimeout
        self.clockOffset = clockOffset
    }

    /// Whether lines may be submitted: the server has confirmed the login, if there is one.
    package var isReady: Bool { protocolStage?.isReady ?? answers?.isReady ?? true }
    /// The number of automatic messages, with those of earlier connections if they count.
    package var automaticCount: UInt64 { answers?.sentCount ?? 0 }

    /// The meaning of a close code, or `nil` for codes that the protocol does not define.
    package func meaning(of code: CloseCode) -> String? { protocolStage?.session?.meaning(of: code) }

    // MARK: Inputs

    /// Logs in with the parameters of another session of the same protocol on the next connection.
    package func takeLogin(of session: any ProtocolSession) { protocolStage?.session?.takeLogin(of: session) }

    /// Begins a connection, before anything is received on it.
    /// - Parameters:
    ///   - number: The number of the connection, from 1.
    ///   - earlierCount: The number of messages that earlier connections with this number have sent automatically.
    ///   - url: The URL of the connection, to detect its protocol, or `nil` if it is known.
    ///   - subprotocol: The subprotocol that the server selected, or `nil` if it selected none.
    package func opened(
        _ number: UInt64, after earlierCount: UInt64 = 0, at url: WebSocketURL? = nil, subprotocol: String?, now: UInt64
    ) {
        decoding.connectionOpened()
        undecodable = nil
        protocolStage?.opened(url, subprotocol: subprotocol, at: now, &effects)
        answers?.begin(connection: number, sentCount: earlierCount)
        loginDeadline = if answers?.isReady == false { readinessTimeout.map { now + $0.nanoseconds } } else { nil }
        do throws(TemplateValueError) {
            try answers?.sendFirstMessages(at: wallTime(at: now)) { effects.append($0, .text, .greeting) }
        } catch {
            effects.append(.notGreeted(error))
        }
    }

    /// Handles the end of a connection.
    /// - Parameter reconnects: Whether another connection may follow.
    /// - Returns: Why the connection ended, if the protocol has more to say about it.
    package func ended(_ end: ConnectionEnd, reconnects: Bool) -> ProtocolProblem? {
        loginDeadline = nil
        heartbeatTime = nil
        endedBeforeReady = answers?.isReady == false
        return protocolStage?.ended(end, reconnects: reconnects)
    }

    /// Handles a received message.
    /// - Parameter arrived: Records the message, before anything else happens to it.
    /// - Returns: What is to be passed on, in a server.
    @discardableResult
    package func received(
        _ message: RawSpan, as kind: MessageKind, at now: UInt64, arrived: Arrival = { _, _ in }, deliver: Delivery
    ) -> RecordEdit {
        undecodable = nil
        guard decoding.decodes(kind) || isEdited else {
            arrived(message, nil)
            answers?.beginReceiving()
            guard decoding.waitingCount == 0 else {
                decoded.begin(message, isText: kind == .text)
                decoding.append(message, kind, nil, decoded)
                return .unchanged
            }
            return pass(message, as: kind, nil, at: now, deliver) ? .removed : .unchanged
        }
        // The receiver may cause further calls.
        var records = MessageRecords()
        swap(&records, &decoded)
        defer {
            records.releaseStorage(above: DecodingStage.keptBytes)
            swap(&records, &decoded)
        }
        guard case .known(let how) = decoding.decode(message, as: kind, into: &records, &effects) else {
            // Whether it is dropped or held is known later.
            if !isEdited { arrived(message, nil) }
            return .unchanged
        }
        guard decoding.waitingCount == 0 else {
            if !isEdited { arrived(message, nil) }
            decoding.append(message, kind, how, records)
            return .unchanged
        }
        return pass(message, as: kind, how, records, at: now, arrived, deliver)
    }

    /// Whether messages may change, or wait, before they are recorded.
    private var isEdited: Bool { editor != nil || held != nil }

    /// Handles a message that ``nextDecoded()`` has returned. The parameters are those of
    /// ``received(_:as:at:arrived:deliver:)``; only messages that may be edited or held have not been recorded.
    package func pass(
        _ message: WaitingMessage, at now: UInt64, arrived: Arrival = { _, _ in }, deliver: Delivery
    ) {
        var records = MessageRecords()
        for record in message.records {
            records.append(record.payload.span.bytes, isText: record.isText, piece: record.piece)
        }
        _ = pass(
            message.message.span.bytes, as: message.kind, message.decoding, records, isReversed: false, at: now,
            isEdited ? arrived : { _, _ in }, deliver)
    }

    /// Passes on a message that was held, or drops it. The parameters are those of ``received(_:as:at:arrived:deliver:)``.
    package func settle(
        _ message: HeldMessage, _ verdict: HeldMessages.Verdict, at now: UInt64, arrived: Arrival, deliver: Delivery
    ) -> RecordEdit {
        if case .replace(let bytes, let kind) = verdict {
            var records = MessageRecords()
            var how: Decoding?
            let outcome = decoding.decode(bytes.span.bytes, as: kind, into: &records, &effects)
            if case .known(let known) = outcome { how = known } else { records.begin(bytes.span.bytes, isText: false) }
            return finish(
                bytes.span.bytes, as: kind, how, records, [], .changed(bytes), .edited, at: now, arrived, deliver)
        }
        let records = message.makeRecords()
        let bytes = message.waiting.message.span.bytes
        guard case .release = verdict else {
            let edits = [RecordEdit](repeating: .removed, count: records.count)
            return finish(
                bytes, as: message.waiting.kind, message.waiting.decoding, records, edits, .removed, .dropped, at: now,
                arrived, deliver)
        }
        return finish(
            bytes, as: message.waiting.kind, message.waiting.decoding, records, message.edits, message.forwarding,
            MessageEdit(message.edits), isReversed: message.isReversible, at: now, arrived, deliver)
    }

    /// What takes the place of a held message.
    /// - Parameter payload: The new form of ``HeldMessage/shown``.
    /// - Throws: ``CodecError`` if it cannot be encoded.
    package func replacement(
        for message: HeldMessage, by payload: [UInt8], as kind: MessageKind
    ) throws(CodecError) -> HeldMessages.Verdict {
        guard message.isShownDecoded else { return .replace(payload, kind) }
        let edit = try decoding.assemble(
            message.waiting.message.span.bytes, as: message.waiting.kind, message.makeRecords(), [.changed(payload)],
            isReversed: true
        )
        guard case .changed(let bytes) = edit else { return .release }
        return .replace(bytes, message.waiting.kind)
    }

    /// Edits the records of a message, and passes each to the protocol or to the answers, unless it is held.
    private func pass(
        _ message: RawSpan, as kind: MessageKind, _ how: Decoding?, _ records: borrowing MessageRecords,
        isReversed: Bool = true, at now: UInt64, _ arrived: Arrival, _ deliver: Delivery
    ) -> RecordEdit {
        func assemble(_ edits: [RecordEdit]) throws(CodecError) -> RecordEdit {
            try decoding.assemble(message, as: kind, records, edits, isReversed: isReversed)
        }
        var edits: [RecordEdit] = []
        var forwarding = RecordEdit.unchanged
        if let editor {
            edits = editor.edits(of: records, in: message, isDecoded: how.map { $0.problem == nil } ?? false)
            do throws(CodecError) {
                forwarding = try assemble(edits)
            } catch {
                // What is dropped must not come back.
                edits = edits.map { $0 == .removed ? .removed : .unchanged }
                forwarding = (try? assemble(edits)) ?? .removed
                effects.append(.notEdited(error, became: forwarding))
            }
        }
        if let held, forwarding != .removed, let isBehind = held.holds(records, of: message, edits) {
            held.hold(
                HeldMessage(
                    message, as: kind, how, records, edits, forwarding,
                    isReversible: isReversed && decoding.isReversible), isBehind: isBehind)
            return .removed
        }
        return finish(
            message, as: kind, how, records, edits, forwarding, forwarding == .removed ? .dropped : MessageEdit(edits),
            isReversed: isReversed, at: now, arrived, deliver)
    }

    /// Passes each record of a message, whose edits are known, to the protocol or to the answers.
    private func finish(
        _ message: RawSpan, as kind: MessageKind, _ how: Decoding?, _ records: borrowing MessageRecords,
        _ edits: [RecordEdit], _ forwarding: RecordEdit, _ edit: MessageEdit?, isReversed: Bool = true, at now: UInt64,
        _ arrived: Arrival, _ deliver: Delivery
    ) -> RecordEdit {
        var edits = edits
        answers?.beginReceiving()
        switch forwarding {
        case .unchanged, .removed: arrived(message, edit)
        case .changed(let bytes): arrived(bytes.span.bytes, edit)
        }
        if records.count == 0 { deliver(message, kind, .hidden, how) }
        var answered: [Int] = []
        for index in 0..<records.count {
            let edit = edits.isEmpty ? .unchanged : edits[index]
            let how = decoding.decoding(how, ofRecord: index, of: records.count, piece: records.piece(of: index))
            let kind: MessageKind = records.isText(index) ? .text : .binary
            switch edit {
            case .unchanged:
                records.withRecord(index, of: message) {
                    if pass($0, as: kind, how, at: now, deliver) { answered.append(index) }
                }
            case .changed(let text):
                if pass(text.span.bytes, as: kind, how, at: now, deliver) { answered.append(index) }
            case .removed: records.withRecord(index, of: message) { deliver($0, kind, .hidden, how) }
            }
        }
        guard !answered.isEmpty else { return forwarding }
        if edits.isEmpty { edits = Array(repeating: .unchanged, count: records.count) }
        for index in answered { edits[index] = .removed }
        do throws(CodecError) {
            return try decoding.assemble(message, as: kind, records, edits, isReversed: isReversed)
        } catch {
            effects.append(.notEdited(error, became: .removed))
            return .removed
        }
    }

    /// Passes a message to the protocol or to the answers.
    /// - Returns: Whether a rule has answered it.
    private func pass(
        _ payload: RawSpan, as kind: MessageKind, _ how: Decoding?, at now: UInt64, _ deliver: Delivery
    ) -> Bool {
        undecodable = how?.problem
        if hasProtocol, protocolStage?.received(payload, as: kind, how, at: now, &effects) == true { return false }
        var role = Role.message
        do throws(TemplateValueError) {
            let finding = try answers?.receive(payload, at: wallTime(at: now)) { effects.append($0, .text, .answer) }
            switch finding {
            case nil, .some(.none): break
            case .opening: role = .login
            case .answered: role = .answered
            case .ready:
                role = .login
                loginDeadline = nil
                effects.append(.ready)
            }
        } catch {
            effects.append(.unanswered(error))
        }
        deliver(payload, kind, role, how)
        return role == .answered
    }

    /// Handles an answer of a program to ``Effect/decode(_:program:)``.
    /// - Parameters:
    ///   - line: The answer, which is empty if the program cannot decode the message.
    ///   - program: The index of the program.
    ///   - name: Its name, for errors.
    /// - Returns: Whether a message waits for the answer.
    package func answered(_ line: RawSpan, by program: Int, named name: String) -> Bool {
        defer { decoded.releaseStorage(above: DecodingStage.keptBytes) }
        return decoding.answered(line, by: program, named: name, &decoded, &effects)
    }

    /// Handles the failure of the programs: messages that wait for them are passed on as received, with this reason.
    package func programsFailed(because words: String) { decoding.programsFailed(because: words) }

    /// Removes and returns the first message that has waited, once it is decoded. The command passes it to
    /// ``pass(_:at:arrived:deliver:)`` as soon as its outputs have room.
    package func nextDecoded() -> WaitingMessage? { decoding.next() }

    /// Discards the messages that wait, because the run ends.
    package func discardWaiting() { decoding.removeAll() }

    /// Uses other codecs for messages that arrive from now on. Neither these nor the current ones are programs.
    package func decode(with codecs: [Codec]) { decoding.use(codecs) }

    /// Sends what the command has to say.
    /// - Parameter wantsReply: Whether the protocol should ask for a reply, if it can.
    /// - Throws: ``ProtocolInputError``. Nothing is sent.
    package func submit(
        _ payload: RawSpan, as kind: MessageKind, wantsReply: Bool, at now: UInt64
    ) throws(ProtocolInputError) -> LineReceipt {
        if protocolStage != nil,
            let receipt = try protocolStage?.submit(payload, wantsReply: wantsReply, at: now, &effects)
        {
            return receipt
        }
        do throws(CodecError) {
            try encoder.encode(payload, as: kind) { effects.append($0, $1, .line) }
        } catch {
            throw ProtocolInputError("\(error)")
        }
        return LineReceipt()
    }

    /// Sends a line at once, before the other effects: it must not be overtaken by pings and close frames, which do not
    /// enter the queue.
    /// - Returns: Whether `send` has sent its messages, and what becomes of the line.
    /// - Throws: ``ProtocolInputError``. Nothing is sent.
    package func submit(
        _ payload: RawSpan, as kind: MessageKind, wantsReply: Bool, at now: UInt64,
        send: (RawSpan, MessageKind) throws(ProtocolInputError) -> Bool
    ) throws(ProtocolInputError) -> (isSent: Bool, receipt: LineReceipt) {
        let receipt = try submit(payload, as: kind, wantsReply: wantsReply, at: now)
        var isSent = true
        while let (payload, kind) = effects.nextMessage() { isSent = try send(payload.span.bytes, kind) && isSent }
        return (isSent, receipt)
    }

    /// Ends the connection if the session takes no lines for as long as a login may take, because a line waits for it.
    package func lineWaits(at now: UInt64) {
        protocolStage?.lineWaits(at: now)
    }

    /// Handles the beginning of the closing handshake on this end, after which nothing is sent.
    package func closingBegan() {
        protocolStage?.isClosing = true
    }

    /// Starts the heartbeats, if there are any.
    package func startHeartbeats(at now: UInt64) {
        heartbeatTime = answers?.heartbeatInterval.map { now + $0.nanoseconds }
    }

    /// Skips a heartbeat that is due.
    package func skipHeartbeat(at now: UInt64) {
        guard let time = heartbeatTime, let interval = answers?.heartbeatInterval?.nanoseconds, time <= now else {
            return
        }
        // If this end is late, heartbeats are skipped rather than sent in a burst.
        heartbeatTime = time + interval > now ? time + interval : now + interval
    }

    /// When ``timePassed(at:unsentLines:)`` has to be called next, or `nil` for never.
    package var deadline: UInt64? { earliest(earliest(protocolStage?.deadline, loginDeadline), heartbeatTime) }

    /// Handles the passing of time. A caller that does not read calls it only after passing on what has been received.
    /// - Parameter unsentLines: The lines that wait, or `nil` if there are none.
    package func timePassed(at now: UInt64, unsentLines: ProtocolProblem? = nil) {
        protocolStage?.timePassed(at: now, unsentLines: unsentLines, &effects)
        if let time = loginDeadline, time <= now, let readinessTimeout {
            loginDeadline = nil
            effects.append(.failed(.notReady(after: readinessTimeout)))
        }
        guard let time = heartbeatTime, time <= now else { return }
        skipHeartbeat(at: now)
        do throws(TemplateValueError) {
            try answers?.sendHeartbeat(at: wallTime(at: now)) { effects.append($0, .text, .line) }
        } catch {
            effects.append(.unanswered(error))
        }
    }

    // MARK: Effects

    /// Whether there is something to do.
    package var hasEffects: Bool { !effects.isEmpty }

    /// Removes and returns what to do next, or returns `nil` if there is nothing.
    package func next() -> Effect? { effects.next() }

    /// The time in milliseconds since 1970.
    private func wallTime(at now: UInt64) -> UInt64 { (now &+ clockOffset) / 1_000_000 }
}

// The state, for reports.
extension Pipeline {
    /// The codecs of received messages, the outermost first.
    package var decoders: [Codec] { decoding.codecs }
    /// Whether so many messages wait for programs that the peer should pause.
    package var holdsMuch: Bool { decoding.isFull }
    /// The number of received messages that wait for programs.
    package var waitingCount: Int { decoding.waitingCount }
    /// Why the last message of the connection was not decoded, or `nil` if it was.
    package var incompleteMessage: CodecError? { decoding.incompleteMessage }
    /// The protocol, or `nil` if there is none or it has not been detected.
    package var applicationProtocol: ApplicationProtocol? { protocolStage?.descriptor }
    /// Why the connection is useless, or `nil` if it is not.
    package var problem: ProtocolProblem? { protocolStage?.problem }
    /// The number of errors that the server has reported: in replies and events, and as refusals of what a line asked for.
    package var errorCounts: (replies: Int, refusals: Int) { protocolStage?.errorCounts ?? (0, 0) }
    /// What lines wait for.
    package var lineCause: ProtocolProblem.UnsentCause { protocolStage?.lineCause ?? .login }
    /// Whether the session holds back so many lines that it takes no more.
    package var isFull: Bool { protocolStage?.session?.isFull ?? false }
    /// The number of lines of the last connection that the server has not confirmed.
    package var unconfirmedLineCount: Int { protocolStage?.lastUnconfirmedCount ?? 0 }
    /// The unit of the protocol that is only partly received; `nil` if there is none.
    package var incompleteInput: String? { protocolStage?.session?.incompleteInput }
    /// The first words of lines, for completion.
    package var words: [String] {
        (applicationProtocol?.commands ?? []) + (protocolStage?.session?.topics ?? [])
    }

    /// Whether the server still has to confirm lines, for at most as long as a login may take.
    package func awaitsConfirmation(at now: UInt64) -> Bool { protocolStage?.awaitsConfirmation(at: now) ?? false }
}

/// The formats of binary messages.
package struct MessageCodecs: Equatable, Sendable {
    /// The codecs of received messages, the outermost first.
    package let decoders: [Codec]
    /// The codecs of sent text messages, the outermost first, which can encode. Without one, they are sent unchanged.
    package let encoders: [Codec]
    /// The maximum size of a decoded message.
    package let limitBytes: Int
    /// Whether decoded messages are delivered with the received bytes.
    package let keepsOriginals: Bool
    /// Whether messages may be put together again, after some of their records were edited or answered.
    package let areReversed: Bool

    /// Describes formats; by default, messages stay unchanged.
    package init(
        decoders: [Codec] = [], encoders: [Codec] = [], limitBytes: Int = .max, keepsOriginals: Bool = false,
        areReversed: Bool = false
    ) {
        self.areReversed = areReversed
        self.decoders = decoders
        self.encoders = encoders
        self.limitBytes = limitBytes
        self.keepsOriginals = keepsOriginals
    }
}
