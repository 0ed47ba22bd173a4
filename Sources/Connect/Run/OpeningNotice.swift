import Conversation
import Formats
import UserInterface
import WSCore

/// The notices about a connection that has just opened.
enum OpeningNotice {
    /// The line above a prompt: `Connected to wss://h/ in 12 ms (TLS 1.3, permessage-deflate).`
    /// - Parameters:
    ///   - isFirst: Whether this is the first connection of the run.
    ///   - secrets: The secrets of the run. A subprotocol may contain one.
    static func connected(_ opened: Connector.Opened, isFirst: Bool, without secrets: SecretRecord) -> String {
        let agreed =
            (opened.tls.map { [$0.version] } ?? [])
            + (opened.upgrade.subprotocol.map { ["subprotocol \(escapingControls(secrets.masking($0)))"] } ?? [])
            + opened.upgrade.extensions.map { escapingControls($0.name) }
        let parentheses = agreed.isEmpty ? "" : " (\(agreed.joined(separator: ", ")))"
        let help = isFirst ? " /help lists commands." : ""
        return "Connected to \(opened.request.url) in \(Phrase.duration(opened.duration))\(parentheses).\(help)"
    }

    /// The warning about a server that selected none of the offered subprotocols, or `nil` if it did or none was offered.
    /// RFC 6455 §4.2.2 allows that, but such a server may not understand the messages.
    static func unselectedSubprotocols(_ opened: Connector.Opened, without secrets: SecretRecord) -> String? {
        let offered = opened.request.subprotocols
        guard !offered.isEmpty, opened.upgrade.subprotocol == nil else { return nil }
        return "wsx: warning: the server selected none of the subprotocols offered: "
            + escapingControls(secrets.masking(offered.joined(separator: ", ")))
    }
}

extension SecretRecord {
    /// Adds the secrets that a step has sent.
    func add(_ step: Connector.Step) {
        switch step {
        case .sent(let head): add(sentHead: head())
        // The URL of a redirect is the server's choice, which must not hide words of notices.
        case .redirected, .reached, .received, .loggingIn, .secured: break
        }
    }
}

extension Connector.Step {
    /// The step in lines, with secrets removed. Those of a request or a response have a direction.
    /// - Parameter secrets: The secrets of the run, which the peer may repeat.
    func report(without secrets: SecretRecord) -> (lines: [String], direction: Transcript.Direction?) {
        switch self {
        case .reached(let peer, let proxy): (["Reached \(peer)" + (proxy.map { ", the proxy \($0)" } ?? "")], nil)
        case .sent(let head): (ReportedHead.lines(ofSent: head(), without: secrets), .sent)
        case .received(let head): (ReportedHead.lines(of: head, without: secrets), .received)
        case .loggingIn(let scheme, let proxy):
            (["Logging in\(proxy.map { " to the proxy \($0)" } ?? "") with \(scheme), on a new connection"], nil)
        case .secured(let summary, let proxy): (ReportedTLS.lines(summary, with: proxy, without: secrets), nil)
        case .redirected(let request, let next):
            (["Redirected \(ReportedRedirect.words(from: request, to: next))"], nil)
        }
    }
}
