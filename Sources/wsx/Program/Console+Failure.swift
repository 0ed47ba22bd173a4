import WSCore

extension Console {
    /// Says what went wrong, with what a server that refused the upgrade had to say.
    func report(_ failure: Failure) {
        if let message = failure.message { error(message) }
        guard let (head, body, bodyIsTruncated) = failure.refusal else { return }
        let lines = ReportedHead.lines(of: head).joined(separator: "\n") + "\n\n"
        var text = body.withUnsafeBytes { SafeText.text($0.bytes) }
        if bodyIsTruncated { text += "\n… (the rest of the body is not shown)" }
        if !text.isEmpty, !text.hasSuffix("\n") { text += "\n" }
        show(lines + text)
    }
}
