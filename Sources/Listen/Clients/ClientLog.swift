import Formats
import UserInterface
import WSCore

/// Logs the clients of `wsx listen` as they connect and disconnect, and requests that did not become clients.
final class ClientLog {
    private let arguments: ListenArguments
    private let loop: EventLoop
    private let diagnostics: Diagnostics
    private let transcript: Transcript
    /// Whether a person reads the log, above a prompt. The lines are then shorter and begin with the time.
    private let isPrompt: Bool
    private var hasReportedLimit = false
    /// The errors of accepting clients that have been reported.
    private var reportedErrorCodes: Set<Int32> = []

    /// The longest request target shown, in bytes.
    private static let shownTargetBytes = 120

    /// Creates the log of a run, which writes to `diagnostics`.
    init(
        _ arguments: ListenArguments, on loop: EventLoop, diagnostics: Diagnostics, transcript: Transcript,
        isPrompt: Bool = false
    ) {
        self.isPrompt = isPrompt
        self.arguments = arguments
        self.loop = loop
        self.diagnostics = diagnostics
        self.transcript = transcript
    }

    /// Logs a client when its request is accepted.
    func opened(_ client: AcceptedClient) {
        guard isKept || isVerbose else { return }
        let request = client.upgrade.request
        let subprotocol = client.upgrade.subprotocol.map { ", subprotocol \(diagnostics.secrets.masking($0))" } ?? ""
        // Omit the query, which may contain tokens; --verbose shows it.
        let version = request.version == .http2 ? ", HTTP/2" : ""
        let words = escapingControls(
            "connected from \(client.address): \(diagnostics.secrets.masking(shownPath(of: request)))\(subprotocol)\(version)"
        )
        if isPrompt {
            noteWithTime("@\(client.number) \(words)")
        } else {
            diagnostics.notice("Client \(client.number) \(words)")
        }
        guard isVerbose else { return }
        for line in client.tls.map({ ReportedTLS.lines($0, with: nil, without: diagnostics.secrets) }) ?? [] {
            diagnostics.notice("Client \(client.number): \(line)")
        }
        for line in ReportedHead.lines(of: request, without: diagnostics.secrets) {
            diagnostics.show(transcript.head(line, .received, client: client.number))
        }
        for line in ReportedHead.lines(of: client.response, without: diagnostics.secrets) {
            diagnostics.show(transcript.head(line, .sent, client: client.number))
        }
    }

    /// Stores the details of a new client for ``ended(_:_:of:client:_:)``; returns `nil` if the log is off.
    func line(for client: AcceptedClient) -> ConnectionLogLine? {
        guard isKept else { return nil }
        return ConnectionLogLine(
            address: client.address, request: client.upgrade.request, acceptTime: loop.turnTime, showsURL: showsURL)
    }

    /// Logs the end of a client, including the reason if the server ended the connection.
    /// - Parameter line: The details stored when the client connected.
    func ended<Handler: ConnectionHandler>(
        _ end: ConnectionEnd, _ cause: DisconnectReason?, of connection: Connection<Handler>, client number: Int,
        _ line: ConnectionLogLine
    ) {
        let reason = end.reason.isEmpty ? "" : " \(quoted(end.reason))"
        let why = (cause?.words ?? end.violation.map { "\($0)\(Failure.remedy(for: $0))" }).map { ", \($0)" } ?? ""
        let (sent, received) = (connection.sentTraffic, connection.receivedTraffic)
        if isPrompt {
            let words =
                "\(Phrase.seconds(line.duration(until: loop.turnTime))), \(received.messages) in, \(sent.messages) out"
                + ConnectionLogLine.words(forLost: end.unsentBytes)
            return noteWithTime("@\(number) disconnected: \(end.code.rawValue)\(reason)\(why); \(words)")
        }
        diagnostics.notice(
            line.words(
                "Client \(number) disconnected: \(end.code.rawValue)\(reason)\(why)", status: line.upgradeStatus,
                now: loop.turnTime, receivedBytes: received.wireBytes, sentBytes: sent.wireBytes,
                lostBytes: end.unsentBytes))
        guard isVerbose else { return }
        let traffic = TrafficReport.words(sent: sent, received: received, showsWire: true)
        diagnostics.notice("Client \(number): \(traffic)")
    }

