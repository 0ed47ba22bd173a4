import Conversation
import LoadTest
import Peer
import UserInterface
import WSCore

/// Opens the connections of one thread of a load test, several at once.
final class ConnectionOpener {
    /// Receives the number of a connection, and the open connection or the error.
    typealias Completion = (_ number: UInt64, _ result: Result<Connector.Opened, OpeningError>) -> Void

    /// Why a connection is not opened.
    enum OpeningError: Error {
        /// The server or the way to it failed; after redirects, the server at this URL.
        case connecting(ConnectError, redirectedTo: String?)
        /// The data file has no row for the connection, or its values make an invalid request.
        case noRequest(Failure)

        /// The wait that the server asks for before the next attempt.
        var requestedWait: Duration {
            if case .connecting(let error, _) = self { Failure.connecting(url: "", error).requestedWait } else { .zero }
        }
    }

    /// The notice about the first redirect to another origin, or `nil` if there was none.
    private(set) var redirectNotice: String?
    /// The seconds that connections waited before another attempt, because the server asked for them.
    var requestedSeconds = 0
    /// The number of connection attempts started.
    private(set) var begunCount = 0

    private let settings: BenchSettings
    private let shard: Shard
    private let loop: EventLoop
    /// The alternative routes to the server, used in rotation.
    private let ways: [Connector.Settings]
    private let rows: ConnectionRows?
    private let resources: ConnectorResources
    private let connectionResources: ConnectionResources
    /// The connection settings, created with the type of the first handler.
    private var connectionSettings: AnyObject?
    private var hasRecordedSecrets = false
    /// The attempts in progress, by connection number.
    private var connectors: [UInt64: Connector] = [:]
    /// The timers of attempts that have failed and are repeated, by connection number.
    private var retries: [UInt64: Timer] = [:]
    /// The schedule of attempts, or `nil` to start them as soon as possible.
    private var pacer: Pacer?

    /// The maximum number of concurrent attempts of all threads: enough to keep a distant server busy, and fewer than
    /// the listen queue of a nearby server holds.
    private static let mostAtOnceOfAll = 256
    /// The ceilings of the wait before the first repetition of an attempt, which doubles, and before any.
    private static let (firstRetryDelay, longestRetryDelay) = (Duration.milliseconds(250), Duration.seconds(4))

    /// Prepares for opening connections.
    /// - Parameter rows: The rows of the data file, or `nil` if there is none.
    /// - Throws: ``Failure/badArgument(what:why:)`` if TLS cannot be set up.
    init(_ settings: BenchSettings, shard: Shard, rows: ConnectionRows?, on loop: EventLoop) throws(Failure) {
        self.settings = settings
        self.rows = rows
        self.shard = shard
        self.loop = loop
        let maskingKeys = MaskingKeySource(fill: RandomGenerator.fill)
        // The first key takes milliseconds, which would distort the first latencies.
        _ = maskingKeys.next()
        connectionResources = ConnectionResources(on: loop, maskingKeys: maskingKeys)
        ways = settings.connectors
        resources = try ConnectorResources.make(settings.tls, cookies: settings.cookies)
        resources.http2Pool = settings.plan.connections.streams.map { HTTP2Pool(streamsPerConnection: $0) }
    }

    /// The number of attempts in progress.
    var openingCount: Int { connectors.count + retries.count }

    /// Whether the maximum number of attempts is in progress. Workloads that measure connecting ignore it.
    var isFull: Bool { openingCount >= max(1, Self.mostAtOnceOfAll / shard.count) }

    /// Starts the schedule, if there is one.
    /// - Parameter time: The current time on the loop's clock, in nanoseconds.
    func start(at time: UInt64) {
        pacer = settings.plan.openings(for: shard).map { Pacer($0, at: time) }
    }

    /// Returns when the next connection is due, on the loop's clock in nanoseconds. Returns `nil` and advances the
    /// schedule if it is due now.
    func dueTime(by now: UInt64) -> UInt64? {
        switch pacer?.next(by: now) {
        case .later(let time): return time
        case .due: pacer?.advance()
        case .over, nil: break
        }
        return nil
    }

    /// Starts opening the next connection.
    /// - Parameter completion: Called once, possibly before this method returns.
    func openNext(_ completion: @escaping Completion) {
        let number = shard.connectionNumber(at: begunCount)
        begunCount += 1
        open(number, completion)
    }

    /// Starts opening the connection with a number.
    /// - Parameter completion: Called once, possibly before this method returns.
    func open(_ number: UInt64, _ completion: @escaping Completion) {
        attempt(number, retry: 0, completion)
    }

