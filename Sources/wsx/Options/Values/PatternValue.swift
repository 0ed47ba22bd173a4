import Formats

/// A regular expression that is to be found in messages.
enum PatternValue {
    /// Returns the expression as it is, once it is known to be one.
    static func parse(_ text: String) throws(ValueProblem) -> String {
        do throws(PatternError) {
            _ = try Pattern(text)
            return text
        } catch {
            throw .notAPattern(error)
        }
    }
}
