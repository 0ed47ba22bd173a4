import Formats
import WSCore

extension ConnectError {
    /// The report of a failure to connect to `url`, which has no credentials.
    func report(connectingTo url: String) -> FailureReport {
        var (report, target) = (report, url)
        switch self {
        case .timedOut(_, _, let peer?, let redirectCount) where redirectCount <= 1: target = peer
        case .handshake(.closedBeforeResponse) where url.hasPrefix("ws://"):
            report.message =
                "the server closed the connection without a response; wrong port, a wss:// server, or a missing "
                + "--subprotocol?"
        default: break
        }
        report.message = report.message.map { "connecting to \(target): \($0)" }
        return report
    }

    private var report: FailureReport {
        switch self {
        case .unresolvable(let host, let error):
            .init(.connect, Self.words(forLookupOf: host, error), isWorthRetrying: error.mayPass)
        case .noAddress(let host):
            .init(.connect, "\(host) has no address of the requested family; try without -4 or -6")
        case .unknownZone(let zone, let host):
            .init(.connect, "\(host): this machine has no interface '\(zone)'; list the interfaces with 'ip link'")
        case .unreachable(let attempts):
            .init(
                .connect, Self.words(for: attempts, of: "server"),
                isWorthRetrying: attempts.contains { $0.error.isTemporary })
        case .lost(let error, let phase):
            .init(.connect, "\(error) \(Self.words(forLossIn: phase))", isWorthRetrying: error.isTemporary)
        case .proxyChoice(let error): .init(.proxy, "\(error)", status: .usage)
        case .proxyUnreachable(let proxy, .unreachable(let attempts)):
            .init(
                .proxy, "the proxy \(proxy): \(Self.words(for: attempts, of: "proxy"))",
                isWorthRetrying: attempts.contains { $0.error.isTemporary })
        case .proxyUnreachable(let proxy, let error):
            .init(
                .proxy, "the proxy \(proxy): \(error.report.message ?? "")",
                isWorthRetrying: error.report.isWorthRetrying)
        case .proxy(let proxy, let error):
            .init(.proxy, "the proxy \(proxy): \(error)", isWorthRetrying: error.isTemporary)
        case .proxySecurity(let proxy, let error):
            .init(.tls, "the proxy \(proxy): \(error) (\(error.identifier))", isWorthRetrying: error.isTemporary)
        case .security(let error):
            .init(.tls, "\(error) (\(error.identifier))", isWorthRetrying: error.isTemporary)
        case .redirect(let error): .init(.handshake, "\(error)")
        case .receivedLocation(let error): .init(.handshake, "--reconnect-url, as a message says: \(error)")
        case .negotiation(let reason): .init(.handshake, reason)
        case .handshake(let error):
            .init(
                .handshake, error.description, status: Self.status(of: error), isWorthRetrying: error.isTemporary)
        case .loginRefused(let error, let login): .init(.handshake, error.description(login: login))
        case .certificateMissing(let error): .init(.handshake, error.description(lacksCertificate: true))
        case .compression(let error): .init(.handshake, error.description, status: .violation)
        case .timedOut(_, let limit, _, let redirectCount) where redirectCount > 1:
            .init(
                .timeout,
                "timed out after \(Phrase.duration(limit)) and \(redirectCount) redirects, perhaps in a loop; check "
                    + "the server, or raise --connect-timeout", isWorthRetrying: true)
        case .timedOut(let phase, let limit, _, _):
            .init(.timeout, Self.words(forTimeout: limit, in: phase), isWorthRetrying: true)
        }
    }

    private static func status(of error: HandshakeError) -> ExitStatus {
        switch error {
        case .refused: .refused
        // Without a response, there is no violation.
        case .closedBeforeResponse, .incompleteResponse, .http2(.closedBeforeSettings), .http2(.goAway): .unreachable
        case .http2(.noExtendedConnect), .http2(.reset): .refused
        default: .violation
        }
    }

    private static func words(forLossIn phase: Phase) -> String {
        switch phase {
        case .tunnelling: "while waiting for the proxy's response; see the proxy's log"
        case .upgrading: "during the upgrade; check the port, the path, and --subprotocol, and see the server's log"
        default: "during the \(phase.rawValue); check the port, and see the server's log"
        }
    }

    private static func words(forLookupOf host: String, _ error: IOError) -> String {
        switch error {
        case .unknownName, .noAddress: "no such host: \(host); check the name"
        case .nameServiceBusy: "cannot look up \(host): the name server does not answer; check the network connection"
        default: "cannot look up \(host): \(error)"
        }
    }

    private static func words(forTimeout limit: Duration, in phase: Phase) -> String {
        let cause =
            switch phase {
            case .resolving: "the name server does not answer; check the network, or"
            case .connecting: "the host does not answer; check the address and any firewall, or"
            case .tunnelling: "the proxy does not answer; check its port, or"
            case .securing:
                "the port is open, but does not answer the TLS handshake; wrong port, or a ws:// server? Otherwise,"
            case .upgrading: "the port is open, but does not answer the HTTP request; wrong port? Otherwise,"
            }
        return "timed out after \(Phrase.duration(limit)): \(cause) raise --connect-timeout"
    }

    /// The most addresses that an error line lists: a name may have dozens.
    private static let listedAttempts = 4

    private static func words(
        for attempts: [(address: String, error: AttemptError)], of target: String
    ) -> String {
        var parts = attempts.prefix(listedAttempts).map { "\($0.address): \($0.error)" }
        let rest = attempts.count - parts.count
        if rest > 0 { parts.append("\(rest) more address\(rest == 1 ? "" : "es")") }
        let remedy =
            switch attempts.last?.error {
            case .system(.connectionRefused), .system(.noSuchFile): "; is the \(target) running?"
            case .system(.networkUnreachable), .system(.hostUnreachable):
                "; check the address and the network connection"
            case .source(_, .addressNotAvailable): "; give an address of this machine with --source-ip"
            case .noSource: "; add one with --source-ip"
            case .missingZone: "; write one like [fe80::1%eth0]"
            default: ""
            }
        return parts.joined(separator: ", ") + remedy
    }
}
