import Formats
import WSCore

/// How a received message, or a part of it, became the message that the command handles, with `--decode`.
package struct Decoding: Equatable {
    /// The place of a record in its message.
    package struct Position: Equatable {
        /// The number of the record, from 1.
        package var number: Int
        /// The number of records of the message.
        package var count: Int
    }

    /// The codecs that have decoded it, such as `zlib-stream+msgpack`, or the reason why it is shown as received.
    package var result: Result
    /// The kind of the received message.
    package var kind: MessageKind
    /// The size of the received message in bytes.
    package var byteCount: Int
    /// The place of the record, or `nil` if the message was not split.
    package var position: Position?
    /// The message as received, or the record as the last splitter left it; `nil` if no output needs it.
    package var original: [UInt8]?
    /// Whether a failure of the run reports the problem.
    package var isReported = false

    package init(result: Result, of kind: MessageKind = .binary, byteCount: Int, original: [UInt8]? = nil) {
        self.result = result
        self.kind = kind
        self.byteCount = byteCount
        self.original = original
    }

    package enum Result: Equatable {
        case decoded(by: String)
        case failed(String)
    }

    /// Why the message was not decoded, or `nil` if it was.
    package var problem: String? { if case .failed(let problem) = result { problem } else { nil } }
}

/// A received message that waits for programs of codecs, or behind such a message.
package struct WaitingMessage: Equatable {
    /// A record of the message.
    struct Record: Equatable {
        var payload: [UInt8]
        var isText: Bool
        /// See ``MessageRecords/piece(of:)``.
        var piece: [UInt8]?
    }

    /// The records for the next stage, once they are known; otherwise those for the program.
    private(set) var records: [Record]
    /// The message as it was received.
    let message: [UInt8]
    package let kind: MessageKind
    /// How it is decoded, or `nil` if it stays as it is.
    fileprivate(set) var decoding: Decoding?
    /// The index of the codec whose program has the records, or `nil` if the message is done.
    fileprivate var codec: Int?
    /// The number of records that the program has answered.
    fileprivate var answeredCount = 0
    /// Whether the program cannot decode one of them.
    fileprivate var isRefused = false
    /// Whether nothing is passed on, because the message ends in a later one.
    fileprivate var isOmitted = false

    /// Creates a message that waits only for earlier ones.
    init(_ message: RawSpan, _ kind: MessageKind, _ decoding: Decoding?, records: [Record]) {
        self.message = message.withUnsafeBytes { Array($0) }
        self.kind = kind
        self.decoding = decoding
        self.records = records
        count()
    }

    fileprivate var isDone: Bool { codec == nil }
    /// The size in memory, in bytes.
    private(set) var byteCount = 0

    private mutating func count() {
        byteCount = records.reduce(message.count + 256) { $0 + $1.payload.count + ($1.piece?.count ?? 0) + 64 }
    }

    /// Handles the answer for the next record.
    /// - Returns: Whether all records have been answered.
    fileprivate mutating func answer(_ line: RawSpan) -> Bool {
        if line.byteCount == 0 { isRefused = true }
        byteCount += line.byteCount - records[answeredCount].payload.count
        records[answeredCount].payload = line.withUnsafeBytes { Array($0) }
        records[answeredCount].isText = UTF8Validator.isValid(line)
        answeredCount += 1
        return answeredCount == records.count
    }

    fileprivate mutating func finish(_ records: [Record]) {
        self.records = records
        codec = nil
        count()
    }

    /// Restores the message as it was received.
    fileprivate mutating func fail(because problem: String) {
        decoding?.result = .failed(problem)
        decoding?.original = nil
        finish([Record(payload: message, isText: kind == .text)])
    }
}

/// The size of the unfinished messages of zlib streams on all connections of a server, which shares it among its pipelines.
package final class UnfinishedMessages {
    fileprivate let limitBytes: Int
    fileprivate var byteCount = 0

    /// - Parameter limitBytes: Beyond it, the stream with the latest message is no longer decoded.
    package init(limitBytes: Int) { self.limitBytes = limitBytes }
}

/// Decodes the received messages of a pipeline. Programs (`exec:`) answer later. Until then, their messages and all
/// later ones wait in a queue, which keeps the order.
///
///     connection ─► CodecChain ──────────────────────────► next stage     as long as the queue is empty
///                       │                                      ▲
///                       └─► queue ─► Effect.decode ─► answered ┘
struct DecodingStage: ~Copyable {
    /// What becomes of a received message.
    enum Outcome {
        /// Its records are known: the message as it is if it was not decoded.
        case known(Decoding?)
        /// It ends in a later one, or waits for a program.
        case later
    }

    /// The size of waiting messages, in bytes, above which the peer pauses.
    private static let queueLimitBytes = 1 << 20
    /// The size of the storage that is kept between messages, in bytes. A server has this stage for each client.
    static let keptBytes = 4 << 10
    private let limitBytes: Int
    /// Whether an output writes messages as received.
    private let keepsOriginals: Bool
    private let keeping: CodecChain.Keeping
    private var chain: CodecChain
    private var waiting: [WaitingMessage] = []
    /// The index of the first message that waits. Those before it have been passed on.
    private var firstIndex = 0
    private var waitingBytes = 0
    /// What is counted for all connections, or `nil` if nothing is, and the part of this one.
    private let unfinished: UnfinishedMessages?
    private var unfinishedBytes = 0

