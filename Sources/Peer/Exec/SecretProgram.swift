import Formats
import UserInterface
import WSCore

/// A run of the program of ``SecretCommand``. Its input is empty, and it inherits the environment.
///
///     program ── standard output ──► the secret
///        └────── standard error ───► the last line, if the program fails
package final class SecretProgram {
    private static let maximumBytes = 64 << 10
    private static let maximumErrorBytes = 1 << 10
    /// How long to wait for the output of descendants of a program that has exited.
    private static let lastReadingLimit = Duration.seconds(1)

    let command: SecretCommand
    private let limit: Duration
    private let environment: (String) -> String?
    private let loop: EventLoop
    private let completion: (Result<String, Failure>) -> Void
    private var process: PipedProcess?
    private var output: ProgramOutput?
    private var errors: ProgramOutput?
    private var outputBytes: [UInt8] = []
    private var errorBytes: [UInt8] = []
    private var isOver = false
    private lazy var timer = Timer(on: loop) { [unowned self] in
        kill(because: "it did not exit within \(Phrase.duration(limit)) (--connect-timeout)")
    }
    private lazy var lastReadingTimer = Timer(on: loop) { [unowned self] in end(isFinal: true) }

    /// Prepares a run.
    /// - Parameters:
    ///   - limit: The time after which the program is killed.
    ///   - environment: Looks up an environment variable.
    ///   - completion: Called once, unless the run is canceled. May be called before ``start()`` returns.
    package init(
        _ command: SecretCommand, limit: Duration, environment: @escaping (String) -> String?, on loop: EventLoop,
        completion: @escaping (Result<String, Failure>) -> Void
    ) {
        self.command = command
        self.limit = limit
        self.environment = environment
        self.loop = loop
        self.completion = completion
    }

    /// Starts the program.
    package func start() {
        do throws(Failure) {
            guard !command.words.isEmpty else {
                throw .badArgument(what: command.option, why: "the command is missing; write exec:COMMAND")
            }
            let program = try ProgramCommand(command.words, option: command.option, environment: environment)
            do throws(IOError) {
                try start(program)
            } catch {
                throw command.failure("\(error)")
            }
        } catch {
            finish(.failure(error))
        }
    }

    private func start(_ program: ProgramCommand) throws(IOError) {
        // Keeps this run until the program has exited, so one that was killed is reaped, too.
        let process = try PipedProcess(program.words, at: program.path, environment: nil, on: loop) { _ in
            self.exited()
        }
        self.process = process
        process.input.close()
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
        timer.start(after: limit)
    }

    /// Asks the program to exit. The completion is not called.
    package func cancel() {
        guard !isOver else { return }
        isOver = true
        if let process, process.process.exit == nil { process.process.signalGroup(.terminate) }
        release()
    }

    private func receive(_ bytes: RawSpan) {
        guard !isOver else { return }
        bytes.withUnsafeBytes { outputBytes += $0 }
        if outputBytes.count > Self.maximumBytes {
            kill(because: "it wrote more than \(Phrase.count(Self.maximumBytes, "byte"))")
        }
    }

    private func kill(because words: String) {
        guard !isOver else { return }
        process?.process.signalGroup(.kill)
        finish(.failure(command.failure(words)))
    }

    private func exited() {
        guard !isOver else { return release() }
        for pipe in [output, errors] { pipe?.takeRest(atMost: ProgramOutput.pipeBytes) }
        end()
    }

    /// Ends if the program has exited, and the pipes that matter have ended.
    private func end(isFinal: Bool = false) {
        guard !isOver, let exit = process?.process.exit else { return }
        let pipes = exit == .status(0) ? [output] : [output, errors]
        guard isFinal || pipes.allSatisfy({ $0?.isOver ?? true }) else {
            return lastReadingTimer.start(after: Self.lastReadingLimit)
        }
        let result = result(of: exit)
        release()
        finish(result)
    }

    private func finish(_ result: Result<String, Failure>) {
        isOver = true
        timer.stop()
        lastReadingTimer.stop()
        completion(result)
    }

    private func release() {
        process = nil
        for pipe in [output, errors] { pipe?.close() }
    }

    private func result(of exit: ChildProcess.Exit) -> Result<String, Failure> {
        guard exit == .status(0) else { return .failure(command.failure("it \(exit.words)\(lastError)")) }
        if outputBytes.last == UInt8(ascii: "\n") { outputBytes.removeLast() }
        if outputBytes.last == UInt8(ascii: "\r") { outputBytes.removeLast() }
        guard !outputBytes.isEmpty else { return .failure(command.failure("it wrote nothing to standard output")) }
        guard let text = String(validating: outputBytes, as: UTF8.self) else {
            return .failure(command.failure("its output is not UTF-8 text"))
        }
        return .success(text)
    }

    /// The last line of standard error, to follow the exit.
    private var lastError: String {
        let lines = errorBytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") })
        return lines.last.map { ": " + escapingControls(String(decoding: $0, as: UTF8.self)) } ?? ""
    }
}

extension SecretProgram {
    /// Runs a program to its end, on a loop of its own.
    /// - Throws: ``Failure/badArgument(what:why:)``, or the failure that a signal requests.
    package static func output(
        of command: SecretCommand, limit: Duration, environment: @escaping (String) -> String?
    ) throws(Failure) -> String {
        let loop: EventLoop
        do throws(IOError) {
            loop = try EventLoop()
        } catch {
            throw .system(error)
        }
        var result: Result<String, Failure>?
        let program = SecretProgram(command, limit: limit, environment: environment, on: loop) {
            result = $0
            loop.stop()
        }
        let stopRequests = try StopRequests(on: loop) { request in
            program.cancel()
            result = .failure(request.failure)
            loop.stop()
        }
        program.start()
        if result == nil { loop.run() }
        return try withExtendedLifetime(stopRequests) { () throws(Failure) in
            try (result ?? .failure(command.failure("it was not run"))).get()
        }
    }
}
