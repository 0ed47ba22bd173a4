import Formats
import WSCore

/// What is told of the clients of `wsx listen` as they come and go, and of requests that were none of a client's.
final class ClientLog {
    private let arguments: ListenArguments
    private let loop: EventLoop
    private let console: Console
    private let transcript: Transcript
    private var hasReportedLimit = false

    /// The longest request target that is shown, in bytes.
    private static let shownTargetBytes = 120

    /// Makes the log of a run, which goes to `console`.
    init(_ arguments: ListenArguments, on loop: EventLoop, console: Console, transcript: Transcript) {
        self.arguments = arguments
        self.loop = loop
        self.console = console
        self.transcript = transcript
    }

    /// Tells of a client whose request is accepted.
    func opened<Handler: ConnectionHandler>(_ client: Server<Handler>.Client) {
        let request = client.upgrade.request
        let subprotocol = client.upgrade.subprotocol.map { ", subprotocol \($0)" } ?? ""
        // Without the query, where tokens may stand; --verbose shows it.
        let path = request.path ?? request.target
        let shown = path.utf8.count > Self.shownTargetBytes ? "\(path.prefix(Self.shownTargetBytes))…" : path
        console.notice(
            escapingControls("Client \(client.number) connected from \(client.address): \(shown)\(subprotocol)"))
        guard isVerbose else { return }
        for line in client.tls.map({ ReportedTLS.lines($0, with: nil) }) ?? [] {
            console.notice("Client \(client.number): \(line)")
        }
        for line in ReportedHead.lines(of: request) {
            console.show(transcript.head(line, .received, client: client.number))
        }
        for line in ReportedHead.lines(ofSent: String(decoding: client.responseBytes, as: UTF8.self)) {
            console.show(transcript.head(line, .sent, client: client.number))
        }
    }

    /// Takes down what ``ended(_:_:of:client:_:)`` is to say of a client that has come; nil: nothing is to be said.
    func line<Handler: ConnectionHandler>(for client: Server<Handler>.Client) -> ConnectionLogLine? {
        guard isKept else { return nil }
        return ConnectionLogLine(
            address: client.address, request: client.upgrade.request, acceptTime: loop.turnTime)
    }

    /// Tells of a client's end, and of why we left it of our own accord.
    /// - Parameter line: What was taken down when the client came.
    func ended<Handler: ConnectionHandler>(
        _ end: ConnectionEnd, _ cause: DisconnectReason?, of connection: Connection<Handler>, client number: Int,
        _ line: ConnectionLogLine
    ) {
        let reason = end.reason.isEmpty ? "" : " \(quoted(end.reason))"
        let why = (cause?.words ?? end.violation.map { "\($0)\(Failure.remedy(for: $0))" }).map { ", \($0)" } ?? ""
        let (sent, received) = (connection.sentTraffic, connection.receivedTraffic)
        console.notice(
            line.words(
                "Client \(number) disconnected: \(end.code.rawValue)\(reason)\(why)", status: 101,
                now: loop.turnTime, receivedBytes: received.wireBytes, sentBytes: sent.wireBytes))
        guard isVerbose else { return }
        let traffic = TrafficReport.words(sent: sent, received: received, showsWire: true)
        console.notice("Client \(number): \(traffic)")
    }

    /// Tells of a request that was refused.
    func refused(_ refusal: HandshakeRefusal, _ facts: OpeningFacts) {
        guard isKept else { return }
        console.notice(
            ConnectionLogLine(address: facts.address, request: refusal.request, acceptTime: facts.acceptTime).words(
                "Refused a request: \(refusal.status)", status: nil, now: loop.turnTime,
                receivedBytes: facts.receivedBytes, sentBytes: facts.sentBytes, reason: refusal.reason))
    }

    /// Tells of a request that asked for no WebSocket, and of its answer.
    func answered(_ served: ServedRequest) {
        guard isKept else { return }
        let isPage = served.request.method == "GET" || served.request.method == "HEAD"
        let method = isPage ? served.request.method : quoted(served.request.method)
        console.notice(
            ConnectionLogLine(address: served.address, request: served.request, acceptTime: served.acceptTime).words(
                "Answered \(method): \(served.status)", status: nil, now: served.endTime,
                receivedBytes: served.receivedBytes, sentBytes: served.sentBytes,
                reason: served.isComplete ? nil : "the client did not take everything"))
    }

    /// Tells of a client with whom there is no TLS.
    func failedToSecure(_ error: TLSError, _ facts: OpeningFacts) {
        guard isKept else { return }
        console.notice(
            ConnectionLogLine(address: facts.address, request: nil, acceptTime: facts.acceptTime).words(
                "Refused a client: TLS", status: nil, now: loop.turnTime, receivedBytes: facts.receivedBytes,
                sentBytes: facts.sentBytes, reason: "\(error)"))
    }

    /// Says once that clients have to wait.
    func reachedLimit<Handler: ConnectionHandler>(_ limit: Server<Handler>.Limit) {
        if !hasReportedLimit { console.reportLimit(limit, isShared: arguments.server.threadCount > 1) }
        hasReportedLimit = true
    }

    /// Whether there is to be a line for every client.
    private var isKept: Bool { !arguments.transcript.display.isQuiet }
    private var isVerbose: Bool { arguments.transcript.verbosity > 0 }
}

/// Why the server disconnected a client.
enum DisconnectReason {
    /// No message in either direction for this long.
    case idle(Duration)
    /// Nothing received for this long, through this many heartbeats.
    case silent(for: Duration, misses: Int)

    /// What the log says.
    var words: String {
        switch self {
        case .idle(let limit): "idle for \(Phrase.duration(limit))"
        case .silent(_, let misses): "no answer to \(Phrase.count(misses, "heartbeat"))"
        }
    }

    /// What it is a failure of; nil: it is none.
    var failure: Failure? {
        switch self {
        case .idle: nil
        case .silent(let silence, let misses): .silent(for: silence, misses: misses)
        }
    }
}
