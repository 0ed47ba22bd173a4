import Formats
import WSCore

extension Console {
    /// Says so, once, when it cannot be decided whether a text matches.
    func watch(_ pattern: Pattern) {
        let shown = escapingControls(pattern.source)
        pattern.didGiveUp = { [weak self] in
            self?.error(
                "searching '\(shown)': some text needs too many steps or too much memory and counts as not matching; "
                    + "avoid nested repetitions such as (a+)+")
        }
    }
}
