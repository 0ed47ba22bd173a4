import CommandLine
import Conversation
import LoadTest
import Peer
import UserInterface
import WSCore

extension LoadScenario {
    /// Reads the scenario that the arguments name, or returns `nil` if there is none.
    /// - Parameters:
    ///   - columns: The columns of the data file, which are variables of the scenario, or `nil` without one.
    ///   - codecs: The codecs of binary messages, or `nil` if there are none.
    ///   - protocolSelection: The protocol whose lines the steps send, or `nil` if there is none.
    ///   - secrets: Reads environment variables.
    /// - Throws: ``Failure/badArgument(what:why:)``, which names the line and the column.
    static func make(
        _ arguments: ScenarioArguments, columns: VariableNames?, codecs: MessageCodecs?,
        protocolSelection: ProtocolSelection?, secrets: Secrets
    ) throws(Failure) -> LoadScenario? {
        guard let path = arguments.path else { return nil }
        // Threads compile the scenario with the same values.
        var values: [String: String] = [:]
        var (contents, options) = try Scenario.steps(in: path, arguments)
        options.variables = columns ?? VariableNames()
        options.add(codecs)
        options.environment = { name in
            let value = secrets.inserted(name)
            values[name] = value
            return value
        }
        let scenario = try Scenario.make(
            contents, path: path, options, encoders: codecs?.encoders ?? [], lineCheck: protocolSelection?.lineCheck)
        if scenario.sendsSecret { secrets.record.addMessage(of: "--scenario") }
        let (variables, connection) = (options.variables, options.connection)
        return LoadScenario(scenario) { [values, contents] in
            var options = ScenarioOptions(arguments)
            (options.variables, options.connection) = (variables, connection)
            options.add(codecs)
            options.environment = { values[$0] }
            do throws(ScenarioError) {
                return try Scenario(contents.span.bytes, options)
            } catch {
                preconditionFailure("a valid scenario cannot be read: \(error)")
            }
        }
    }
}

extension ScenarioOptions {
    /// Adds the codecs of received messages.
    fileprivate mutating func add(_ codecs: MessageCodecs?) {
        guard let codecs else { return }
        (decoders, decodedLimitBytes) = (codecs.decoders, codecs.limitBytes)
    }
}

extension Threshold {
    /// The step that has the name of the condition's time, which the condition then is about; `nil` if there is none.
    func step(among names: [String]?) -> String? {
        measureName.flatMap { name in names?.contains(name) == true ? name : nil }
    }

    /// Checks that the steps and stages of conditions exist, and that those of `--abort` are known during the run.
    /// - Parameters:
    ///   - option: The option of the conditions.
    ///   - names: The names of the steps, or `nil` if there is no scenario.
    ///   - stages: The names of the stages with results.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    static func check(
        _ conditions: [Threshold], for option: String, steps names: [String]?, stages: [String]
    ) throws(Failure) {
        for condition in conditions {
            if option == "--abort", !condition.isKnownDuringRun, condition.step(among: names) == nil {
                throw .badArgument(
                    what: "--abort '\(escapingControls(condition.expression))'",
                    why: "\(condition.metricName) is known only at the end of a run; use --threshold")
            }
            guard let name = condition.stepName, names?.contains(name) != true else { continue }
            if try condition.isAboutStage(name, for: option, stages: stages) { continue }
            let what = "\(option) '\(escapingControls(condition.expression))'"
            guard let names, !names.isEmpty else {
                throw .badArgument(
                    what: what, why: "\(ThresholdError.unknownMetric(condition.metricName)) of a step of --scenario")
            }
            let remedy =
                EditDistance.nearest(to: name, among: names).map { "did you mean '\(escapingControls($0))'?" }
                ?? "the steps are " + names.map { "'\(escapingControls($0))'" }.joined(separator: ", ")
            throw .badArgument(what: what, why: "no step has the name '\(escapingControls(name))'; \(remedy)")
        }
    }
}
