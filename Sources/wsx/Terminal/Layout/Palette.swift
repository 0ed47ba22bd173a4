/// The colors of transcripts and notices. They are the terminal's basic colors, which users adjust to be legible,
/// except those that are pale on some backgrounds: yellow, white, and black.
struct Palette {
    /// The roles that have a color.
    enum Style {
        case sent
        case received
        case binary
        /// Pings, pongs, sizes, and times.
        case quiet
        case close
        /// The name and topic of an event.
        case heading
        case failure
        case key
        case string
        case number
        case literal
        /// A search match.
        case match

        /// The parameters of the escape sequence (ECMA-48 §8.3.117, Select Graphic Rendition).
        fileprivate var code: String {
            switch self {
            case .sent, .number: "36"
            case .received, .string: "32"
            case .binary, .literal: "35"
            case .quiet: "2"
            case .close, .heading: "1"
            case .failure: "31"
            case .key: "1;34"
            case .match: "7"
            }
        }
    }

    /// Whether colors are used.
    let isEnabled: Bool

    /// Sent messages.
    func sent(_ text: String) -> String { styled(text, .sent) }
    /// Received messages.
    func received(_ text: String) -> String { styled(text, .received) }
    /// Control frames, sizes, and times.
    func quiet(_ text: String) -> String { styled(text, .quiet) }
    /// Errors.
    func failure(_ text: String) -> String { styled(text, .failure) }

    /// The text in a style; nil: unchanged.
    func styled(_ text: String, _ style: Style?) -> String {
        beginning(of: style) + text + end(of: style)
    }

    /// The escape sequence that starts a style.
    func beginning(of style: Style?) -> String {
        guard isEnabled, let style else { return "" }
        return "\u{1B}[\(style.code)m"
    }

    /// The escape sequence that ends it.
    func end(of style: Style?) -> String {
        isEnabled && style != nil ? "\u{1B}[0m" : ""
    }
}
