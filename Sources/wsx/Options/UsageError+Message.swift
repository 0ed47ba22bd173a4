import CommandLine
import WSCore

extension UsageError {
    /// The one line, without its newline, that standard error shows.
    ///
    /// What was typed appears with its control characters escaped, so that it cannot drive a terminal or a log, and
    /// without the user and password of a URL or an address.
    var message: String {
        "wsx: "
            + escapingControls(
                words(of: "wsx") { text in
                    let start = text.utf8.prefix { $0 != UInt8(ascii: "@") }
                    return start.contains(UInt8(ascii: ":")) ? WebSocketURL.withoutUserInfo(text) : text
                })
    }
}
