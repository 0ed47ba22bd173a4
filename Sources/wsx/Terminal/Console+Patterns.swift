import Formats
import WSCore

extension Console {
    /// Says so, once, when it cannot be decided whether a text matches.
    func watch(_ pattern: Pattern) {
        let shown = escapingControls(pattern.source)
        pattern.didGiveUp = { [weak self] in
            self?.error(
                "searching '\(shown)': it takes too many steps or too much memory on some text, which counts as not "
                    + "matching; try one that repeats nothing that is repeated")
        }
    }
}
