/// The profiles and URLs that completion scripts offer.
enum CompletionTargets {
    /// The operand of `wsx completions` that prints them, one per line.
    static let word = "targets"
}
