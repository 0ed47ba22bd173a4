import Conversation
import Formats
import UserInterface
import WSCore

/// The programs of `--answer … => exec:COMMAND` of a run, at most so many at once. A message beyond waits for one to exit.
package final class AnswerPrograms {
    /// The texts that a program has written, or why it has failed, in words.
    typealias Completion = (Result<[[UInt8]], ProgramRun.Problem>) -> Void

    /// A message for a program.
    final class Job {
        fileprivate let command: ProgramCommand
        fileprivate let message: [UInt8]
        fileprivate let environment: [String: [UInt8]]
        fileprivate let completion: Completion
        fileprivate var run: ProgramRun?

        fileprivate init(
            _ command: ProgramCommand, _ message: [UInt8], _ environment: [String: [UInt8]],
            _ completion: @escaping Completion
        ) {
            (self.command, self.message, self.environment, self.completion) = (
                command, message, environment, completion
            )
        }

        /// Whether the program has been started.
        var isRunning: Bool { run != nil }
    }

    /// The time that a program has to exit.
    private static let timeLimit = Duration.seconds(30)
    /// The maximum size of what a program writes, in bytes.
    private static let maximumBytes = 1 << 20
    /// The usual number of programs at once.
    package static let usualCount = 16

    private let commands: [[String]: ProgramCommand]
    private let maximumCount: Int
    private let loop: EventLoop
    /// The programs that have not exited.
    private var runs: [ProgramRun] = []
    private var waiting: [Job] = []

    /// Prepares the programs of a run. Returns `nil` if there are none.
    /// - Parameters:
    ///   - commands: See ``ProgramCommand/commands(of:_:)``.
    ///   - maximumCount: The maximum number of programs at once.
    package init?(
        _ commands: [[String]: ProgramCommand], atMost maximumCount: Int = usualCount, on loop: EventLoop
    ) {
        guard !commands.isEmpty else { return nil }
        (self.commands, self.maximumCount, self.loop) = (commands, maximumCount, loop)
    }

    /// The number of descriptors for programs: three pipes and the process for each.
    package var descriptorCount: Int { 4 * maximumCount }

    /// Starts a program for a message as soon as there is room for it.
    /// - Parameters:
    ///   - words: The name of the program, and its arguments.
    ///   - environment: The variables that describe the client.
    ///   - completion: Called once, and not before this call returns, unless the job is canceled.
    func submit(
        _ words: [String], _ message: RawSpan, environment: [String: [UInt8]], completion: @escaping Completion
    ) -> Job {
        guard let command = commands[words] else { preconditionFailure("an unknown program answers") }
        let job = Job(command, message.withUnsafeBytes { Array($0) }, environment, completion)
        waiting.append(job)
        startWaiting()
        return job
    }

    /// Asks the program of a job to exit. Its completion is not called.
    func cancel(_ job: Job) {
        job.run?.cancel()
        waiting.removeAll { $0 === job }
    }

    /// Ends all programs, even if they ignore the request.
    package func kill() {
        waiting = []
        for run in runs { run.kill() }
    }

    private func startWaiting() {
        while runs.count < maximumCount, !waiting.isEmpty { start(waiting.removeFirst()) }
    }

    private func start(_ job: Job) {
        let variables = job.environment.merging(job.command.environment.mapValues { Array($0.utf8) }) { $1 }
        let environment = variables.map { Array("\($0)=".utf8) + $1 }
        do throws(IOError) {
            let run = try ProgramRun(
                job.command, environment: environment, message: job.message, limit: Self.timeLimit,
                maximumBytes: Self.maximumBytes, on: loop
            ) { [unowned self] in
                runs.removeAll(where: \.isGone)
                startWaiting()
            } completion: { result in
                job.completion(result.flatMap(Self.texts))
            }
            job.run = run
            runs.append(run)
        } catch {
            loop.atEndOfTurn(DeferredWork { job.completion(.failure(ProgramRun.Problem(words: "\(error)"))) })
        }
    }

    /// The lines of an output, each a text message.
    private static func texts(of output: [UInt8]) -> Result<[[UInt8]], ProgramRun.Problem> {
        guard UTF8Validator.isValid(output.span.bytes) else {
            return .failure(ProgramRun.Problem(words: "its output is not UTF-8 text"))
        }
        var splitter = RecordSplitter(.lines)
        var texts: [[UInt8]] = []
        _ = splitter.split(output.span.bytes) { line in
            texts.append(line.withUnsafeBytes { Array($0) })
            return true
        }
        splitter.finish { line in texts.append(line.withUnsafeBytes { Array($0) }) }
        return .success(texts)
    }
}

