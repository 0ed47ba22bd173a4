import WSCore

/// Opens the connections of one thread of a load test, one after the other and so many at once.
final class ConnectionOpener {
    /// Takes a connection and its number, or why it could not be opened.
    typealias Completion = (_ number: UInt64, _ result: Result<Connector.Opened, ConnectError>) -> Void

    /// How many have been begun to be opened.
    private(set) var begunCount = 0

    private let shard: Shard
    private let loop: EventLoop
    /// How to reach the server, which connections take in turn.
    private let ways: [Connector.Settings]
    private let resources: ConnectorResources
    /// Those that are being opened, by their number.
    private var connectors: [UInt64: Connector] = [:]

    /// So many connections are opened at once: enough to keep a server busy that is far away, and fewer than wait in the
    /// queue of one that is near.
    private static let mostAtOnceOfAll = 256

    /// Prepares; throws ``Failure/badArgument(what:why:)`` when TLS cannot be set up.
    init(_ settings: BenchSettings, shard: Shard, on loop: EventLoop) throws(Failure) {
        self.shard = shard
        self.loop = loop
        ways = settings.connectors
        resources = try ConnectorResources.make(settings.tls)
    }

    /// The number of those that are being opened.
    var openingCount: Int { connectors.count }

    /// Whether as many are being opened as may be at once, unless opening them is what is measured.
    var isFull: Bool { openingCount >= max(1, Self.mostAtOnceOfAll / shard.count) }

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
}