    init(_ codecs: MessageCodecs, sharing unfinished: UnfinishedMessages?) {
        self.unfinished = unfinished
        limitBytes = codecs.limitBytes
        keepsOriginals = codecs.keepsOriginals
        keeping = codecs.areReversed ? .everything : codecs.keepsOriginals ? .pieces : .nothing
        chain = CodecChain(codecs.decoders, limitBytes: codecs.limitBytes, keeping: keeping)
    }

    deinit { unfinished?.byteCount -= unfinishedBytes }

    /// The codecs, the outermost first.
    var codecs: [Codec] { chain.codecs }
    /// Whether edited records can be put together again, if the codecs can encode.
    var isReversible: Bool { keeping == .everything || chain.codecs.isEmpty }
    /// Whether the peer should pause.
    var isFull: Bool { waitingBytes > Self.queueLimitBytes }
    /// The number of messages that wait.
    var waitingCount: Int { waiting.count - firstIndex }

    /// Why the last message of the connection that has ended was not decoded, or `nil` if it was.
    var incompleteMessage: CodecError? {
        chain.isMessageIncomplete ? CodecError(codec: .zlibStream, problem: .truncated) : nil
    }

    /// Whether messages of a kind are decoded.
    func decodes(_ kind: MessageKind) -> Bool { kind == .binary ? !chain.codecs.isEmpty : chain.splitsText }

    /// Uses other codecs, none of which is a program.
    mutating func use(_ codecs: [Codec]) {
        chain = CodecChain(codecs, limitBytes: limitBytes, keeping: keeping)
    }

    /// Begins a connection, before anything is received on it.
    mutating func connectionOpened() {
        chain.connectionOpened()
    }

    // MARK: Decoding

    /// Decodes a message.
    /// - Parameter records: Replaced by the result.
    mutating func decode(
        _ message: RawSpan, as kind: MessageKind, into records: inout MessageRecords, _ effects: inout EffectQueue
    ) -> Outcome {
        guard decodes(kind) else {
            records.begin(message, isText: kind == .text)
            return .known(nil)
        }
        do throws(CodecError) {
            let outcome = try chain.decode(message, isText: kind == .text, into: &records)
            guard countUnfinished() else {
                chain.loseStream()
                throw CodecError(codec: .zlibStream, problem: .memoryIsScarce)
            }
            switch outcome {
            case .decoded: return .known(decoding(of: message, kind, .decoded(by: names())))
            // An empty message has no format.
            case .unchanged where message.byteCount == 0: return .known(nil)
            case .unchanged: throw .notDetected
            case .incomplete: break
            case .program(let index):
                // Names the codecs before the program; its answers complete them.
                let decoding = decoding(of: message, kind, .decoded(by: names()))
                var waiting = WaitingMessage(message, kind, decoding, records: Self.copy(records, of: message))
                waiting.codec = index
                ask(for: waiting, &effects)
                append(waiting)
            }
            return .later
        } catch {
            _ = countUnfinished()
            records.begin(message, isText: kind == .text)
            return .known(decoding(of: message, kind, .failed("\(error)")))
        }
    }

    /// Counts the unfinished message of the stream. Returns `false` if those of all connections exceed their limit.
    private mutating func countUnfinished() -> Bool {
        guard let unfinished else { return true }
        unfinished.byteCount += chain.incompleteBytes - unfinishedBytes
        unfinishedBytes = chain.incompleteBytes
        return unfinishedBytes == 0 || unfinished.byteCount <= unfinished.limitBytes
    }

    private func decoding(of message: RawSpan, _ kind: MessageKind, _ result: Decoding.Result) -> Decoding {
        // With a splitter, such an output gets what it leaves. A message that is not decoded is as received.
        var original: [UInt8]?
        if keepsOriginals, !chain.splitsText, case .decoded = result {
            original = message.withUnsafeBytes { Array($0) }
        }
        return Decoding(result: result, of: kind, byteCount: message.byteCount, original: original)
    }

    /// How a record of a message was decoded.
    /// - Parameter piece: The record as the last splitter left it, or `nil` if there is no need for it.
    func decoding(_ whole: Decoding?, ofRecord index: Int, of count: Int, piece: [UInt8]?) -> Decoding? {
        guard chain.splitsText, var decoding = whole, case .decoded = decoding.result else { return whole }
        decoding.position = Decoding.Position(number: index + 1, count: count)
        decoding.original = piece
        return decoding
    }