    /// - Parameter retry: The number of earlier attempts that have failed.
    private func attempt(_ number: UInt64, retry: Int, _ completion: @escaping Completion) {
        let way: Connector.Settings
        do throws(Failure) {
            way = try self.way(of: number)
        } catch {
            return completion(number, .failure(.noRequest(error)))
        }
        var redirectTarget: String?
        let connector = Connector(way, resources: resources, on: loop) { [unowned self] result in
            let connector = connectors.removeValue(forKey: number)
            if case .failure(let error) = result {
                let failure = Failure.connecting(url: "", error)
                if retry < settings.arguments.load.connectRetries, failure.report.isWorthRetrying {
                    return wait(toOpen: number, retry: retry + 1, atLeast: failure.requestedWait, completion)
                }
                recordSecrets(of: [way.request, connector?.request].compactMap(\.self))
            }
            completion(number, result.mapError { .connecting($0, redirectedTo: redirectTarget) })
        }
        connector.didStep = { [unowned self] step in
            guard case .redirected(_, let next) = step else { return }
            redirectTarget = next.url.shortDescription
            if redirectNotice == nil { redirectNotice = ReportedRedirect.notice(of: step) }
        }
        connectors[number] = connector
        connector.start()
    }

    /// Attempts to open a connection again after a while.
    /// - Parameter requested: The wait that the server asks for.
    private func wait(
        toOpen number: UInt64, retry: Int, atLeast requested: Duration, _ completion: @escaping Completion
    ) {
        requestedSeconds += Int(requested.components.seconds)
        // Spread, because connections that were refused together would come back together.
        let ceiling = min(Self.firstRetryDelay * (1 << min(retry - 1, 10)), Self.longestRetryDelay)
        let timer = Timer(on: loop) { [unowned self] in
            retries[number] = nil
            attempt(number, retry: retry, completion)
        }
        retries[number] = timer
        timer.start(after: max(requested, ceiling * Double.random(in: 0.5...1)))
    }

    /// Adds the secrets of the requests of an attempt to those of the run, because its failure may repeat them. Only the
    /// first failure of the thread is kept and shown.
    private func recordSecrets(of requests: [ClientRequest]) {
        if !hasRecordedSecrets { for request in requests { settings.secrets.add(request) } }
        hasRecordedSecrets = true
    }

    /// Adds the secrets of a connection's request and row to those of the run, because its failure may repeat them.
    func recordSecrets(of number: UInt64) {
        // Without connections that last, rows are not kept.
        guard settings.plan.mode.load.needsConnections else { return }
        if let row = rows?.row(of: number), let columns = rows?.columns { settings.secrets.add(row, columns) }
        guard !settings.requests.isConstant, let way = try? way(of: number) else { return }
        settings.secrets.add(way.request)
    }

    /// The route and the request of a connection.
    private func way(of number: UInt64) throws(Failure) -> Connector.Settings {
        let (turn, index) = Int(truncatingIfNeeded: number & (1 << 62 - 1)).quotientAndRemainder(dividingBy: ways.count)
        var way = ways[index]
        way.network.rotation = turn
        way.sharingGroup = index
        let row = rows?.row(of: number)
        // Without a row, there is a failure.
        if rows != nil, row == nil, let failure = settings.data?.failure { throw failure }
        let chosen = ChosenRow(columns: rows?.columns ?? VariableNames(), row: row)
        try BenchSettings.check(settings.plan.messages.templates, connection: number + 1, chosen)
        guard !settings.requests.isConstant else { return way }
        var values = RequestValues(connection: number + 1, chosen)
        way.request = try settings.requests.request(&values)
        return way
    }

    /// Cancels an attempt if it is in progress.
    func cancel(_ number: UInt64) {
        connectors.removeValue(forKey: number)?.cancel()
        retries[number] = nil
    }

    /// Cancels the attempts in progress.
    func cancel() {
        for connector in connectors.values { connector.cancel() }
        connectors = [:]
        retries = [:]
        resources.http2Pool?.release()
    }

    /// Attaches a handler to its open stream and starts the connection.
    func join<Handler: LoadHandler>(_ handler: Handler, to opened: Connector.Opened) {
        let settings = connectionSettings as? Connection<Handler>.Settings ?? makeConnectionSettings()
        connectionSettings = settings
        let connection = Connection(
            opened.stream, settings: settings, deflate: opened.deflate, resources: connectionResources,
            handler: handler)
        handler.port = connection
        connection.start(with: opened.firstBytes)
    }

    private func makeConnectionSettings<Handler: LoadHandler>() -> Connection<Handler>.Settings {
        let arguments = settings.arguments
        return Connection.Settings(
            role: .client, limits: arguments.client.limits.ofMessages,
            fragmentBytes: arguments.client.limits.fragmentBytes, closeTimeout: arguments.client.limits.closeTimeout,
            // Automatic messages stop if the peer does not read them.
            pausesReadingWhenFull: settings.plan.conversation.exchange?.answers.isEmpty == false
                || settings.plan.conversation.applicationProtocol != nil,
            answersAtOnce: true, queueLimitBytes: settings.plan.mode.load.queueLimitBytes)
    }
}
