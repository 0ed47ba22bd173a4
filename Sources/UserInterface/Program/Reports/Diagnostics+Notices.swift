import Formats
import WSCore

// Notices that several commands share.
extension Diagnostics {
    /// Warns that `--insecure` disables the verification of certificates, other than by `--pin`.
    package func warnIfInsecure(_ tls: TLSArguments, mayUseTLS: Bool) {
        guard tls.isInsecure, mayUseTLS else { return }
        let words =
            tls.pins.isEmpty ? "certificates are not verified (--insecure)" : "only --pin is verified (--insecure)"
        notice("wsx: warning: \(words)")
    }

    /// Reports that a limit makes new clients wait.
    /// - Parameters:
    ///   - isShared: Whether several threads of the process share the descriptors.
    ///   - refusesStreams: Whether there may be HTTP/2 streams, which cannot wait.
    package func reportLimit<Handler: ConnectionHandler>(
        _ limit: Server<Handler>.Limit, isShared: Bool = false, refusesStreams: Bool = false
    ) {
        let effect = refusesStreams ? "new clients wait, and HTTP/2 streams are refused" : "new clients wait"
        switch limit {
        case .descriptors(let count):
            let limit = isShared ? "a thread's share of the limit on open files" : "the limit on open files"
            error("\(limit) is reached with \(Phrase.count(count, "client")): \(effect); raise it with 'ulimit -n'")
        case .connections(let count):
            let clients = Phrase.count(count, "client")
            error("the limit of \(clients) is reached: \(effect); raise --max-connections to serve more")
        case .system(let failure): error("accepting a client: \(failure); trying again")
        }
    }
}

extension Diagnostics {
    /// The maximum number of lines of a response's head. With those of the body, the error fits on 24 rows.
    private static let shownHeadLines = 11
    /// The maximum length of such a line, which is enough for most URLs.
    private static let shownHeadLineScalars = 1000

    /// Reports a failure. For a rejected upgrade, it also shows the head of the response and the beginning of its body.
    package func report(_ failure: Failure) {
        if let message = failure.message { error(message) }
        guard let (head, body, bodyIsTruncated) = failure.refusal else { return }
        var lines = ReportedHead.lines(of: head, without: secrets).prefix(Self.shownHeadLines)
            .map { SafeText.shortened($0[...], maximumScalars: Self.shownHeadLineScalars) }
        let hiddenCount = 1 + head.fields.count - Self.shownHeadLines
        if hiddenCount > 0 {
            lines.append("\(Glyphs.ellipsis) (\(Phrase.count(hiddenCount, "more field")); -v shows all)")
        }
        let text = secrets.masking(body).withUnsafeBytes { SafeText.beginning(of: $0.bytes, isCut: bodyIsTruncated) }
        show(Self.indented(lines.joined(separator: "\n") + "\n\n" + text))
    }

    /// Indents lines of a peer, which must not look like ours: "wsx: …".
    private static func indented(_ lines: String) -> String {
        lines.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "  \($0)" }
            .joined(separator: "\n")
    }

    /// Returns the failure of a run: the first loss if nothing else failed. Reports the other losses.
    package func failure(after failure: Failure?, _ losses: [OutputLoss]) -> Failure? {
        var losses = losses[...]
        let failure = failure ?? losses.popFirst().map { .incompleteOutput($0) }
        for loss in losses { error("\(loss)") }
        return failure
    }
}
