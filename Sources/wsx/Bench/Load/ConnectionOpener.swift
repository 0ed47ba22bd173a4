import LoadTest
import WSCore

/// Opens the connections of one thread of a load test, one after the other and many at once.
final class ConnectionOpener {
    /// Takes a connection and its number, or why it could not be opened.
    typealias Completion = (_ number: UInt64, _ result: Result<Connector.Opened, ConnectError>) -> Void

    /// How many have been begun to be opened.
    private(set) var begunCount = 0

    private let settings: BenchSettings
    private let shard: Shard
    private let loop: EventLoop
    /// How to reach the server, which connections take in turn.
    private let ways: [Connector.Settings]
    private let resources: ConnectorResources
    private let connectionResources: ConnectionResources
    /// The settings of all connections, which have the type of the first one's handler.
    private var connectionSettings: AnyObject?
    /// Those that are being opened, by their number.
    private var connectors: [UInt64: Connector] = [:]
    /// When connections are to be opened; nil: as soon as possible.
    private var pacer: Pacer?

    /// So many connections are opened at once: enough to keep a server busy that is far away, and fewer than wait in the
    /// queue of one that is near.
    private static let mostAtOnceOfAll = 256

    /// Prepares; throws ``Failure/badArgument(what:why:)`` when TLS cannot be set up.
    init(_ settings: BenchSettings, shard: Shard, on loop: EventLoop) throws(Failure) {
        self.settings = settings
        self.shard = shard
        self.loop = loop
        let maskingKeys = MaskingKeySource(fill: RandomGenerator.fill)
        // The first one takes milliseconds, which would be part of the first latencies.
        _ = maskingKeys.next()
        connectionResources = ConnectionResources(on: loop, maskingKeys: maskingKeys)
        ways = settings.connectors
        resources = try ConnectorResources.make(settings.tls)
    }

    /// The number of those that are being opened.
    var openingCount: Int { connectors.count }

    /// Whether as many are being opened as may be at once, unless opening them is what is measured.
    var isFull: Bool { openingCount >= max(1, Self.mostAtOnceOfAll / shard.count) }

    /// Begins the schedule, if there is one.
    /// - Parameter time: The present time, on the loop's clock in nanoseconds.
    func start(at time: UInt64) {
        pacer = settings.plan.openings(for: shard).map { Pacer($0, at: time) }
    }

    /// When the next connection is due, on the loop's clock in nanoseconds; nil: it is due now, and taken off the schedule.
    func dueTime(by now: UInt64) -> UInt64? {
        switch pacer?.next(by: now) {
        case .later(let time): return time
        case .due: pacer?.advance()
        case .over, nil: break
        }
        return nil
    }

    /// Begins to open the next one.
    /// - Parameter completion: Called once, possibly before this returns.
    func openNext(_ completion: @escaping Completion) {
        let number = shard.connectionNumber(at: begunCount)
        begunCount += 1
        let way = ways[Int(truncatingIfNeeded: number % UInt64(ways.count))]
        let connector = Connector(way, resources: resources, on: loop) { [unowned self] result in
            connectors[number] = nil
            completion(number, result)
        }
        connectors[number] = connector
        connector.start()
    }

    /// Gives up those that are being opened.
    func cancel() {
        for connector in connectors.values { connector.cancel() }
        connectors = [:]
    }

    /// Joins a handler to the stream that has been opened for it, and starts its connection.
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
            role: .client,
            limits: Limits(
                maximumMessageBytes: arguments.client.limits.maximumMessageBytes,
                maximumFragments: arguments.client.limits.maximumFragments),
            fragmentBytes: arguments.client.limits.fragmentBytes, closeTimeout: arguments.client.limits.closeTimeout,
            queueLimitBytes: settings.plan.mode.load.queueLimitBytes)
    }
}
