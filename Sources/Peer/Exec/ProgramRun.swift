import Formats
import UserInterface
import WSCore

/// A run of a program to its end.
///
///     input ──► standard input ── program ── standard output ──► the result, after status 0
///                                    └────── standard error ───► its last line, after another end
final class ProgramRun {
    /// Why a run has no result.
    struct Problem: Error {
        /// The reason, to follow `running 'NAME':`.
        let words: String
    }

    private static let maximumErrorBytes = 1 << 10
    /// How long to wait for the output of descendants of a program that has exited.
    private static let lastReadingLimit = Duration.seconds(1)

    private let maximumBytes: Int
    private let loop: EventLoop
    private let didExit: () -> Void
    private var completion: ((Result<[UInt8], Problem>) -> Void)?
    /// The process, until it has exited.
    private var process: PipedProcess?
    private var exit: ChildProcess.Exit?
    private var input: ProgramInput?
    private var output: ProgramOutput?
    private var errors: ProgramOutput?
    private var outputBytes: [UInt8] = []
    private var errorBytes: [UInt8] = []
    private var timer: Timer?
    private lazy var lastReadingTimer = Timer(on: loop) { [unowned self] in end(isFinal: true) }

    /// Starts a program.
    /// - Parameters:
    ///   - environment: The environment, as `NAME=value`, or `nil` for that of wsx.
    ///   - message: What the program reads, without the line end that follows it, or `nil` if it reads nothing.
    ///   - limit: The time after which the program is killed.
    ///   - remedy: Words about the limit, such as the option that changes it, with a blank before them. Defaults to none.
    ///   - maximumBytes: The maximum size of its output.
    ///   - didExit: Called when the program has exited. Defaults to nothing.
    ///   - completion: Called once, and not before this call returns, unless the run is canceled.
    /// - Throws: ``IOError`` if the program cannot be started.
    init(
        _ program: ProgramCommand, environment: [[UInt8]]?, message: [UInt8]? = nil, limit: Duration,
        remedy: String = "", maximumBytes: Int, on loop: EventLoop,
        didExit: @escaping () -> Void = {},
        completion: @escaping (Result<[UInt8], Problem>) -> Void
    ) throws(IOError) {
        self.maximumBytes = maximumBytes
        self.loop = loop
        self.didExit = didExit
        self.completion = completion
        // Keeps this run until the program has exited, so one that was killed is reaped, too.
        let process = try PipedProcess(program.words, at: program.path, environment: environment, on: loop) { _ in
            self.exited()
        }
        self.process = process
        input = ProgramInput(process.input)
        if let message {
            input?.append(message.span.bytes, asLine: true)
            input?.finish()
        } else {
            input?.close()
        }
        output = ProgramOutput(process.output) { [unowned self] bytes in
            receive(bytes)
            return bytes.byteCount
        } finish: { [unowned self] in
            end()
        }
        errors = ProgramOutput(process.error) { [unowned self] bytes in
            bytes.withUnsafeBytes { errorBytes += $0 }
            errorBytes.removeFirst(max(0, errorBytes.count - Self.maximumErrorBytes))
            return bytes.byteCount
        } finish: { [unowned self] in
            end()
        }
        let timer = Timer(on: loop) { [unowned self] in
            // Also after it was asked to exit.
            signal(.kill)
            finish(.failure(Problem(words: "it did not exit within \(Phrase.duration(limit))\(remedy)")))
        }
        timer.start(after: limit)
        self.timer = timer
    }

    private var isOver: Bool { completion == nil }

    /// Whether the program has exited.
    var isGone: Bool { process == nil }

    /// Asks the program to exit. The completion is not called.
    func cancel() {
        guard !isOver else { return }
        completion = nil
        signal(.terminate)
        closePipes()
    }

    /// Ends the program and its descendants, even if they ignore the request. The completion is not called.
    func kill() {
        completion = nil
        signal(.kill)
    }

    private func signal(_ signal: ChildProcess.GroupSignal) { process?.process.signalGroup(signal) }

    private func receive(_ bytes: RawSpan) {
        guard !isOver else { return }
        bytes.withUnsafeBytes { outputBytes += $0 }
        guard outputBytes.count > maximumBytes else { return }
        signal(.kill)
        finish(.failure(Problem(words: "it wrote more than \(Phrase.count(maximumBytes, "byte"))")))
    }

    private func exited() {
        exit = process?.process.exit
        process = nil
        timer?.stop()
        if isOver {
            closePipes()
        } else {
            for pipe in [output, errors] { pipe?.takeRest(atMost: ProgramOutput.pipeBytes) }
            end()
        }
        didExit()
    }

    /// Ends if the program has exited, and the pipes that matter have ended.
    private func end(isFinal: Bool = false) {
        guard !isOver, let exit else { return }
        let pipes = exit == .status(0) ? [output] : [output, errors]
        guard isFinal || pipes.allSatisfy({ $0?.isOver ?? true }) else {
            return lastReadingTimer.start(after: Self.lastReadingLimit)
        }
        closePipes()
        finish(exit == .status(0) ? .success(outputBytes) : .failure(Problem(words: "it \(exit.words)\(lastError)")))
    }

    private func finish(_ result: Result<[UInt8], Problem>) {
        guard let completion else { return }
        self.completion = nil
        lastReadingTimer.stop()
        completion(result)
    }

    private func closePipes() {
        input?.close()
        for pipe in [output, errors] { pipe?.close() }
    }

    /// The last line of standard error, to follow the exit.
    private var lastError: String {
        let lines = errorBytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") })
        return lines.last.map { ": " + escapingControls(String(decoding: $0, as: UTF8.self)) } ?? ""
    }
}
