import Conversation
import Formats
import UserInterface
import WSCore

/// Reports the steps of a scenario: a line for each on standard output, or on standard error if messages are written, and a
/// JUnit file.
final class ScenarioReport {
    /// A reply that may consist of several messages.
    struct Reply {
        private let messageCount: Int
        private let firstNanoseconds: UInt64
        private let longestGap: UInt64

        /// - Parameter start: When the step began, on the clock of the reply.
        init(_ reply: ReplyStream, since start: UInt64) {
            messageCount = reply.messageCount
            firstNanoseconds = reply.firstTime > start ? reply.firstTime - start : 0
            longestGap = reply.longestGap
        }

        /// `5 messages, first after 3.0 ms, longest gap 1.2 ms`.
        fileprivate var words: String {
            Phrase.count(messageCount, "message") + ", first after \(milliseconds(firstNanoseconds)) ms"
                + (messageCount > 1 ? ", longest gap \(milliseconds(longestGap)) ms" : "")
        }
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
    /// Takes the lines, or `nil` to write them to standard output.
    private let diagnostics: Diagnostics?
    /// Whether to write only the step that has failed.
    private let isQuiet: Bool
    private let file: OutputFile?
    /// The durations in nanoseconds of the steps that have passed, by index.
    private var passed: [Int: UInt64] = [:]
    /// The optional steps whose messages have not arrived.
    private var skipped: Set<Int> = []
    private var problem: Failure?

    /// Opens the JUnit file, to fail early.
    /// - Parameter besideMessages: Whether standard output is for messages.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    init(
        _ scenario: Scenario, _ arguments: ScenarioArguments, besideMessages: Bool, diagnostics: Diagnostics
    ) throws(Failure) {
        self.scenario = scenario
        self.arguments = arguments
        isQuiet = diagnostics.isQuiet
        secrets = diagnostics.secrets
        self.diagnostics = besideMessages ? diagnostics : nil
        palette = diagnostics.colors(on: besideMessages ? StandardDescriptors.error : StandardDescriptors.output)
        do throws(IOError) {
            file = try arguments.junitPath.map { (path) throws(IOError) in try OutputFile(creating: path) }
        } catch {
            throw .badArgument(what: "--junit \(escapingControls(arguments.junitPath ?? ""))", why: error.fileProblem)
        }
    }

    /// Begins a connection with the first step.
    func begin() {
        passed = [:]
        skipped = []
    }

    /// Reports a step that has passed.
    /// - Parameter reply: The reply that it has waited for, if it may consist of several messages.
    func passed(_ index: Int, nanoseconds: UInt64, _ reply: Reply?) {
        passed[index] = nanoseconds
        guard !isQuiet else { return }
        let details = reply.map { " (\($0.words))" } ?? ""
        write("\(palette.styled("ok  ", .received))  \(words(for: index))  \(milliseconds(nanoseconds)) ms\(details)\n")
    }

    /// Reports an optional step whose message has not arrived.
    func skipped(_ index: Int) {
        skipped.insert(index)
        if !isQuiet { write("skip  \(words(for: index))\n") }
    }

    /// Reports the step that has failed, if any, and writes the JUnit file.
    /// - Parameters:
    ///   - failure: Why the run fails, or `nil` if every step has passed.
    ///   - nanoseconds: The duration of the failed step.
    /// - Returns: The failure to write, or `nil`.
    func finish(_ failure: Failure?, nanoseconds: UInt64) -> Failure? {
        var failed: Failed?
        if case .scenarioFailed(let failure)? = failure {
            let reason = secrets.masking(line: "\(failure.reason)")
            failed = Failed(index: failure.step, nanoseconds: nanoseconds, reason: reason)
            write("\(palette.failure("FAIL"))  \(words(for: failure.step))  \(reason)\n")
        } else if let failure {
            // The run failed in the first step that has not passed.
            let index = scenario.steps.indices.first { passed[$0] == nil && !skipped.contains($0) }
            failed = Failed(
                index: index ?? scenario.steps.count - 1, nanoseconds: nanoseconds,
                reason: secrets.masking(line: failure.message ?? "interrupted"))
        }
        guard let file, let path = arguments.junitPath else { return problem }
        let error = StandardDescriptors.writeAll(junit(failed), to: file.descriptor)
        return problem ?? error.map { .writing(path: path, $0) }
    }

    private func write(_ line: String) {
        if let diagnostics { return diagnostics.show(line) }
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

    // MARK: JUnit

    /// The results in the JUnit XML format: a test case for each step.
    private func junit(_ failed: Failed?) -> String {
        var suite = JUnitSuite(name: arguments.path ?? "")
        for index in scenario.steps.indices {
            if let failed, failed.index == index {
                suite.add(words(for: index), .failed(reason: failed.reason), nanoseconds: failed.nanoseconds)
            } else if let nanoseconds = passed[index] {
                suite.add(words(for: index), .passed, nanoseconds: nanoseconds)
            } else {
                suite.add(words(for: index), .skipped)
            }
        }
        return suite.text
    }
}

private func milliseconds(_ nanoseconds: UInt64) -> String {
    FixedPoint.text(Double(nanoseconds) / 1e6, digits: 1)
}
