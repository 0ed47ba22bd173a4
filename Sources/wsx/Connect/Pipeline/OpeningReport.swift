import WSCore

extension Connector.Step {
    /// The step in lines, with secrets removed. Those of a request or a response have a direction.
    var report: (lines: [String], direction: Transcript.Direction?) {
        switch self {
        case .reached(let peer, let proxy): (["Reached \(peer)" + (proxy.map { ", the proxy \($0)" } ?? "")], nil)
        case .sent(let head): (ReportedHead.lines(ofSent: head), .sent)
        case .received(let head): (ReportedHead.lines(of: head), .received)
        case .secured(let summary, let proxy): (ReportedTLS.lines(summary, with: proxy), nil)
        case .redirected(let url): (["Redirected to \(url)"], nil)
        }
    }
}
