import CommandLine
import LoadTest
import UserInterface

/// The stages of a load: `100@1m,500@5m,0@30s`.
enum StagesValue {
    /// The maximum number of stages. Each one has a histogram.
    static let most = 100

    /// Parses targets from 0 through `largest` with their durations.
    static func parse(_ text: String, largest: Int) throws(ValueProblem) -> LoadStages {
        var stages: [LoadStages.Stage] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            stages.append(try stage(part, largest: largest))
        }
        guard stages.count <= most else { throw .tooManyStages(most) }
        let load = LoadStages(stages)
        guard load.duration > .zero, load.maximum > 0 else { throw .emptyStages }
        guard load.duration <= DurationValue.longest else { throw .durationOutOfRange(zeroAllowed: false) }
        return load
    }

    private static func stage(_ text: Substring, largest: Int) throws(ValueProblem) -> LoadStages.Stage {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw .notStages }
        do throws(ValueProblem) {
            return LoadStages.Stage(
                target: try CountValue.parse(String(parts[0]), zeroAllowed: true, largest: largest),
                duration: try DurationValue.parse(String(parts[1])))
        } catch {
            switch error {
            case .notACount, .notADuration: throw .notStages
            default: throw error
            }
        }
    }
}

extension ValueProblem {
    static let notStages = unusable(words: "expected targets with durations, such as 100@1m,500@5m,0@30s")
    static let emptyStages = unusable(words: "expected at least one target and one duration above 0")
    static func tooManyStages(_ limit: Int) -> ValueProblem { unusable(words: "expected at most \(limit) stages") }
    static func notAThreshold(_ error: ThresholdError) -> ValueProblem { unusable(words: "\(error)") }
}
