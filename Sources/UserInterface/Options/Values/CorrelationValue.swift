import CommandLine
import Conversation

/// The value of `--correlate`.
package enum CorrelationValue {
    package static let manual: MarkedText = """
        *FIELD* is the name of a member of the JSON object, such as `id`, or a path such as `/params/id` or \
        `.params.id`. If replies have the value elsewhere, write *REQUEST*`=`*REPLY*[`,`*REPLY*...], as in \
        `/header/id=/parent/id`. The first field with the value of a request in flight counts.
        """

    package static func parse(_ value: String) throws(ValueProblem) -> Correlation {
        guard let correlation = Correlation(value) else { throw .notAField }
        return correlation
    }
}