    /// Logs that the server of a relay has violated the protocol on the connection for a client.
    func serverFailed(_ failure: Failure, for number: Int) {
        guard isKept, let message = failure.message else { return }
        if isPrompt {
            noteWithTime("@\(number) \(message)")
        } else {
            diagnostics.notice("Client \(number): \(message)")
        }
    }

    /// Logs a rejected request.
    func refused(_ refusal: HandshakeRefusal, _ facts: OpeningFacts) {
        guard isKept || isFailureBesideCommand(refusal.status) else { return }
        // Browsers open spare connections, and close them without a request if they need none.
        if refusal.request == nil, facts.receivedBytes == 0, !isVerbose { return }
        if isPrompt {
            let request = refusal.request.map { words(for: $0) } ?? "request"
            return noteWithTime("\(request) \(refusal.status) refused: \(escapingControls(refusal.reason))")
        }
        show(
            ConnectionLogLine(
                address: facts.address, request: refusal.request, acceptTime: facts.acceptTime, showsURL: showsURL
            ).words(
                "Rejected a request: \(refusal.status)", status: nil, now: loop.turnTime,
                receivedBytes: facts.receivedBytes, sentBytes: facts.sentBytes, reason: refusal.reason))
    }

    /// Logs a plain HTTP request and its response.
    func answered(_ served: ServedRequest) {
        guard isKept || (served.reason != nil && isFailureBesideCommand(served.status)) else { return }
        // Either side of a relay may have ended the response.
        let isRelay = arguments.mode.isRelay
        if isPrompt {
            let time = Phrase.milliseconds(served.endTime - served.facts.acceptTime)
            let request = words(for: served.request)
            let why = served.reason.map { ": \(escapingControls($0))" } ?? ""
            let rest = (served.isComplete ? "" : isRelay ? ", cut short" : ", not read to the end") + why
            return noteWithTime("\(request) \(served.status) \(TrafficReport.size(served.sentBytes)) \(time) ms\(rest)")
        }
        let isKnown = Self.knownMethods.contains(served.request.method)
        let method = isKnown ? served.request.method : quoted(served.request.method)
        show(
            ConnectionLogLine(
                address: served.facts.address, request: served.request, acceptTime: served.facts.acceptTime,
                showsURL: showsURL
            ).words(
                "Answered \(method): \(served.status)", status: nil, now: served.endTime,
                receivedBytes: served.receivedBytes, sentBytes: served.sentBytes,
                reason: served.isComplete
                    ? served.reason
                    : isRelay
                        ? "the response was cut short" + (served.reason.map { ": \($0)" } ?? "")
                        : "the client did not read the whole response"))
    }

    /// The methods that are logged without quotes.
    private static let knownMethods: Set = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT"]

    /// Logs a failed TLS handshake.
    /// - Parameter target: The server that the client of an HTTP proxy wants to reach; `nil` for a client of this server.
    func failedToSecure(_ error: TLSError, _ facts: OpeningFacts, for target: ProxyTarget? = nil) {
        guard isKept || runsCommand else { return }
        let reason = target == nil ? "\(error)" : Self.words(forIntercepted: error, facts)
        let name = target.map { " for \($0.host)" } ?? ""
        if isPrompt { return noteWithTime("TLS\(name) failed: \(escapingControls(reason))") }
        show(
            ConnectionLogLine(address: facts.address, request: nil, acceptTime: facts.acceptTime).words(
                "Rejected a client: TLS\(name)", status: nil, now: loop.turnTime, receivedBytes: facts.receivedBytes,
                sentBytes: facts.sentBytes, reason: reason))
    }

