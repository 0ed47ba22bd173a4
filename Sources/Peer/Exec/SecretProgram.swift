import Formats
import UserInterface
import WSCore

/// A run of the program of ``SecretCommand``. Its input is empty, and it inherits the environment.
///
///     program ── standard output ──► the secret
///        └────── standard error ───► the last line, if the program fails
package final class SecretProgram {
    private static let maximumBytes = 64 << 10

    let command: SecretCommand
    private let limit: Duration
    private let environment: (String) -> String?
    private let loop: EventLoop
    private let completion: (Result<String, Failure>) -> Void
    private var run: ProgramRun?

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
            completion(.failure(error))
        }
    }

    private func start(_ program: ProgramCommand) throws(IOError) {
        run = try ProgramRun(
            program, environment: nil, limit: limit, remedy: " (--connect-timeout)", maximumBytes: Self.maximumBytes,
            on: loop
        ) { [completion, command] result in
            completion(
                result.mapError { command.failure($0.words) }.flatMap { Self.text(of: $0, from: command) })
        }
    }

    /// Asks the program to exit. The completion is not called.
    package func cancel() { run?.cancel() }

    /// The secret in an output.
    private static func text(of output: [UInt8], from command: SecretCommand) -> Result<String, Failure> {
        var output = output
        if output.last == UInt8(ascii: "\n") { output.removeLast() }
        if output.last == UInt8(ascii: "\r") { output.removeLast() }
        guard !output.isEmpty else { return .failure(command.failure("it wrote nothing to standard output")) }
        guard let text = String(validating: output, as: UTF8.self) else {
            return .failure(command.failure("its output is not UTF-8 text"))
        }
        return .success(text)
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
