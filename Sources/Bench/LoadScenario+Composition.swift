import CommandLine
import Conversation
import Formats
import LoadTest
import Peer
import UserInterface
import WSCore

/// The scenarios of a load as typed, before the number of connections is known.
struct WeightedScenarios {
    /// The values of `--scenario`, 1 or more.
    private let sources: [String]
    private let scenarios: [LoadScenario]
    private let weights: [Double]

    /// Reads the scenarios that the arguments name, or returns `nil` if there are none.
    /// - Parameters:
    ///   - columns: The columns of the data file, which are variables of the scenario, or `nil` without one.
    ///   - codecs: The codecs of binary messages, or `nil` if there are none.
    ///   - protocolSelection: The protocol whose lines the steps send, or `nil` if there is none.
    ///   - secrets: Reads environment variables.
    /// - Throws: ``Failure/badArgument(what:why:)``, which names the line and the column.
    static func make(
        _ arguments: ScenarioArguments, columns: VariableNames?, codecs: MessageCodecs?,
        protocolSelection: ProtocolSelection?, secrets: Secrets
    ) throws(Failure) -> WeightedScenarios? {
        guard !arguments.loadFiles.isEmpty else { return nil }
        guard arguments.loadFiles.count <= ScenarioMix.most else {
            throw .badArgument(what: "--scenario", why: "expected at most \(ScenarioMix.most) scenarios")
        }
        let files = arguments.loadFiles.map { NumberedFile($0) }
        var (scenarios, weights): ([LoadScenario], [Double]) = ([], [])
        // The files with the names of scenarios and of steps.
        var owners: [String: String] = [:]
        for (source, file) in zip(arguments.loadFiles, files) {
            let what = "--scenario \(escapingControls(source))"
            guard let weight = file.value, weight > 0, weight <= 1e9 else {
                throw .badArgument(what: what, why: "expected a weight above 0 after the colon, such as 70 or 0.5")
            }
            guard (file.number == nil) == (files[0].number == nil) else {
                throw .badArgument(what: what, why: "give each scenario a weight, or none")
            }
            let scenario = try LoadScenario.make(
                file.path, name: files.count > 1 ? stem(of: file.path) : nil, arguments, columns: columns,
                codecs: codecs, protocolSelection: protocolSelection, secrets: secrets)
            if let name = scenario.name, scenarios.contains(where: { $0.name == name }) {
                throw .badArgument(
                    what: what, why: "results would have two scenarios named '\(escapingControls(name))'; rename a file"
                )
            }
            for name in [scenario.name].compactMap(\.self) + scenario.stepNames {
                guard let owner = owners.updateValue(file.path, forKey: name) else { continue }
                throw .badArgument(
                    what: what,
                    why: "results would have two entries named '\(escapingControls(name))', of "
                        + "\(escapingControls(owner)) and \(escapingControls(file.path)); rename a file or a step")
            }
            scenarios.append(scenario)
            weights.append(weight)
        }
        return WeightedScenarios(sources: arguments.loadFiles, scenarios: scenarios, weights: weights)
    }

    /// The name of a file without its folder and its extension.
    private static func stem(of path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        guard let point = name.lastIndex(of: "."), point > name.startIndex else { return String(name) }
        return String(name[..<point])
    }

    /// The subprotocol of the recorded connections, or `nil` if there was none.
    /// - Parameter isGiven: Whether the user names one.
    /// - Throws: ``Failure/badArgument(what:why:)`` if they differ.
    func subprotocol(isGiven: Bool) throws(Failure) -> String? {
        let subprotocol = scenarios.first?.subprotocol
        guard isGiven || scenarios.allSatisfy({ $0.subprotocol == subprotocol }) else {
            throw .badArgument(
                what: "--scenario", why: "the recordings have different subprotocols; choose one with --subprotocol")
        }
        return subprotocol
    }

    /// Distributes the connections among the scenarios.
    /// - Parameter limit: What limits the number of connections: an option.
    /// - Throws: ``Failure/badArgument(what:why:)`` if there is none for a scenario.
    func mix(connectionCount: Int, limitedBy limit: String) throws(Failure) -> ScenarioMix {
        let mix = ScenarioMix(scenarios, weights: weights, connectionCount: connectionCount)
        guard let index = mix.firstUnused else { return mix }
        throw .badArgument(
            what: "--scenario \(escapingControls(sources[index]))",
            why:
                "none of \(Phrase.count(connectionCount, "connection")) would play it; raise \(limit) or its weight"
        )
    }
}

extension LoadScenario {
    /// Reads a scenario.
    fileprivate static func make(
        _ path: String, name: String?, _ arguments: ScenarioArguments, columns: VariableNames?, codecs: MessageCodecs?,
        protocolSelection: ProtocolSelection?, secrets: Secrets
    ) throws(Failure) -> LoadScenario {
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
        return LoadScenario(scenario, name: name) { [values, contents] in
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
