import CommandLine
import WSCore

extension Failure {
    /// The same failure, with the place in the configuration file that set the rejected value.
    ///
    /// The parser reports most bad values itself. This is for values that a command interprets later, such as URLs.
    package func naming(_ places: [ConfigurationSource.Place]) -> Failure {
        guard case .badArgument(let what, let why) = self else { return self }
        let causes = places.filter { what == $0.name || what.hasPrefix($0.name + " ") }
        guard let first = causes.first else { return self }
        let lines = causes.map { "\($0.line)" }.joined(separator: ", ")
        let noun = causes.count == 1 ? "line" : "one of the lines"
        return .badArgument(what: what, why: "\(why) (\(escapingControls(first.path)), \(noun) \(lines))")
    }
}
