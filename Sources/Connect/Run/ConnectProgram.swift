import Peer
import UserInterface
import WSCore

/// The program of `wsx connect --exec`, from its start until its process group is gone.
///
///      InputReader  ◄── standard output ── program ── standard error ──► diagnostics
///      MessageWriter ── standard input ──►
///
///      running ──connection ends──► input closed ──grace──► terminating ──grace──► gone
///         └──── the program exits, and its group is empty ───────────────────────────▲
///
/// Its standard error is read to the end, for at most a second after its group has ended.
final class ConnectProgram {
    /// The stages of the program's life.
    private enum Stage: Equatable {
        case notStarted
        case running
        /// Its input is closed, and it has a grace period to exit.
        case inputClosed
        /// Its process group has received SIGTERM, and is killed at `killTime`.
        case terminating(killTime: Duration)
        /// Its process group has ended, and the rest of its standard error is read.
        case readingErrors
        /// Nothing is left of it.
        case gone
    }

    let pipes: ProgramPipes
    /// The program's name, as it appears in messages.
    var name: String { command.name }
    private let command: ProgramCommand
    private let grace: Duration
    private let loop: EventLoop
    private let diagnostics: Diagnostics
    private unowned let run: ConnectRun
    private var process: ChildProcess?
    private var errors: ProgramErrors?
    private var stage = Stage.notStarted
    /// Whether the program exited before receiving a signal.
    private var endedByItself = false
    private var isKilled = false
    /// Why the program could not start.
    private var startProblem: IOError?
    /// Reads output that nothing can be done with, so SIGPIPE does not kill a program that is about to exit by itself.
    private var discardedOutput: DescriptorReader?
    /// Limits the time for reading the output of a program that has exited.
    private var lastReadingTimer: Timer?
    /// Whether output that cannot be sent has been reported.
    private var hasReportedBadOutput = false
    private lazy var timer = Timer(on: loop) { [unowned self] in timeHasCome() }

    /// The interval of checks whether the rest of a process group has ended.
    private static let groupInterval = Duration.milliseconds(20)
    /// How long to read a pipe after the end of the program, in case another process holds it open.
    private static let lastReadingLimit = Duration.seconds(1)

    /// Prepares the program without starting it.
    init(
        _ command: ProgramCommand, pipes: ProgramPipes, grace: Duration, on loop: EventLoop, diagnostics: Diagnostics,
        run: ConnectRun
    ) {
        self.command = command
        self.pipes = pipes
        self.grace = grace
        self.loop = loop
        self.diagnostics = diagnostics
        self.run = run
    }

    /// How the program exited, or `nil` if it has not.
    var exit: ChildProcess.Exit? { process?.exit }
    /// Whether no process is left.
    var isGone: Bool { stage == .gone || stage == .notStarted }

    /// The failure of the run because of the program, or `nil` if there is none. A program that wsx had to end has not
    /// failed.
    var failure: Failure? {
        if let startProblem { return .program("running \(name): \(startProblem)") }
        guard let exit, endedByItself, exit != .status(0) else { return nil }
        return .program("\(name) \(exit.words)")
    }

    /// Starts the program for an open connection.
    /// - Returns: Whether it has started.
    func start(for opened: borrowing Connector.Opened, isVerbose: Bool) -> Bool {
        var environment = command.environment
        environment["WSX_URL"] = "\(opened.request.url)"
        environment["WSX_SUBPROTOCOL"] = opened.upgrade.subprotocol
        do throws(IOError) {
            process = try pipes.start(
                command.words, at: command.path, environment: environment.map { Array("\($0)=\($1)".utf8) }, on: loop
            ) { [unowned self] _ in exited() }
        } catch {
            startProblem = error
            return false
        }
        stage = .running
        errors = ProgramErrors(pipes.errors, prefix: "\(name) | ", to: diagnostics, on: loop) { [unowned self] in
            finishReading()
        }
        if isVerbose, let process { diagnostics.notice("\(name) is process \(process.identifier)") }
        return true
    }

    // MARK: Ending

