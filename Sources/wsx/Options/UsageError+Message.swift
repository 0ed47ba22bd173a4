import CommandLine
import WSCore

extension UsageError {
    /// The error as one line without a newline, for standard error.
    ///
    /// Control characters are escaped so that the line cannot control a terminal or forge a log entry. The secrets of a
    /// URL, and the user and password of an address, are hidden.
    var message: String {
        "wsx: "
            + escapingControls(
                words(of: "wsx") { text in
                    let start = text.utf8.prefix { $0 != UInt8(ascii: "@") }
                    return start.contains(UInt8(ascii: ":")) ? WebSocketURL.shown(text) : text
                })
    }
}
