import WSCore

// The way to the server, as `-v` and `/headers` show it.
extension ConnectRun {
    /// Keeps a step, and shows it to who asked for that, without the secrets in it.
    func took(_ step: Connector.Step) {
        switch step {
        case .reached(let peer, let proxy):
            noticeVerbosely("Reached \(peer)" + (proxy.map { ", the proxy \($0)" } ?? ""))
        case .sent(let head): keep(ReportedHead.lines(ofSent: head), .sent)
        case .received(let head): keep(ReportedHead.lines(of: head), .received)
        case .secured(let summary, let proxy):
            noticeVerbosely(ReportedTLS.lines(summary, with: proxy).joined(separator: "\n"))
        case .redirected(let url): noticeVerbosely("Redirected to \(url)")
        }
    }

    private func noticeVerbosely(_ line: String) {
        if settings.arguments.verbosity > 0 { console.notice(line) }
    }

    private func keep(_ lines: [String], _ direction: Transcript.Direction) {
        for line in lines {
            heads.append((line, direction))
            if settings.arguments.verbosity > 0 { console.show(transcript.head(line, direction)) }
        }
    }
}
