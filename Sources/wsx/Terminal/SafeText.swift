import WSCore

/// Makes what a peer sent safe to show on a terminal.
enum SafeText {
    /// The first lines of a body that explains a refusal, then how many follow: the error above it stays on the screen.
    ///
    /// Lines end with LF or CRLF. Everything that could drive a terminal is escaped; invalid UTF-8 becomes U+FFFD.
    /// - Parameters:
    ///   - isCut: Whether there was more than `body`.
    ///   - maximumLines: The most lines to show.
    ///   - maximumLineCharacters: The most characters to show of a line.
    /// - Returns: Lines that each end with a newline; empty for an empty body.
    static func beginning(
        of body: RawSpan, isCut: Bool, maximumLines: Int = 20, maximumLineCharacters: Int = 300
    ) -> String {
        let text = body.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        // A CRLF is one Character.
        var lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        if lines.last?.isEmpty ?? false { lines.removeLast() }
        let shown = lines.prefix(maximumLines).map { line in
            let beginning = line.prefix(maximumLineCharacters)
            let more = beginning.endIndex < line.endIndex ? "…" : ""
            return escapingControls(String(beginning), keepingLayout: true) + more + "\n"
        }
        let hiddenCount = lines.count - shown.count
        guard hiddenCount > 0 || isCut else { return shown.joined() }
        let count = hiddenCount > 0 ? Failure.number(hiddenCount, "more line") : "more"
        return shown.joined() + "… (\(isCut && hiddenCount > 0 ? "at least " : "")\(count))\n"
    }
}