/// The programs that answer the messages of one connection.
///
///     AutoReply ─► AnswerPrograms ─► AutoReply: in the order of the messages ─► send
package final class ProgramAnswers {
    /// The maximum number of messages that wait for programs.
    private static let maximumJobs = 1024

    private let answers: AutoReply
    private let programs: AnswerPrograms
    private let send: ([UInt8]) -> Void
    private let report: (String) -> Void
    private let didChange: () -> Void
    private var jobs: [Int: AnswerPrograms.Job] = [:]

    /// Runs the programs that the rules of a connection ask for, until ``cancel()``.
    /// - Parameters:
    ///   - environment: The variables that describe the client of a server. Defaults to none.
    ///   - send: Sends an answer.
    ///   - report: Receives the reason why a message was not answered.
    ///   - didChange: Called after a program has ended, and its answers have been sent.
    package init(
        _ answers: AutoReply, by programs: AnswerPrograms, environment: [String: [UInt8]] = [:],
        send: @escaping ([UInt8]) -> Void,
        report: @escaping (String) -> Void, didChange: @escaping () -> Void
    ) {
        self.answers = answers
        self.programs = programs
        self.send = send
        self.report = report
        self.didChange = didChange
        answers.startProgram = { [unowned self] words, message, ticket in
            // A message may have many records. Beyond it, the peer pauses.
            guard jobs.count < Self.maximumJobs else {
                answers.programEnded(ticket, with: [])
                return report("\(Phrase.grouped(Self.maximumJobs)) messages wait for programs")
            }
            jobs[ticket] = programs.submit(words, message, environment: environment) { [weak self] result in
                self?.ended(ticket, words, result)
            }
        }
    }

    deinit { cancel() }

    /// Whether no program runs, and no answer waits for one.
    package var isIdle: Bool { jobs.isEmpty }
    /// Whether the peer should pause: a message waits for a program to start, or many answers for one to end.
    package var isFull: Bool { answers.holdsMuch || jobs.values.contains { !$0.isRunning } }

    /// Gives up what has not been answered, because the connection has ended.
    /// - Returns: The number of messages for programs that are not answered.
    @discardableResult
    package func cancel() -> Int {
        for job in jobs.values { programs.cancel(job) }
        defer { jobs = [:] }
        answers.discardWaiting()
        return jobs.count
    }

    private func ended(_ ticket: Int, _ words: [String], _ result: Result<[[UInt8]], ProgramRun.Problem>) {
        // A program that cannot be started ends after the turn, in which the job may have been given up.
        guard jobs.removeValue(forKey: ticket) != nil else { return }
        switch result {
        case .success(let texts): answers.programEnded(ticket, with: texts)
        case .failure(let problem):
            answers.programEnded(ticket, with: [])
            report("running '\(escapingControls(words.first ?? ""))': \(problem.words)")
        }
        for text in answers.takeWaiting() { send(text) }
        didChange()
    }
}

extension ProgramCommand {
    /// Finds the programs that answer messages, by their words.
    /// - Parameter secrets: Reads environment variables.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package static func commands(
        of plan: AutoReply.Plan?, _ secrets: Secrets
    ) throws(Failure) -> [[String]: ProgramCommand] {
        var commands: [[String]: ProgramCommand] = [:]
        for words in plan?.answers.compactMap(\.program) ?? [] {
            commands[words] = try ProgramCommand(words, option: "--answer", environment: secrets.environment)
        }
        return commands
    }
}
