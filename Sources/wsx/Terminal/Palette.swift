/// The colours of transcripts and notices: the terminal's own basic ones, which its user has chosen to be legible.
struct Palette {
    /// Whether anything is coloured.
    let isEnabled: Bool

    /// What went out.
    func sent(_ text: String) -> String { colored(text, "36") }
    /// What came in.
    func received(_ text: String) -> String { colored(text, "32") }
    /// Control frames, sizes and times.
    func quiet(_ text: String) -> String { colored(text, "2") }
    /// Errors.
    func failure(_ text: String) -> String { colored(text, "31") }

    private func colored(_ text: String, _ code: String) -> String {
        isEnabled ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
