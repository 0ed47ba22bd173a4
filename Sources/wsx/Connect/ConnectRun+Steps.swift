import WSCore

// What `-v` shows of the way to the server.
extension ConnectRun {
    /// Shows a step, without the secrets in it.
    func show(_ step: Connector.Step) {
        guard settings.arguments.verbosity > 0 else { return }
        switch step {
        case .reached(let peer, let proxy):
            console.notice("Reached \(peer)" + (proxy.map { ", the proxy \($0)" } ?? ""))
        case .sent(let head): show(ReportedHead.lines(ofSent: head), .sent)
        case .received(let head): show(ReportedHead.lines(of: head), .received)
        case .secured(let summary, let proxy):
            console.notice(ReportedTLS.lines(summary, with: proxy).joined(separator: "\n"))
        case .redirected(let url): console.notice("Redirected to \(url)")
        }
    }

    private func show(_ lines: [String], _ direction: Transcript.Direction) {
        for line in lines { console.show(transcript.head(line, direction)) }
    }
}