    private static func words(forIntercepted error: TLSError, _ facts: OpeningFacts) -> String {
        let remedy =
            "let it trust the authority of 'wsx relay --print-ca' or, if it accepts only certain certificates, leave the "
            + "host out of --intercept"
        return switch error {
        case .ownCertificateRejected(let alert), .alert(let alert, _):
            "the client did not accept the certificate of the relay (\(alert)); \(remedy)"
        case .endedDuringHandshake where facts.sentBytes > 0:
            "the client left when it got the certificate of the relay; \(remedy)"
        case .noApplicationProtocol:
            "the client speaks only HTTP/2, and this proxy HTTP/1.1; leave the host out of --intercept"
        default: "\(error)"
        }
    }

    /// Logs an HTTP/2 connection that ended because of a violation.
    func violatedHTTP2(_ error: HTTP2Error, from address: PeerAddress) {
        guard isKept else { return }
        let words = "HTTP/2 connection from \(address) ended: \(error)"
        if isPrompt { noteWithTime(words) } else { diagnostics.notice(words) }
    }

    /// Reports that a client is closed because it holds memory without making progress.
    func stalled(_ number: Int, holding byteCount: Int) {
        let size = TrafficReport.size(byteCount)
        diagnostics.notice("Client \(number) holds \(size) of scarce memory and makes no progress: closed with 1013")
    }

    /// Reports, once for each cause, that new clients have to wait.
    func reachedLimit<Handler: ConnectionHandler>(_ limit: Server<Handler>.Limit) {
        if case .system(let error) = limit {
            guard reportedErrorCodes.insert(error.code).inserted else { return }
        } else {
            guard !hasReportedLimit else { return }
            hasReportedLimit = true
        }
        let server = arguments.server
        diagnostics.reportLimit(limit, isShared: server.threadCount > 1, refusesStreams: server.acceptsHTTP2)
    }

    /// The method and the path of a request: `GET /index.html`.
    private func words(for request: RequestHead) -> String {
        escapingControls("\(request.method.prefix(Self.maximumMethodCharacters)) \(shownPath(of: request))")
    }

    private func shownPath(of request: RequestHead) -> String {
        let path = showsURL ? request.shownURL : request.path ?? request.target
        return path.utf8.count > Self.shownTargetBytes ? "\(path.prefix(Self.shownTargetBytes))…" : path
    }

    private static let maximumMethodCharacters = 20

    /// Shows a line that begins with the time of day: `15:25:51 GET /nope 404 273 B 0.412 ms`.
    private func noteWithTime(_ words: String) {
        let now = CalendarTime(.now, in: .local)
        let time = "\(padded(now.hour)):\(padded(now.minute)):\(padded(now.second)) "
        diagnostics.notice(time + words, indentation: time.utf8.count)
    }

    /// Shows a line of the log. A command, which has the terminal, is told of failures of the relay.
    private func show(_ line: String) {
        if isKept { diagnostics.notice(line) } else { diagnostics.error(line) }
    }

    /// Whether a status tells the command of a relay that the server was not reached.
    private func isFailureBesideCommand(_ status: Int) -> Bool { runsCommand && status >= 500 }

    private var runsCommand: Bool {
        if case .relay(let relay) = arguments.mode { !relay.command.isEmpty } else { false }
    }
    /// Whether clients name their servers.
    private var showsURL: Bool { arguments.mode.isProxy }
    /// Whether to log each client.
    private var isKept: Bool { !arguments.transcript.display.isQuiet }
    private var isVerbose: Bool { arguments.transcript.verbosity > 0 }
}

/// Why the server disconnected a client.
enum DisconnectReason {
    /// No message in either direction for this duration.
    case idle(Duration)
    /// Nothing received for this duration, despite this many heartbeats.
    case silent(for: Duration, misses: Int)

    /// The reason in the words of the log.
    var words: String {
        switch self {
        case .idle(let limit): "idle for \(Phrase.duration(limit))"
        case .silent(_, let misses): "missed \(Phrase.count(misses, "heartbeat"))"
        }
    }

    /// The corresponding failure, or `nil` if the disconnect is not a failure.
    var failure: Failure? {
        switch self {
        case .idle: nil
        case .silent(let silence, let misses): .silent(for: silence, misses: misses)
        }
    }
}
