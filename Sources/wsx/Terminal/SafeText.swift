import WSCore

/// Makes what a peer sent safe to show on a terminal.
enum SafeText {
    /// The first lines of a body that explains a refusal, then how many follow: the error above it stays on the screen.
    ///
    /// Lines end with LF, CRLF or CR. Everything that could drive a terminal is escaped; invalid UTF-8 becomes U+FFFD.
    /// - Parameters:
    ///   - isCut: Whether there was more than `body`.
    ///   - maximumLines: The most lines to show.
    /// - Returns: Lines that each end with a newline; empty for an empty body.
    static func beginning(of body: RawSpan, isCut: Bool, maximumLines: Int = 8) -> String {
        let text = body.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        // A CRLF is one Character.
        var lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
        if lines.last?.isEmpty ?? false { lines.removeLast() }
        let shown = lines.prefix(maximumLines).map { shortened($0) + "\n" }
        let hiddenCount = lines.count - shown.count
        guard hiddenCount > 0 || isCut else { return shown.joined() }
        let count = hiddenCount > 0 ? "\(hiddenCount) more line\(hiddenCount == 1 ? "" : "s")" : "more"
        return shown.joined() + "… (\(isCut && hiddenCount > 0 ? "at least " : "")\(count))\n"
    }

    /// The most of a line that is shown, in Unicode scalars: a Character can have any number of them.
    private static let maximumLineScalars = 200

    private static func shortened(_ line: Substring) -> String {
        // An escape is longer than what it stands for.
        let escaped = escapingControls(String(line.unicodeScalars.prefix(maximumLineScalars)), keepingLayout: true)
        let shown = String(escaped.unicodeScalars.prefix(maximumLineScalars))
        return shown.utf8.count < line.utf8.count ? shown + "…" : shown
    }
}
