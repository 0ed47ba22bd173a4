import CommandLine
import Conversation
import WSCore

extension Scenario {
    /// Reads the scenario that the arguments name, or returns `nil` if there is none.
    /// - Parameters:
    ///   - playsPeer: Whether to play the opposite side.
    ///   - secrets: Reads environment variables.
    /// - Throws: ``Failure/badArgument(what:why:)``, which names the line and the column.
    static func make(
        _ arguments: ScenarioArguments, playsPeer: Bool = false, secrets: Secrets
    ) throws(Failure) -> Scenario? {
        guard let path = arguments.path else { return nil }
        let contents = try HeaderFiles.contents(of: path, for: "--scenario")
        var options = ScenarioOptions { text in
            do throws(ValueProblem) { return try DurationValue.parse(text) } catch { return nil }
        }
        options.environment = secrets.environment
        options.ignoredPointers = Set(arguments.ignoredPointers)
        options.playsPeer = playsPeer
        do throws(ScenarioError) {
            return try Scenario(contents.span.bytes, options)
        } catch {
            throw .badArgument(
                what: "--scenario \(escapingControls(path)), line \(error.line), column \(error.column)",
                why: error.reason)
        }
    }
}
