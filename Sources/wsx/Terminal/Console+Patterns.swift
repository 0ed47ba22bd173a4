import Formats
import WSCore

extension Console {
    /// Reports once that a search reached its limits.
    func watch(_ pattern: Pattern) {
        let shown = escapingControls(pattern.source)
        pattern.didGiveUp = { [weak self] in
            self?.error(
                "searching '\(shown)': some text needs too many steps or too much memory and counts as not matching; "
                    + "avoid nested repetitions such as (a+)+")
        }
    }
}
