import Conversation
import Formats
import Peer
import UserInterface
import WSCore

/// Decodes received binary messages. This stage is directly behind the connection, for runs with `--decode`.
///
/// Programs (`exec:`) answer later. Until then, their messages and all later ones wait in a queue, which keeps the
/// order.
///
///     connection ─► CodecChain ─────────────────────► next stage     as long as the queue is empty
///                       │                                 ▲
///                       └─► queue ─► program ─► CodecChain ┘
final class CodecStage {
    /// The run as the stage sees it.
    protocol Host: AnyObject {
        /// Whether messages may be passed on, because the outputs have room.
        var takesDecoded: Bool { get }
        /// Handles a message that a program has decoded, or that waited for one.
        func received(decoded payload: RawSpan, as kind: MessageKind, _ decoding: Decoding?)
        /// Called when the queue has room again.
        func codecsDidDrain()
        /// Called when a program cannot be started or has ended.
        func codecFailed(_ failure: Failure)
    }

    /// The size of waiting messages, in bytes, above which the peer pauses.
    private static let queueLimitBytes = 1 << 20
    private unowned let host: any Host
    private let loop: EventLoop
    private let diagnostics: Diagnostics
    private let limitBytes: Int
    /// Whether an output writes messages as received.
    private let keepsOriginals: Bool
    private let commands: [ProgramCommand]
    private var programs: [CodecProgram] = []
    /// Why there are no programs any more, or `nil` as long as they run.
    private var lossOfPrograms: String?
    /// Whether the loss is reported at the end of the turn.
    private var isLossUnreported = false
    private var chain: CodecChain
    private var output = ByteBuffer()
    private var isFlushScheduled = false
    private var queue = CodecQueue()
    /// Set after the end of the connection, while messages wait.
    private var ending: Ending?

    /// The wait for the last messages of a connection.
    private struct Ending {
        /// The time limit for each answer of a program.
        let timeout: Duration
        let timer: Timer
        let continuation: () -> Void
    }

    /// Creates the stage of a run.
    /// - Parameter commands: The programs of the codecs, in their order.
    init(
        _ settings: ConnectSettings, commands: [ProgramCommand], diagnostics: Diagnostics, on loop: EventLoop,
        host: any Host
    ) {
        self.host = host
        self.loop = loop
        self.diagnostics = diagnostics
        self.commands = commands
        let arguments = settings.arguments
        limitBytes = arguments.client.limits.maximumMessageBytes
        keepsOriginals = arguments.format.output.keepsOriginals && arguments.format.pick == nil
        chain = CodecChain(arguments.codecs.decoders, limitBytes: limitBytes)
    }

