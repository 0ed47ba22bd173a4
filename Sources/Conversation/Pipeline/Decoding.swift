import Formats
import WSCore

/// How a received binary message became the message that the command handles, with `--decode`.
package struct Decoding: Equatable {
    /// The codecs that have decoded it, such as `zlib-stream+msgpack`, or the reason why it is shown as received.
    package var result: Result
    /// The size of the received message in bytes.
    package var byteCount: Int
    /// The received message, or `nil` if no output needs it.
    package var original: [UInt8]?
    /// Whether a failure of the run reports the problem.
    package var isReported = false

    package init(result: Result, byteCount: Int, original: [UInt8]? = nil, isReported: Bool = false) {
        self.result = result
        self.byteCount = byteCount
        self.original = original
        self.isReported = isReported
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
    /// The message for the next stage, once it is known.
    package private(set) var payload: [UInt8] = []
    package private(set) var kind = MessageKind.binary
    /// How it is decoded, or `nil` if it stays as it is.
    package fileprivate(set) var decoding: Decoding?
    /// The index of the codec whose program has the message, or `nil` if it is done.
    fileprivate var codec: Int?
    /// Whether nothing is passed on, because the message ends in a later one.
    fileprivate var isOmitted = false

    /// Creates a message that waits only for earlier ones.
    fileprivate init(_ payload: RawSpan, _ kind: MessageKind, _ decoding: Decoding?) {
        self.payload = payload.withUnsafeBytes { Array($0) }
        self.kind = kind
        self.decoding = decoding
    }

    /// Creates a message that waits for a program.
    fileprivate init(_ decoding: Decoding, codec: Int) {
        self.decoding = decoding
        self.codec = codec
    }

    fileprivate var isDone: Bool { codec == nil }
    /// The size in memory, in bytes.
    fileprivate var byteCount: Int { payload.count + (decoding?.original?.count ?? 0) + 256 }

    fileprivate mutating func finish(_ payload: RawSpan, _ kind: MessageKind) {
        self.payload = payload.withUnsafeBytes { Array($0) }
        self.kind = kind
        codec = nil
    }

    /// Restores the message as it was received.
    fileprivate mutating func fail(because problem: String) {
        payload = decoding?.original ?? []
        decoding?.result = .failed(problem)
        codec = nil
    }
}

/// The size of the unfinished messages of zlib streams on all connections of a server, which shares it among its pipelines.
package final class UnfinishedMessages {
    fileprivate let limitBytes: Int
    fileprivate var byteCount = 0

    /// - Parameter limitBytes: Beyond it, the stream with the latest message is no longer decoded.
    package init(limitBytes: Int) { self.limitBytes = limitBytes }
}

/// Decodes the received binary messages of a pipeline. Programs (`exec:`) answer later. Until then, their messages and all
/// later ones wait in a queue, which keeps the order.
///
///     connection ─► CodecChain ──────────────────────────► next stage     as long as the queue is empty
///                       │                                      ▲
///                       └─► queue ─► Effect.decode ─► answered ┘
struct DecodingStage: ~Copyable {
    /// What becomes of a received message.
    enum Outcome {
        /// It stays as it is.
        case unchanged(Decoding?)
        /// The output contains the message.
        case decoded(MessageKind, Decoding)
        /// It ends in a later one, or waits for a program.
        case none
    }

    /// The size of waiting messages, in bytes, above which the peer pauses.
    private static let queueLimitBytes = 1 << 20
    /// The size of the storage that is kept between messages, in bytes. A server has this stage for each client.
    static let keptBytes = 4 << 10
    private let limitBytes: Int
    /// Whether an output writes messages as received.
    private let keepsOriginals: Bool
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
        chain = CodecChain(codecs.decoders, limitBytes: codecs.limitBytes)
    }

    deinit { unfinished?.byteCount -= unfinishedBytes }

    /// The codecs, the outermost first.
    var codecs: [Codec] { chain.codecs }
    /// Whether the peer should pause.
    var isFull: Bool { waitingBytes > Self.queueLimitBytes }
    /// The number of messages that wait.
    var waitingCount: Int { waiting.count - firstIndex }

    /// Why the last message of the connection that has ended was not decoded, or `nil` if it was.
    var incompleteMessage: CodecError? {
        chain.isMessageIncomplete ? CodecError(codec: .zlibStream, problem: .truncated) : nil
    }

    /// Uses other codecs, none of which is a program.
    mutating func use(_ codecs: [Codec]) {
        chain = CodecChain(codecs, limitBytes: limitBytes)
    }

    /// Begins a connection, before anything is received on it.
    mutating func connectionOpened() {
        chain.connectionOpened()
    }

    // MARK: Decoding

    /// Decodes a binary message.
    mutating func decode(
        _ payload: RawSpan, into output: inout ByteBuffer, _ effects: inout EffectQueue
    ) -> Outcome {
        do throws(CodecError) {
            let outcome = try chain.decode(payload, into: &output)
            guard countUnfinished() else {
                chain.loseStream()
                throw CodecError(codec: .zlibStream, problem: .memoryIsScarce)
            }
            switch outcome {
            case .decoded(let isText):
                return .decoded(isText ? .text : .binary, decoding(of: payload, .decoded(by: names())))
            // An empty message has no format.
            case .unchanged where payload.byteCount == 0: return .unchanged(nil)
            case .unchanged: throw .notDetected
            case .incomplete: break
            case .program(let index):
                // Names the codecs before the program; its answer completes them.
                let decoding = decoding(of: payload, .decoded(by: names()), keepsOriginal: true)
                append(WaitingMessage(decoding, codec: index))
                effects.append(decode: output, program: program(of: index))
            }
            return .none
        } catch {
            _ = countUnfinished()
            return .unchanged(decoding(of: payload, .failed("\(error)")))
        }
    }

    /// Counts the unfinished message of the stream. Returns `false` if those of all connections exceed their limit.
    private mutating func countUnfinished() -> Bool {
        guard let unfinished else { return true }
        unfinished.byteCount += chain.incompleteBytes - unfinishedBytes
        unfinishedBytes = chain.incompleteBytes
        return unfinishedBytes == 0 || unfinished.byteCount <= unfinished.limitBytes
    }

    private func decoding(of payload: RawSpan, _ result: Decoding.Result, keepsOriginal: Bool = false) -> Decoding {
        let original = keepsOriginal || keepsOriginals ? payload.withUnsafeBytes { Array($0) } : nil
        return Decoding(result: result, byteCount: payload.byteCount, original: original)
    }

    /// The codecs that the chain has just used.
    private func names(after earlier: String = "") -> String {
        chain.applied.reduce(earlier) { $0.isEmpty ? $1.shortName : "\($0)+\($1.shortName)" }
    }

    /// The index of the program of a codec.
    private func program(of codec: Int) -> Int { chain.codecs[..<codec].count { $0.program != nil } }

    // MARK: Programs

    /// Handles an answer of a program. The parameters are those of ``Pipeline/answered(_:by:named:)``.
    /// - Parameter output: Storage that is replaced.
    mutating func answered(
        _ line: RawSpan, by program: Int, named name: String, _ output: inout ByteBuffer, _ effects: inout EffectQueue
    ) -> Bool {
        let index = waiting[firstIndex...].firstIndex { $0.codec.map { self.program(of: $0) } == program }
        guard let index, let codec = waiting[index].codec, let decoding = waiting[index].decoding else { return false }
        var message = waiting[index]
        complete(&message, decoding, codec, with: line, of: name, &output, &effects)
        waitingBytes += message.byteCount - waiting[index].byteCount
        waiting[index] = message
        return true
    }

    private mutating func complete(
        _ message: inout WaitingMessage, _ decoding: Decoding, _ codec: Int, with line: RawSpan, of program: String,
        _ output: inout ByteBuffer, _ effects: inout EffectQueue
    ) {
        guard line.byteCount > 0 else { return message.fail(because: "\(program) answered with an empty line") }
        guard case .decoded(let earlier) = decoding.result else { return }
        do throws(CodecError) {
            let outcome = try chain.decode(line, from: codec + 1, into: &output)
            let name = chain.codecs[codec].shortName
            message.decoding?.result = .decoded(by: names(after: earlier.isEmpty ? name : "\(earlier)+\(name)"))
            switch outcome {
            case .decoded(let isText): output.withReadableBytes { message.finish($0, isText ? .text : .binary) }
            case .unchanged: message.finish(line, UTF8Validator.isValid(line) ? .text : .binary)
            case .incomplete: (message.codec, message.isOmitted) = (nil, true)
            case .program(let next):
                message.codec = next
                effects.append(decode: output, program: self.program(of: next))
            }
        } catch {
            message.fail(because: "\(error)")
        }
        if !keepsOriginals, message.isDone { message.decoding?.original = nil }
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
    mutating func append(_ payload: RawSpan, _ kind: MessageKind, _ decoding: Decoding?) {
        append(WaitingMessage(payload, kind, decoding))
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
            waiting[firstIndex] = WaitingMessage(RawSpan(), .binary, nil)
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
