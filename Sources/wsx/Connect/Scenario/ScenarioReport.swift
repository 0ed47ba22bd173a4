import Conversation
import Formats
import WSCore

/// Reports the steps of a scenario: a line for each on standard output, and a JUnit file.
final class ScenarioReport {
    private struct Passed {
        let index: Int
        let nanoseconds: UInt64
    }

    private struct Failed {
        let index: Int
        let nanoseconds: UInt64
        let reason: String
    }

    private let scenario: Scenario
    private let arguments: ScenarioArguments
    private let palette: Palette
    private let secrets: SecretRecord
    /// Whether to write only the step that has failed.
    private let isQuiet: Bool
    private let file: OutputFile?
    private var passed: [Passed] = []
    private var problem: Failure?

    /// Opens the JUnit file, to fail early.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    init(_ scenario: Scenario, _ arguments: ScenarioArguments, console: Console) throws(Failure) {
        self.scenario = scenario
        self.arguments = arguments
        isQuiet = console.isQuiet
        secrets = console.secrets
        palette = console.colors(on: StandardDescriptors.output)
        do throws(IOError) {
            file = try arguments.junitPath.map { (path) throws(IOError) in try OutputFile(creating: path) }
        } catch {
            throw .badArgument(what: "--junit \(escapingControls(arguments.junitPath ?? ""))", why: error.fileProblem)
        }
    }

    /// Reports a step that has passed.
    func passed(_ index: Int, nanoseconds: UInt64) {
        passed.append(Passed(index: index, nanoseconds: nanoseconds))
        guard !isQuiet else { return }
        write("\(palette.styled("ok  ", .received))  \(words(for: index))  \(Self.milliseconds(nanoseconds)) ms\n")
    }

    /// Reports the step that has failed, if any, and writes the JUnit file.
    /// - Parameters:
    ///   - failure: Why the run fails, or `nil` if every step has passed.
    ///   - nanoseconds: The duration of the failed step.
    /// - Returns: The failure to write, or `nil`.
    func finish(_ failure: Failure?, nanoseconds: UInt64) -> Failure? {
        var failed: Failed?
        if case .scenarioFailed(let failure)? = failure {
            let reason = secrets.masking("\(failure.reason)")
            failed = Failed(index: failure.step, nanoseconds: nanoseconds, reason: reason)
            write("\(palette.failure("FAIL"))  \(words(for: failure.step))  \(reason)\n")
        } else if let failure {
            // The run failed in the first step that has not passed.
            failed = Failed(
                index: min(passed.count, scenario.steps.count - 1), nanoseconds: nanoseconds,
                reason: secrets.masking(failure.message ?? "interrupted"))
        }
        guard let file, let path = arguments.junitPath else { return problem }
        let error = StandardDescriptors.writeAll(junit(failed), to: file.descriptor)
        return problem ?? error.map { .writing(path: path, $0) }
    }

    private func write(_ line: String) {
        let error = StandardDescriptors.writeAll(line, to: StandardDescriptors.output)
        if let error, error != .brokenPipe, problem == nil { problem = .output(error) }
    }

    /// The line, action, and name of a step: `line 3: receive (login)`.
    private func words(for index: Int) -> String {
        let step = scenario.steps[index]
        return "line \(step.line): \(Self.verb(step.action))" + (step.name.map { " (\(escapingControls($0)))" } ?? "")
    }

    private static func verb(_ action: Scenario.Step.Action) -> String {
        switch action {
        case .send: "send"
        case .receive: "receive"
        case .sendPing: "send ping"
        case .sendPong: "send pong"
        case .receivePing: "receive ping"
        case .receivePong: "receive pong"
        case .close: "close"
        case .drop: "drop the connection"
        case .receiveClose: "receive close"
        case .pause: "pause"
        }
    }

    private static func milliseconds(_ nanoseconds: UInt64) -> String {
        FixedPoint.text(Double(nanoseconds) / 1e6, digits: 1)
    }

    // MARK: JUnit

    /// The results in the JUnit XML format: a test case for each step.
    private func junit(_ failed: Failed?) -> String {
        var suite = JUnitSuite(name: arguments.path ?? "")
        for index in scenario.steps.indices {
            if let failed, failed.index == index {
                suite.add(words(for: index), .failed(reason: failed.reason), nanoseconds: failed.nanoseconds)
            } else if index < passed.count {
                suite.add(words(for: index), .passed, nanoseconds: passed[index].nanoseconds)
            } else {
                suite.add(words(for: index), .skipped)
            }
        }
        return suite.text
    }
}