    /// Ends the program after the connection, first by closing its input.
    func endInput() {
        guard stage == .running else { return }
        stage = .inputClosed
        run.outputs.messages?.close()
        pipes.closeInput()
        discardOutput()
        timer.start(after: grace)
    }

    /// Kills the program and all processes in its group.
    func kill() {
        guard !isGone, let process else { return }
        stage = .gone
        process.signalGroup(.kill)
        process.waitForExit(atMost: .seconds(1))
    }

    private func discardOutput() {
        do throws(IOError) {
            discardedOutput = try DescriptorReader(descriptor: pipes.fromProgram, on: loop) { _ in
            } finish: { _ in
            }
            discardedOutput?.start()
        } catch {
            // The pipe may fill up. Then the program gets SIGTERM after its grace period.
        }
    }

    private func exited() {
        endedByItself = stage == .running || stage == .inputClosed
        guard stage != .gone else { return }
        if let process, process.hasGroup {
            if case .terminating = stage {} else { terminate() }
            timer.start(after: Self.groupInterval, every: Self.groupInterval)
        } else {
            groupIsGone()
        }
        outputEnds()
    }

    /// Ends the connection after the program's last output.
    private func outputEnds() {
        endConnection()
        guard !run.state.isEnding else { return }
        let timer = Timer(on: loop) { [unowned self] in
            // Data that waits for the connection is read late.
            if run.isFull || !run.isPeerReady { return outputEnds() }
            // Another process may hold the pipe open.
            run.input.closeReader()
            run.input.end()
            endConnection()
        }
        lastReadingTimer = timer
        timer.start(after: Self.lastReadingLimit)
    }

    /// Ends the connection if the program has exited and all its output has been read.
    func endConnection() {
        guard let exit, run.input.isOver, !run.state.isEnding else { return }
        lastReadingTimer = nil
        if run.input.close == nil { run.input.end(with: exit.closeFrame(or: run.settings.closeFrame)) }
        run.endAsAsked()
    }

    /// Handles output that cannot be sent. A line that is not a message is dropped, and the first one is reported. A line
    /// that is too long ends the run, and so does a message that the options cannot convert.
    /// - Parameter line: The name of the line, if it is not the current one.
    func received(badOutput problem: InputProblem, named line: String) {
        switch problem {
        case .tooLongRecord(let limit):
            run.input.end(with: CloseFrame(code: .internalError, reason: "a line is too long"))
            run.end(with: .program(InputProblem.words(forLineOf: name, longerThan: limit)))
        case .notEncodable, .notACall, .notARequest, .notALine, .notATemplate:
            run.input.end(with: CloseFrame(code: .internalError, reason: "a line cannot be sent"))
            let line = line == run.input.recordName ? "line \(run.input.recordNumber)" : line
            run.end(with: .program("\(line) of \(name)'s output was not sent: \(problem)"))
        default:
            guard !hasReportedBadOutput else { return }
            hasReportedBadOutput = true
            diagnostics.error(problem.words(forLine: run.input.recordNumber, of: name))
        }
    }

    private func timeHasCome() {
        switch stage {
        case .notStarted, .running, .gone: break
        case .readingErrors: end()
        case .inputClosed:
            terminate()
            // Repeat, because processes of its group may remain after the program.
            timer.start(after: grace, every: Self.groupInterval)
        case .terminating(let killTime):
            guard let process else { return }
            if process.exit != nil, !process.hasGroup { return groupIsGone() }
            guard loop.now >= killTime, !isKilled else { return }
            isKilled = true
            diagnostics.notice("wsx: \(name) \(ChildProcess.Exit.killedWords)")
            process.signalGroup(.kill)
            if process.exit != nil { groupIsGone() }
        }
    }

    private func terminate() {
        process?.signalGroup(.terminate)
        stage = .terminating(killTime: loop.now + grace)
    }

    private func groupIsGone() {
        stage = .readingErrors
        errors?.takeRest(atMost: ProgramOutput.pipeBytes)
        timer.start(after: Self.lastReadingLimit)
        finishReading()
    }

    private func finishReading() {
        if stage == .readingErrors, errors?.isOver ?? true { end() }
    }

    private func end() {
        stage = .gone
        timer.stop()
        if run.state.isDraining { run.stopLoop() }
    }
}
