import Formats
import WSCore

extension Console {
    /// The maximum number of lines of a response's head. With those of the body, the error fits on 24 rows.
    private static let shownHeadLines = 11

    /// Reports a failure. For a rejected upgrade, it also shows the head of the response and the beginning of its body.
    func report(_ failure: Failure) {
        if let message = failure.message { error(message) }
        guard let (head, body, bodyIsTruncated) = failure.refusal else { return }
        var lines = ReportedHead.lines(of: head).prefix(Self.shownHeadLines).joined(separator: "\n") + "\n"
        let hiddenCount = 1 + head.fields.count - Self.shownHeadLines
        if hiddenCount > 0 { lines += "… (\(Phrase.count(hiddenCount, "more field")); -v shows all)\n" }
        lines += "\n"
        show(lines + body.withUnsafeBytes { SafeText.beginning(of: $0.bytes, isCut: bodyIsTruncated) })
    }
}
