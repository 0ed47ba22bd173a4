import WSCore

/// Makes text from a peer safe to show on a terminal.
enum SafeText {
    /// The first lines of the body of a rejection, and the number of hidden lines. The limit keeps the error above on
    /// the screen.
    ///
    /// Lines end with LF, CRLF, or CR. Control characters are escaped; invalid UTF-8 becomes U+FFFD.
    /// - Parameters:
    ///   - isCut: Whether `body` is incomplete.
    ///   - maximumLines: The maximum number of lines.
    /// - Returns: Lines that each end with a newline; empty for an empty body.
    static func beginning(of body: RawSpan, isCut: Bool, maximumLines: Int = 8) -> String {
        let text = body.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        // CRLF is one Character.
        var lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
        if lines.last?.isEmpty ?? false { lines.removeLast() }
        let shown = lines.prefix(maximumLines).map { shortened($0) + "\n" }
        let hiddenCount = lines.count - shown.count
        guard hiddenCount > 0 || isCut else { return shown.joined() }
        let count = hiddenCount > 0 ? "\(hiddenCount) more line\(hiddenCount == 1 ? "" : "s")" : "more"
        return shown.joined() + "\(Glyphs.ellipsis) (\(isCut && hiddenCount > 0 ? "at least " : "")\(count))\n"
    }

    /// The maximum length of a line in Unicode scalars, because a Character can have any number of them.
    private static let maximumLineScalars = 200

    /// The beginning of a line, in printable form.
    static func shortened(_ line: Substring, maximumScalars: Int = maximumLineScalars) -> String {
        // An escape is longer than its character.
        let escaped = escapingControls(String(line.unicodeScalars.prefix(maximumScalars)), keepingLayout: true)
        let isCut = max(line.unicodeScalars.count, escaped.unicodeScalars.count) > maximumScalars
        return isCut ? String(escaped.unicodeScalars.prefix(maximumScalars)) + Glyphs.ellipsis : escaped
    }
}