    /// What is to be passed on of a message whose records are edited. After a program has decoded it, or without ``MessageCodecs/areReversed``, this is the message
    /// as received, unless nothing is left.
    func assemble(
        _ message: RawSpan, as kind: MessageKind, _ records: borrowing MessageRecords, _ edits: [RecordEdit],
        isReversed: Bool
    ) throws(CodecError) -> RecordEdit {
        if edits.allSatisfy({ $0 == .unchanged }) { return .unchanged }
        if edits.allSatisfy({ $0 == .removed }) { return .removed }
        guard isReversed, isReversible else { return .unchanged }
        return try chain.assemble(records, of: message, edits, isText: kind == .text)
    }

    /// The codecs that the chain has just used.
    private func names(after earlier: String = "") -> String {
        chain.applied.reduce(earlier) { $0.isEmpty ? $1.shortName : "\($0)+\($1.shortName)" }
    }

    /// The index of the program of a codec.
    private func program(of codec: Int) -> Int { chain.codecs[..<codec].count { $0.program != nil } }

    static func copy(_ records: borrowing MessageRecords, of message: RawSpan) -> [WaitingMessage.Record] {
        (0..<records.count).map { index in
            let payload = records.withRecord(index, of: message) { $0.withUnsafeBytes { Array($0) } }
            return .init(payload: payload, isText: records.isText(index), piece: records.piece(of: index))
        }
    }

    // MARK: Programs

    /// Passes the records of a message to the program.
    private func ask(for message: WaitingMessage, _ effects: inout EffectQueue) {
        guard let codec = message.codec else { return }
        for record in message.records { effects.append(.decode(record.payload, program: program(of: codec))) }
    }

    /// Handles an answer of a program. The parameters are those of ``Pipeline/answered(_:by:named:)``.
    /// - Parameter records: Storage that is replaced.
    mutating func answered(
        _ line: RawSpan, by program: Int, named name: String, _ records: inout MessageRecords,
        _ effects: inout EffectQueue
    ) -> Bool {
        let index = waiting[firstIndex...].firstIndex { $0.codec.map { self.program(of: $0) } == program }
        guard let index, let codec = waiting[index].codec, let decoding = waiting[index].decoding else { return false }
        waitingBytes -= waiting[index].byteCount
        defer { waitingBytes += waiting[index].byteCount }
        // In place: a message may have many records.
        guard waiting[index].answer(line) else { return true }
        var message = waiting[index]
        if message.isRefused {
            message.fail(because: "\(name) answered with an empty line")
        } else {
            complete(&message, decoding, codec, &records, &effects)
        }
        waiting[index] = message
        return true
    }

    private mutating func complete(
        _ message: inout WaitingMessage, _ decoding: Decoding, _ codec: Int, _ records: inout MessageRecords,
        _ effects: inout EffectQueue
    ) {
        guard case .decoded(let earlier) = decoding.result else { return }
        records.removeAll()
        for record in message.records {
            records.append(record.payload.span.bytes, isText: record.isText, piece: record.piece)
        }
        do throws(CodecError) {
            let outcome = try chain.resume(after: codec, into: &records)
            let name = chain.codecs[codec].shortName
            message.decoding?.result = .decoded(by: names(after: earlier.isEmpty ? name : "\(earlier)+\(name)"))
            message.finish(Self.copy(records, of: RawSpan()))
            message.answeredCount = 0
            switch outcome {
            case .decoded, .unchanged: break
            case .incomplete: message.isOmitted = true
            case .program(let next):
                message.codec = next
                ask(for: message, &effects)
            }
        } catch {
            message.fail(because: "\(error)")
        }
    }

    /// Restores the messages that wait for programs, which have failed.
    mutating func programsFailed(because words: String) {
        for index in waiting.indices[firstIndex...] where !waiting[index].isDone {
            waitingBytes -= waiting[index].byteCount
            waiting[index].fail(because: words)
            waitingBytes += waiting[index].byteCount
            waiting[index].decoding?.isReported = true
        }
    }

    // MARK: Waiting

    /// Adds a message that waits for earlier ones.
    mutating func append(
        _ message: RawSpan, _ kind: MessageKind, _ decoding: Decoding?, _ records: borrowing MessageRecords
    ) {
        append(WaitingMessage(message, kind, decoding, records: Self.copy(records, of: message)))
    }

    private mutating func append(_ message: WaitingMessage) {
        waiting.append(message)
        waitingBytes += message.byteCount
    }

    /// Removes and returns the first message if it has been decoded.
    mutating func next() -> WaitingMessage? {
        while firstIndex < waiting.count, waiting[firstIndex].isDone {
            let message = waiting[firstIndex]
            waitingBytes -= message.byteCount
            waiting[firstIndex] = WaitingMessage(RawSpan(), .binary, nil, records: [])
            firstIndex += 1
            // Compact only when more than half is unused, so each message moves a bounded number of times.
            if firstIndex * 2 > waiting.count {
                waiting.removeFirst(firstIndex)
                firstIndex = 0
            }
            if !message.isOmitted { return message }
        }
        return nil
    }

    /// Discards all messages.
    mutating func removeAll() {
        waiting.removeAll()
        (firstIndex, waitingBytes) = (0, 0)
    }
}
