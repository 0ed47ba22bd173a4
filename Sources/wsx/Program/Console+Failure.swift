import WSCore

extension Console {
    /// Reports a failure. A refused upgrade is followed by the head of the response and the beginning of its body.
    func report(_ failure: Failure) {
        if let message = failure.message { error(message) }
        guard let (head, body, bodyIsTruncated) = failure.refusal else { return }
        let lines = ReportedHead.lines(of: head).joined(separator: "\n") + "\n\n"
        show(lines + body.withUnsafeBytes { SafeText.beginning(of: $0.bytes, isCut: bodyIsTruncated) })
    }
}
