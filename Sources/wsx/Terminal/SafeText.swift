import WSCore

/// Makes what a peer sent fit to be shown on a terminal.
enum SafeText {
    /// The bytes as text in which line feeds and tabs act, and everything else that could drive a terminal is shown
    /// as an escape; what is not UTF-8 shows as U+FFFD.
    static func text(_ payload: RawSpan) -> String {
        payload.withUnsafeBytes { escapingControls(String(decoding: $0, as: UTF8.self), keepingLayout: true) }
    }
}
