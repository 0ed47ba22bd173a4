import Conformance
import Formats
import Peer
import UserInterface
import WSCore

/// A run of `wsx check URL`: learns about the server, plays the cases, and reports.
///
///     ping ─► message ─► controls ─► cases, some side by side ─► those that met a limit, alone
package final class CheckRun {
    private let settings: CheckSettings
    private let loop: EventLoop
    private let diagnostics: Diagnostics
    private let echo: EmbeddedEcho
    private let playing: Playing
    private let cases: [Case]
    private var report: CheckReport
    /// The reasons why cases with a control are skipped, by its name; empty if it passed.
    private var controls: [String: String] = [:]
    private var unwantedKinds: Set<DataKind> = []
    private var queue: [Case] = []
    private var repetitions: [Case] = []
    private var activeCount = 0
    /// The number of connections in a row that could not be opened.
    private var unreachableCount = 0
    private var isOver = false
    private var failure: Failure?
    /// Whether a signal or the time limit has ended the run.
    private var wasStopped = false
    private var stopRequests: StopRequests?

    /// Checks servers one after the other, and writes the results. Returns the failure, or `nil` if no case has failed.
    /// - Throws: ``Failure``.
    package static func run(
        _ servers: [CheckSettings], on loop: EventLoop, diagnostics: Diagnostics
    ) throws(Failure) -> Failure? {
        let files = try CheckFiles(servers[0].arguments)
        let runs = try servers.map { (settings) throws(Failure) in
            try CheckRun(settings, on: loop, diagnostics: diagnostics)
        }
        var failure: Failure?
        for run in runs {
            let own = run.run()
            if failure == nil { failure = own }
            if run.wasStopped { break }
        }
        let reports = runs.map(\.report).filter { !$0.results.isEmpty }
        guard !reports.isEmpty else { return failure }
        let problem = CheckReport.write(reports, servers[0], files, diagnostics: diagnostics)
        return failure ?? problem ?? CheckReport.failure(of: reports)
    }

    private init(_ settings: CheckSettings, on loop: EventLoop, diagnostics: Diagnostics) throws(Failure) {
        guard let connector = settings.connector, let url = settings.url else {
            preconditionFailure("a server is to be checked")
        }
        self.settings = settings
        self.loop = loop
        self.diagnostics = diagnostics
        cases = try settings.selection(for: .server)
        echo = EmbeddedEcho(on: loop, diagnostics: diagnostics)
        let cookies = try CookieFiles.read(settings.arguments.client.request.cookieFiles).cookies
        playing = Playing(
            settings, try echo.resolving(connector, for: url),
            try ConnectorResources.make(settings.tls, cookies: cookies), on: loop)
        report = CheckReport(
            agent: settings.arguments.agent ?? settings.shownURL, role: .server, expected: settings.expectedFailures,
            secrets: diagnostics.secrets)
    }

    /// Runs until the end. Returns the failure, or `nil` if the cases were played.
    private func run() -> Failure? {
        diagnostics.warnIfInsecure(settings.arguments.client.tls, mayUseTLS: playing.mayUseTLS)
        do throws(Failure) {
            stopRequests = try StopRequests(timeLimit: settings.arguments.timeout, on: loop) { [unowned self] request in
                wasStopped = true
                end(request.failure)
            }
        } catch {
            return error
        }
        learn()
        loop.run()
        stopRequests = nil
        return failure
    }

    /// Ends the run once; connections of this run may end later.
    private func end(_ failure: Failure?) {
        guard !isOver else { return }
        isOver = true
        self.failure = failure
        queue = []
        loop.stop()
    }

    // MARK: The server

    /// Measures a ping, and finds out whether the server echoes.
    private func learn() {
        playing.play(.ping) { [self] result in
            switch result {
            case .failure(let error): end(.connecting(url: settings.shownURL, error))
            case .success(let played):
                if let why = settings.refusal(played.result) {
                    return end(.checkRefused(url: settings.shownURL, why: why))
                }
                if played.result.verdict == .passed {
                    if settings.arguments.caseTimeout == nil {
                        // A server that does not end TCP has made us wait.
                        let time = played.result.metLimit ? .zero : played.duration * 10
                        playing.limits.idle = min(max(.seconds(2), time), .seconds(30))
                    }
                } else if played.result.metLimit, let pattern = settings.login.ready {
                    return end(.notReady(pattern, after: playing.limits.idle))
                }
                let isSilent = played.result.log.lacksFrames
                let message = Case(sending: .text, awaitsEcho: true, afterPing: !isSilent)
                playing.play(message) { [self] result in didLearn(result, isSilent: isSilent) }
            }
        }
    }

    /// - Parameter isSilent: Whether the server has sent no frame after the ping.
    private func didLearn(_ result: Result<Playing.Played, ConnectError>, isSilent: Bool) {
        let played: Playing.Played
        switch result {
        case .failure(let error): return end(.connecting(url: settings.shownURL, error))
        case .success(let success): played = success
        }
        if isSilent, played.result.metLimit, played.result.log.lacksFrames {
            let why = "the server answers neither a ping nor a message"
            return end(.checkRefused(url: settings.shownURL, why: why))
        }
        playing.peer.echoes = played.resemblesEcho
        if played.result.verdict == .passed { playing.peer.greetingCount = played.otherMessageCount }
        report.echoes = playing.peer.echoes
        playMessages(playing.peer.echoes ? [] : DataKind.allCases[...])
    }

    /// Finds out which messages a server accepts that does not echo.
    private func playMessages(_ kinds: ArraySlice<DataKind>) {
        guard let kind = kinds.first else {
            return playControls(Set(cases.filter(\.isNegative).compactMap(\.control)).sorted()[...])
        }
        playing.play(Case(sending: kind, awaitsEcho: false)) { [self] result in
            if case .success(let played) = result, played.result.verdict != .passed { unwantedKinds.insert(kind) }
            playMessages(kinds.dropFirst())
        }
    }

    /// Plays the valid forms of cases in which the server must fail the connection.
    private func playControls(_ names: ArraySlice<String>) {
        guard let name = names.first else { return playCases() }
        guard let control = settings.cases.control(name) else {
            return end(.badArgument(what: "--case-file", why: "no control is named '\(escapingControls(name))'"))
        }
        playing.play(control) { [self] result in
            switch result {
            case .failure: controls[name] = "the server cannot be reached"
            case .success(let played):
                controls[name] = played.result.verdict == .passed ? "" : played.result.reason
            }
            playControls(names.dropFirst())
        }
    }

    // MARK: Cases

    private func playCases() {
        queue = cases.reversed()
        fill()
    }

    private func fill() {
        while activeCount < settings.arguments.parallelCount, let item = queue.popLast() {
            if let reason = skipReason(item) {
                report.add(item, .skipped(reason))
                continue
            }
            play(item, isRepetition: false)
        }
        guard activeCount == 0, queue.isEmpty else { return }
        // A slow server that is still busy with thousands of frames sends nothing meanwhile.
        if settings.arguments.caseTimeout == nil { playing.limits.idle *= Self.repetitionFactor }
        repeatNext()
    }

    private func skipReason(_ item: Case) -> String? {
        if item.needsEcho, !playing.peer.echoes { return "the server does not echo messages" }
        if let kind = DataKind.allCases.first(where: { unwantedKinds.contains($0) && item.messageKinds.contains($0) }
        ) {
            return "the server closes the connection after \(kind.words)"
        }
        guard item.isNegative, let name = item.control, let reason = controls[name], !reason.isEmpty else { return nil }
        return "the server does not accept the valid form of it: \(reason)"
    }

    private func repeatNext() {
        guard let item = repetitions.popLast() else { return end(nil) }
        play(item, isRepetition: true)
    }

    private func play(_ item: Case, isRepetition: Bool) {
        activeCount += 1
        diagnostics.showStatus("\(report.results.count) of \(cases.count) cases: \(item.id)")
        playing.play(item) { [self] result in
            guard item.section == "S", case .success = result else { return didPlay(item, result, isRepetition) }
            // A server that has not survived does not answer any more.
            playing.play(.ping) { [self] ping in
                if case .success(let played) = ping, played.result.verdict == .passed {
                    didPlay(item, result, isRepetition)
                } else {
                    report.add(item, .failed("afterwards, the server does not answer on a new connection"))
                    didPlay(nil, ping, isRepetition)
                }
            }
        }
    }

    /// - Parameter item: The case that `result` belongs to, or `nil` if it has been added.
    private func didPlay(_ item: Case?, _ result: Result<Playing.Played, ConnectError>, _ isRepetition: Bool) {
        guard !isOver else { return }
        activeCount -= 1
        switch result {
        case .failure(let error):
            unreachableCount += 1
            guard unreachableCount < Self.maximumUnreachableCount else {
                let last = report.results.last.map { ", after case \($0.item.id)" } ?? ""
                return end(.connecting(url: settings.shownURL + last, error))
            }
            guard let item else { break }
            // The server may have had too many connections.
            if isRepetition {
                report.add(item, .failed("the server cannot be reached"))
            } else {
                repetitions.append(item)
            }
        case .success(let played):
            unreachableCount = 0
            guard let item else { break }
            if played.result.metLimit, played.result.verdict != .passed, !isRepetition {
                repetitions.append(item)
            } else {
                report.add(item, played.result, played.duration)
            }
        }
        if isRepetition { repeatNext() } else { fill() }
    }

    /// After so many connections in a row could not be opened, the server is gone.
    private static let maximumUnreachableCount = 3
    /// How many times as long the limit is when a case is repeated.
    private static let repetitionFactor = 3
}

extension DataKind {
    fileprivate var words: String {
        switch self {
        case .text: "a text message"
        case .binary: "a binary message"
        case .fragments: "a fragmented message"
        }
    }
}
