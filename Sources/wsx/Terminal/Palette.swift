/// The colours of transcripts and notices: the terminal's own basic ones, which its user has chosen to be legible. Those
/// that are pale on one kind of background (yellow, white, black) are left out.
struct Palette {
    /// What is told apart by its look.
    enum Style {
        case sent
        case received
        case binary
        /// Pings, pongs, sizes and times.
        case quiet
        case close
        case failure
        case key
        case string
        case number
        case literal
        /// What a search has found.
        case match

        /// What the terminal is told (ECMA-48 §8.3.117, Select Graphic Rendition).
        fileprivate var code: String {
            switch self {
            case .sent, .number: "36"
            case .received, .string: "32"
            case .binary, .literal: "35"
            case .quiet: "2"
            case .close: "1"
            case .failure: "31"
            case .key: "1;34"
            case .match: "7"
            }
        }
    }

    /// Whether anything is coloured.
    let isEnabled: Bool

    /// What went out.
    func sent(_ text: String) -> String { styled(text, .sent) }
    /// What came in.
    func received(_ text: String) -> String { styled(text, .received) }
    /// Control frames, sizes and times.
    func quiet(_ text: String) -> String { styled(text, .quiet) }
    /// Errors.
    func failure(_ text: String) -> String { styled(text, .failure) }

    /// The text in a style; nil: as it is.
    func styled(_ text: String, _ style: Style?) -> String {
        beginning(of: style) + text + end(of: style)
    }

    /// What switches a style on.
    func beginning(of style: Style?) -> String {
        guard isEnabled, let style else { return "" }
        return "\u{1B}[\(style.code)m"
    }

    /// What switches it off.
    func end(of style: Style?) -> String {
        isEnabled && style != nil ? "\u{1B}[0m" : ""
    }
}
