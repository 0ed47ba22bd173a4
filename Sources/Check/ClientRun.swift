import Conformance
import Formats
import UserInterface
import WSCore

/// A run of `wsx check --listen`: plays cases with the clients that connect, as the Autobahn TestSuite does.
///
/// A client asks for the number of cases, connects once for each, and asks for the results:
///
///     /getCaseCount ─► /runCase?case=N&agent=NAME … ─► /updateReports?agent=NAME
package final class ClientRun {
    private let settings: CheckSettings
    private let loop: EventLoop
    private let diagnostics: Diagnostics
    private let cases: [Case]
    private let files: CheckFiles
    private let limits: CaseConnection.Limits
    private let tls: TLSLayer?
    private var listener: StreamListener?
    private var reports: [CheckReport] = []
    private var connectionCount = 0
    /// The number of cases that are being played.
    private var activeCount = 0
    /// Whether the run ends after these.
    private var isEnding = false
    /// The Sec-WebSocket-Key of the latest request.
    private var lastKey = ""
    private var failure: Failure?
    private var stopRequests: StopRequests?
    private let pagePolicy: ServerPolicy

    /// More clients at a time are turned away, and so are more agents, whose results are kept.
    private static let maximumConnectionCount = 256
    private static let maximumAgentCount = 100

    /// Prepares a run.
    /// - Throws: ``Failure``.
    package init(_ settings: CheckSettings, on loop: EventLoop, diagnostics: Diagnostics) throws(Failure) {
        self.settings = settings
        self.loop = loop
        self.diagnostics = diagnostics
        cases = try settings.selection(for: .client)
        files = try CheckFiles(settings.arguments)
        do throws(TLSConfigurationError) {
            tls = try settings.serverTLS.map { (tls) throws(TLSConfigurationError) in try TLSLayer(server: tls) }
        } catch {
            throw .badArgument(what: "TLS", why: "\(error)")
        }
        pagePolicy = try ClientPage.policy()
        limits = CaseConnection.Limits(
            idle: settings.arguments.caseTimeout ?? .seconds(5), pause: .milliseconds(200))
    }

    /// Runs until a signal, or until the results are requested with `--once`. Returns the failure, or `nil` if no case has
    /// failed.
    package func run() -> Failure? {
        do throws(Failure) {
            stopRequests = try StopRequests(timeLimit: settings.arguments.timeout, on: loop) { [unowned self] request in
                // These signals are the way to end the run.
                if request != .interrupt, request != .terminate { failure = request.failure }
                loop.stop()
            }
            try listen(on: settings.arguments.listenAddress ?? "")
        } catch {
            return error
        }
        loop.run()
        listener?.close()
        guard !reports.isEmpty else { return failure ?? .noClients }
        if isEnding { for index in reports.indices { reports[index].addMissing(of: cases) } }
        let problem = CheckReport.write(reports, settings, files, diagnostics: diagnostics)
        return failure ?? problem ?? CheckReport.failure(of: reports)
    }

    private func listen(on address: String) throws(Failure) {
        let place = try ListeningAddress.parse(address, what: "--listen '\(escapingControls(address))'")
        do throws(IOError) {
            let listener = try StreamListener(on: place, loop: loop) { [unowned self] stream, _ in accept(stream) }
            self.listener = listener
            diagnostics.notice(
                "Checking clients with \(Phrase.count(cases.count, "case")) on "
                    + "\(tls == nil ? "ws" : "wss")://\(listener.address ?? place)")
            // Browsers would use HTTP/2, over which there are no pages.
            guard tls == nil || !settings.isHTTP2 else { return }
            diagnostics.notice(
                "To check a browser, open \(ClientPage.url(at: listener.address ?? place, isSecure: tls != nil))")
        } catch {
            throw .listening(address: "\(place)", error)
        }
    }

    private func accept(_ stream: SystemStream) {
        guard connectionCount < Self.maximumConnectionCount else { return stream.close() }
        connectionCount += 1
        RequestReading(of: tls?.accept(stream) ?? stream, limit: limits.idle, acceptsHTTP2: settings.isHTTP2) {
            [unowned self] stream, request in
            guard let request else { return didEnd(stream) }
            answer(Visit(request.head), request, on: stream)
            lastKey = request.head.values(of: "Sec-WebSocket-Key").first ?? ""
        }.start()
    }

    private func didEnd(_ stream: any ByteStream) {
        connectionCount -= 1
        stream.close()
    }

    // MARK: Visits

    private func answer(_ visit: Visit, _ request: ReceivedRequest, on stream: any ByteStream) {
        if let page = ClientPage(request.head, at: visit.path) { return send(page, visit, on: stream) }
        let item = visit.number.flatMap { 1...cases.count ~= $0 ? cases[$0 - 1] : nil }
        var answer: String?
        switch (visit.path, item) {
        case ("/getCaseCount", _): answer = "\(cases.count)"
        case ("/getCaseInfo", let item?): answer = item.info
        case ("/getCaseStatus", let item?):
            let result = report(of: visit.agent)?.results.last { $0.item.id == item.id }
            answer = Self.status(result?.result.verdict)
        case ("/updateReports", _):
            if let report = report(of: visit.agent) { diagnostics.notice(report.sentence) }
        case ("/runCase", let item?):
            guard let index = index(ofAgent: visit.agent) else {
                return refuse(stream, "503 Service Unavailable", "There are results of too many agents.")
            }
            return play(item, index, request, on: stream)
        default:
            guard request.http2 == nil else { return didEnd(stream) }
            return refuse(stream, "404 Not Found", "Clients connect to /getCaseCount, /runCase?case=N&agent=NAME, ...")
        }
        let player = CasePlayer(
            Case(answering: answer), with: CasePlayer.Peer(role: .client, echoes: false), respondingTo: request.head,
            over: request.http2)
        let isLast = settings.arguments.isOnce && visit.path == "/updateReports"
        _ = CaseConnection(player, on: stream, firstBytes: request.firstBytes, limits: limits) { [unowned self] _ in
            didEnd(stream)
            if isLast { endAfterCases() }
        }
    }

    private func play(_ item: Case, _ index: Int, _ request: ReceivedRequest, on stream: any ByteStream) {
        let startTime = loop.now
        activeCount += 1
        diagnostics.showStatus("\(reports[index].shownAgent): \(item.id)")
        var peer = CasePlayer.Peer(role: .client, echoes: true)
        peer.lastKey = lastKey
        let player = CasePlayer(item, with: peer, respondingTo: request.head, over: request.http2)
        _ = CaseConnection(player, on: stream, firstBytes: request.firstBytes, limits: limits) {
            [unowned self] result in
            didEnd(stream)
            reports[index].add(item, result, loop.now - startTime)
            activeCount -= 1
            if isEnding { endAfterCases() }
        }
    }

    /// Ends the run when no case is being played any more: each has a limit.
    private func endAfterCases() {
        isEnding = true
        if activeCount == 0 { loop.stop() }
    }

    /// Sends a page. Like `/updateReports`, `/report` with an agent is the end of its cases.
    private func send(_ page: ClientPage, _ visit: Visit, on stream: any ByteStream) {
        page.send(reports, settings, policy: pagePolicy, on: stream) { [unowned self] status in
            didEnd(stream)
            guard status == 200, page.hasResults, let report = report(of: visit.agent) else { return }
            diagnostics.notice(report.sentence)
            if settings.arguments.isOnce { endAfterCases() }
        }
    }

    private func refuse(_ stream: any ByteStream, _ status: String, _ text: String) {
        var response = ByteBuffer()
        response.append(
            "HTTP/1.1 \(status)\r\nContent-Type: text/plain\r\nContent-Length: \(text.utf8.count + 1)\r\n"
                + "Connection: close\r\n\r\n\(text)\n")
        try? stream.write(&response)
        didEnd(stream)
    }

    private static func status(_ verdict: Verdict?) -> String {
        var writer = JSONWriter()
        if let verdict { writer.add("behavior", verdict.autobahnName) } else { writer.addNull("behavior") }
        return writer.finished
    }

    // MARK: Agents

    private func report(of agent: String) -> CheckReport? { reports.first { $0.agent == agent } }

    /// The position of an agent's results, or `nil` if there are too many agents.
    private func index(ofAgent agent: String) -> Int? {
        if let index = reports.firstIndex(where: { $0.agent == agent }) { return index }
        guard reports.count < Self.maximumAgentCount else { return nil }
        reports.append(
            CheckReport(agent: agent, role: .client, expected: settings.expectedFailures, secrets: diagnostics.secrets))
        return reports.count - 1
    }
}

/// What a client wants.
private struct Visit {
    let path: String
    /// The number of a case, from 1.
    let number: Int?
    let agent: String

    private static let longestAgent = 100

    init(_ request: Head) {
        let target = request.line.split(separator: " ").dropFirst().first ?? "/"
        let parts = target.split(separator: "?", maxSplits: 1)
        path = String(parts.first ?? "/")
        var values: [String: String] = [:]
        for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let (name, value) = (pair.prefix { $0 != "=" }, pair.drop { $0 != "=" }.dropFirst())
            values[String(name)] = (try? PercentEncoding.decode(value)) ?? String(value)
        }
        number = values["case"].flatMap { Int($0) }
        // Scalars: a single character may have any number of them.
        agent = String(
            String.UnicodeScalarView((values["agent"] ?? "unknown").unicodeScalars.prefix(Self.longestAgent)))
    }
}

extension Case {
    /// The answer to `/getCaseInfo`.
    fileprivate var info: String {
        var writer = JSONWriter()
        writer.add("id", id)
        writer.add("description", title)
        return writer.finished
    }
}
