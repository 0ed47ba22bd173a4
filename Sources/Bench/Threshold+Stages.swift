import CommandLine
import Formats
import LoadTest
import UserInterface
import WSCore

extension Threshold {
    /// Whether the condition is about a stage, which must exist.
    /// - Parameters:
    ///   - name: The name of the step or stage of the condition.
    ///   - option: The option of the condition.
    ///   - names: The names of the stages with results.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    func isAboutStage(_ name: String, for option: String, stages names: [String]) throws(Failure) -> Bool {
        if names.contains(name) { return true }
        let number = name.utf8.dropFirst("stage".utf8.count)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard name.hasPrefix("stage"), !number.isEmpty, number.allSatisfy({ digits ~= $0 }) else { return false }
        let what = "\(option) '\(escapingControls(expression))'"
        guard let first = names.first, let last = names.last else {
            let why =
                switch option {
                case "--abort": "the results of a stage are known only at the end; use --threshold"
                case "--find-rate": "a search has no stages"
                default: "there are no stages; add --stages, or a --rate with stages"
                }
            throw .badArgument(what: what, why: why)
        }
        let range = names.count == 1 ? "the only stage is \(first)" : "the stages are \(first) to \(last)"
        throw .badArgument(what: what, why: "there is no '\(name)'; \(range)")
    }
}
