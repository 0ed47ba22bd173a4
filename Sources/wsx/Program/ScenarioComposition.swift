import CommandLine
import Conversation
import WSCore

extension Scenario {
    /// Reads the scenario that the arguments name, or returns `nil` if there is none.
    /// - Parameters:
    ///   - variables: The variables that are set from outside, such as the columns of a data file.
    ///   - playsPeer: Whether to play the opposite side.
    ///   - secrets: Reads environment variables.
    /// - Throws: ``Failure/badArgument(what:why:)``, which names the line and the column.
    static func make(
        _ arguments: ScenarioArguments, variables: VariableNames = VariableNames(), playsPeer: Bool = false,
        secrets: Secrets
    ) throws(Failure) -> Scenario? {
        guard let path = arguments.path else { return nil }
        let contents = try HeaderFiles.contents(of: path, for: "--scenario")
        var options = ScenarioOptions(arguments)
        options.variables = variables
        options.environment = secrets.environment
        options.playsPeer = playsPeer
        return try make(contents, path: path, options)
    }

    /// Reads a scenario.
    /// - Parameter path: The path of the file, for errors.
    /// - Throws: ``Failure/badArgument(what:why:)``, which names the line and the column.
    static func make(_ contents: [UInt8], path: String, _ options: ScenarioOptions) throws(Failure) -> Scenario {
        do throws(ScenarioError) {
            return try Scenario(contents.span.bytes, options)
        } catch {
            throw .badArgument(
                what: "--scenario \(escapingControls(path)), line \(error.line), column \(error.column)",
                why: error.suggestion)
        }
    }

    /// Notices that only the first connection of a recording is played.
    func noteOtherConnections(in arguments: ScenarioArguments, on console: Console) {
        guard let line = otherConnectionLine, let path = arguments.path else { return }
        console.notice(
            "\(escapingControls(path)): only the first connection is played; line \(line) belongs to another one")
    }
}

extension ScenarioOptions {
    /// Options from arguments.
    init(_ arguments: ScenarioArguments) {
        self.init { text in
            do throws(ValueProblem) { return try DurationValue.parse(text) } catch { return nil }
        }
        ignoredPointers = Set(arguments.ignoredPointers)
    }
}

extension ScenarioError {
    /// The mistake and its remedy. For an unknown name, the remedy is the most similar known name, if there is one.
    fileprivate var suggestion: String {
        reason(intendedName: unknownName.flatMap { EditDistance.nearest(to: $0.name, among: $0.known) })
    }
}
