import Conversation
import Formats
import WSCore

/// Reports the steps of a scenario: a line for each on standard output, and a JUnit file.
final class ScenarioReport {
    private struct Passed {
        let index: Int
        let nanoseconds: UInt64
    }

    private let scenario: Scenario
    private let arguments: ScenarioArguments
    private let palette: Palette
    private let file: OutputFile?
    private var passed: [Passed] = []
    private var problem: Failure?

    /// Opens the JUnit file, to fail early.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    init(_ scenario: Scenario, _ arguments: ScenarioArguments, console: Console) throws(Failure) {
        self.scenario = scenario
        self.arguments = arguments
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
        write("\(palette.styled("ok  ", .received))  \(words(for: index))  \(Self.milliseconds(nanoseconds)) ms\n")
    }

    /// Reports the step that has failed, if any, and writes the JUnit file.
    /// - Parameter failure: Why the run fails, or `nil` if every step has passed.
    /// - Returns: The failure to write, or `nil`.
    func finish(_ failure: Failure?) -> Failure? {
        var failed: (step: Int, reason: String)?
        if case .scenarioFailed(let failure)? = failure {
            failed = (failure.step, "\(failure.reason)")
            write("\(palette.failure("FAIL"))  \(words(for: failure.step))  \(failure.reason)\n")
        } else if let failure {
            // The run failed in the first step that has not passed.
            failed = (min(passed.count, scenario.steps.count - 1), failure.message ?? "interrupted")
        }
        guard let file, let path = arguments.junitPath else { return problem }
        let error = StandardDescriptors.writeAll(junit(failed), to: file.descriptor)
        return problem ?? error.map { .recording(path: path, $0) }
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
        case .receiveClose: "receive close"
        case .pause: "pause"
        }
    }

    private static func milliseconds(_ nanoseconds: UInt64) -> String {
        FixedPoint.text(Double(nanoseconds) / 1e6, digits: 1)
    }

    // MARK: JUnit

    /// The results in the JUnit XML format: a test case for each step.
    private func junit(_ failed: (step: Int, reason: String)?) -> String {
        let suite = Self.escaped(arguments.path ?? "")
        var cases = ""
        for index in scenario.steps.indices {
            let name = Self.escaped(words(for: index))
            let passed = index < passed.count ? passed[index] : nil
            let seconds = FixedPoint.text(Double(passed?.nanoseconds ?? 0) / 1e9, digits: 6)
            cases += "    <testcase classname=\"\(suite)\" name=\"\(name)\" time=\"\(seconds)\""
            if let failed, failed.step == index {
                cases += "><failure message=\"\(Self.escaped(failed.reason))\"/></testcase>\n"
            } else if passed == nil {
                cases += "><skipped/></testcase>\n"
            } else {
                cases += "/>\n"
            }
        }
        let counts =
            "tests=\"\(scenario.steps.count)\" failures=\"\(failed == nil ? 0 : 1)\" "
            + "skipped=\"\(max(0, scenario.steps.count - passed.count - (failed == nil ? 0 : 1)))\""
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
            + "  <testsuite name=\"\(suite)\" \(counts)>\n\(cases)  </testsuite>\n</testsuites>\n"
    }

    /// A text in an attribute. XML 1.0 has no control characters.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default:
                // XML 1.0 §2.2: control characters, U+FFFE, and U+FFFF are not allowed.
                if scalar.value >= 0x20, scalar.value & 0xFFFE != 0xFFFE {
                    result.unicodeScalars.append(scalar)
                } else {
                    result += "\u{FFFD}"
                }
            }
        }
        return result
    }
}