    /// Finds the programs of codecs.
    /// - Parameter option: The option with the codecs, for error messages.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    static func commands(
        of codecs: [Codec], option: String, _ settings: ConnectSettings
    ) throws(Failure) -> [ProgramCommand] {
        var commands: [ProgramCommand] = []
        for case .program(let command) in codecs {
            let words = command.split(separator: " ").map { String($0) }
            commands.append(
                try ProgramCommand(
                    words, option: "\(option) exec:PROGRAM", environment: settings.secrets.environment))
        }
        return commands
    }

    /// Whether the peer should pause.
    var isFull: Bool { queue.byteCount > Self.queueLimitBytes }
    /// Whether messages wait for a program or an output.
    var isBusy: Bool { !queue.isEmpty }
    /// The number of messages that wait.
    var waitingCount: Int { queue.count }

    /// The codecs, the outermost first.
    var codecs: [Codec] { chain.codecs }

    /// Uses other codecs for messages that arrive from now on. Programs cannot be added or removed.
    /// - Returns: Whether no codec is a program.
    func use(_ codecs: [Codec]) -> Bool {
        guard commands.isEmpty, codecs.allSatisfy({ $0.program == nil }) else { return false }
        chain = CodecChain(codecs, limitBytes: limitBytes)
        chain.connectionOpened()
        return true
    }

    // MARK: Connections

    /// Begins a connection, before anything is received on it. Starts the programs on the first one.
    func connectionWillStart() {
        chain.connectionOpened()
        guard programs.isEmpty, lossOfPrograms == nil else { return }
        do throws(IOError) {
            for command in commands { programs.append(try start(command, at: programs.count)) }
        } catch {
            losePrograms(because: "running \(commands[programs.count].name): \(error)")
            // The connection has not started yet.
            isLossUnreported = true
            scheduleFlush()
        }
    }

    /// Why the last message of the connection that has ended was not decoded, or `nil` if it was.
    var incompleteMessage: CodecError? {
        chain.isMessageIncomplete ? CodecError(codec: .zlibStream, problem: .truncated) : nil
    }

    private func start(_ command: ProgramCommand, at index: Int) throws(IOError) -> CodecProgram {
        try CodecProgram(command, limitBytes: limitBytes, diagnostics: diagnostics, on: loop) { [unowned self] line in
            received(answer: line, of: index)
        } didEnd: { [unowned self] words in
            fail(because: "\(command.name) \(words)")
        }
    }

    /// Waits until all messages of an ended connection have been passed on.
    /// - Parameter timeout: The time limit for each answer of a program.
    /// - Returns: Whether there are any. Then `continuation` is called later.
    func delaysEnd(atMost timeout: Duration, continuation: @escaping () -> Void) -> Bool {
        guard isBusy else { return false }
        let timer = Timer(on: loop) { [unowned self] in timedOut() }
        ending = Ending(timeout: timeout, timer: timer, continuation: continuation)
        timer.start(after: timeout, every: timeout)
        return true
    }

    private func timedOut() {
        // A slow output is not the program's fault.
        guard host.takesDecoded else { return }
        fail(because: "\(programs.first?.name ?? "the program") did not answer in time")
    }

    /// Discards waiting messages, because the run ends.
    /// - Returns: Whether the end of a connection waited for them. Its continuation has been called.
    func abandon() -> Bool {
        queue.removeAll()
        return endIfIdle()
    }

    /// Ends the programs, even if they ignore the request.
    func kill() {
        for program in programs { program.kill() }
    }

    /// Asks the programs to exit.
    private func close() {
        for program in programs { program.close() }
    }

    @discardableResult
    private func endIfIdle() -> Bool {
        guard queue.isEmpty, let ending else { return false }
        self.ending = nil
        ending.continuation()
        return true
    }

    // MARK: Receiving

    /// Decodes a received message, and passes it on unless it has to wait.
    func receive(
        _ payload: RawSpan, as kind: MessageKind, deliver: (RawSpan, MessageKind, Decoding?) -> Void
    ) {
        guard kind == .binary, !chain.codecs.isEmpty else { return pass(payload, kind, nil, to: deliver) }
        // The receiver may cause further calls.
        var decoded = output.takeAll()
        do throws(CodecError) {
            switch try chain.decode(payload, into: &decoded) {
            case .decoded(let isText):
                let decoding = decoding(of: payload, .decoded(by: names()))
                decoded.withReadableBytes { pass($0, isText ? .text : .binary, decoding, to: deliver) }
            // An empty message has no format.
            case .unchanged where payload.byteCount == 0: pass(payload, kind, nil, to: deliver)
            case .unchanged:
                let error = CodecError(codec: .auto, problem: .notDetected)
                pass(payload, kind, decoding(of: payload, .failed("\(error)")), to: deliver)
            case .incomplete: break
            case .program where lossOfPrograms != nil:
                var decoding = decoding(of: payload, .failed(lossOfPrograms ?? ""))
                decoding.isReported = true
                pass(payload, kind, decoding, to: deliver)
            case .program(let index):
                // Names the codecs before the program; its answer completes them.
                let decoding = decoding(of: payload, .decoded(by: names()), keepsOriginal: true)
                decoded.withReadableBytes { send($0, toProgramOf: index, decoding) }
            }
        } catch {
            pass(payload, kind, decoding(of: payload, .failed("\(error)")), to: deliver)
        }
        decoded.removeAll()
        decoded.releaseStorage(above: Self.queueLimitBytes)
        output = decoded
    }

    private func pass(
        _ payload: RawSpan, _ kind: MessageKind, _ decoding: Decoding?,
        to deliver: (RawSpan, MessageKind, Decoding?) -> Void
    ) {
        guard isBusy else { return deliver(payload, kind, decoding) }
        queue.append(CodecQueue.Entry(payload, kind, decoding))
    }

    private func send(_ payload: RawSpan, toProgramOf codec: Int, _ decoding: Decoding) {
        programs[program(of: codec)].send(payload)
        queue.append(CodecQueue.Entry(decoding, codec: codec))
    }

    private func decoding(of payload: RawSpan, _ result: Decoding.Result, keepsOriginal: Bool = false) -> Decoding {
        let original = keepsOriginal || keepsOriginals ? payload.withUnsafeBytes { Array($0) } : nil
        return Decoding(result: result, byteCount: payload.byteCount, original: original)
    }

    /// The codecs that the chain has just used.
    private func names(after earlier: String = "") -> String {
        chain.applied.reduce(earlier) { $0.isEmpty ? $1.shortName : "\($0)+\($1.shortName)" }
    }

    // MARK: Programs

    /// The index of the program of a codec.
    private func program(of codec: Int) -> Int {
        chain.codecs[..<codec].count { $0.program != nil }
    }

    /// Handles an answer of a program.
    /// - Returns: Whether the next stage takes another message now.
    private func received(answer line: RawSpan, of program: Int) -> Bool {
        let index = queue.firstIndex { $0.codec.map { self.program(of: $0) } == program }
        guard let index, let codec = queue[index].codec, let decoding = queue[index].decoding else {
            fail(because: "\(programs[program].name) wrote a line that answers no message")
            return false
        }
        queue.change(at: index) { entry in complete(&entry, decoding, codec, with: line) }
        if let ending { ending.timer.start(after: ending.timeout, every: ending.timeout) }
        flush()
        return host.takesDecoded
    }

    private func complete(_ entry: inout CodecQueue.Entry, _ decoding: Decoding, _ codec: Int, with line: RawSpan) {
        let name = programs[program(of: codec)].name
        guard line.byteCount > 0 else { return entry.fail(because: "\(name) answered with an empty line") }
        guard case .decoded(let earlier) = decoding.result else { return }
        do throws(CodecError) {
            let outcome = try chain.decode(line, from: codec + 1, into: &output)
            let name = chain.codecs[codec].shortName
            entry.decoding?.result = .decoded(by: names(after: earlier.isEmpty ? name : "\(earlier)+\(name)"))
            switch outcome {
            case .decoded(let isText): output.withReadableBytes { entry.finish($0, isText ? .text : .binary) }
            case .unchanged: entry.finish(line, UTF8Validator.isValid(line) ? .text : .binary)
            case .incomplete: entry.isOmitted = true
            case .program(let next):
                entry.codec = next
                output.withReadableBytes { programs[program(of: next)].send($0) }
            }
        } catch {
            entry.fail(because: "\(error)")
        }
        if !keepsOriginals, entry.isDone { entry.decoding?.original = nil }
    }

    /// Gives up on the programs: shows their messages as received.
    private func fail(because words: String) {
        guard lossOfPrograms == nil else { return }
        losePrograms(because: words)
        reportLoss()
    }

    private func losePrograms(because words: String) {
        lossOfPrograms = words
        close()
        queue.changeAll { entry in
            guard !entry.isDone else { return }
            entry.fail(because: words)
            entry.decoding?.isReported = true
        }
    }

    /// Passes on the messages as received, and reports the loss of the programs.
    private func reportLoss() {
        isLossUnreported = false
        passOnDone()
        host.codecFailed(.program("\(lossOfPrograms ?? "") (--decode)"))
        endIfIdle()
    }

    // MARK: Passing on

    /// Passes on the messages that have been decoded, while the next stage takes them.
    private func flush() {
        passOnDone()
        if !host.takesDecoded { for program in programs { program.pause() } }
        endIfIdle()
    }

    private func passOnDone() {
        let wasFull = isFull
        while host.takesDecoded, let entry = queue.removeFirstIfDone() {
            guard !entry.isOmitted else { continue }
            entry.payload.withUnsafeBytes { host.received(decoded: $0.bytes, as: entry.kind, entry.decoding) }
        }
        if wasFull, !isFull { host.codecsDidDrain() }
    }

    private func scheduleFlush() {
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        loop.atEndOfTurn(self)
    }

    /// Continues after the outputs have written their backlog.
    func resume() {
        guard isBusy else { return }
        for program in programs { program.resume() }
        scheduleFlush()
    }
}

extension CodecStage: EndOfTurnWork {
    /// Passes on messages outside of the connection's handler.
    func endTurn() {
        isFlushScheduled = false
        if isLossUnreported { reportLoss() } else { flush() }
    }
}
