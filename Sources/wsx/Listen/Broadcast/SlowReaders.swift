import WSCore

/// The server as the source and the recipients of broadcasts.
protocol BroadcastHost: SenderControl {
    /// The number of connected clients.
    var clientCount: Int { get }
    /// The clients with full queues, except `sender` and clients that are closing.
    func fullReaders(but sender: Int?) -> [Int]
    /// The number of bytes a client has not accepted yet, or `nil` if it has left or is closing.
    func unsentBytes(of reader: Int) -> Int?
    /// Closes a client that delays all others.
    func close(slowReader reader: Int, because fault: String)
}

/// Tracks the clients with full queues that delay all others.
///
/// A broadcast proceeds at the speed of the slowest client, within limits: a client that reads nothing, or falls behind
/// for too long, is closed with 1013. The other clients lose no message.
final class SlowReaders {
    private unowned let host: any BroadcastHost
    private let loop: EventLoop
    /// The slow readers, by client number.
    private var readers: [Int: Reader] = [:]
    /// The clients that are paused because their broadcasts wait for these readers.
    private var heldSenders: Set<Int> = []
    private var timer: Timer?
    /// How long a client that reads nothing may delay broadcasts.
    private var patience: Patience
    /// How many times longer a client may delay broadcasts if it reads, but falls behind.
    private static let holdFactor = 5

    private struct Reader {
        /// The unsent bytes when the client last made progress.
        var unsentBytes: Int
        /// When the client last made progress.
        var time: Duration
        /// When the queue became full.
        let fullTime: Duration
    }

    /// Whether no broadcast waits for a slow reader.
    var isEmpty: Bool { readers.isEmpty }

    /// Creates an empty set of slow readers.
    init(of host: any BroadcastHost, patience: Patience = Patience()) {
        self.host = host
        self.patience = patience
        loop = host.loop
    }

    /// Pauses the input while any client's queue is full, and also `sender`, the client that sent the current message.
    func hold(_ sender: Int? = nil) {
        let now = loop.turnTime
        for number in host.fullReaders(but: sender) where readers[number] == nil {
            readers[number] = Reader(unsentBytes: host.unsentBytes(of: number) ?? 0, time: now, fullTime: now)
        }
        guard !readers.isEmpty else { return }
        host.pauseSender(nil, for: .slowReader)
        if let sender {
            heldSenders.insert(sender)
            host.pauseSender(sender, for: .slowReader)
        }
        guard timer == nil else { return }
        let timer = Timer(on: loop) { [unowned self] in judge() }
        self.timer = timer
        patience.recover(at: now)
        timer.start(after: patience.duration)
    }

    /// Reports that a client has room again or has left.
    func clientDidDrain(_ number: Int) {
        readers[number] = nil
        goOn()
    }

    /// Closes the clients that have read nothing since the last check, and those that have delayed others for too long.
    private func judge() {
        var hasClosed = false
        for (number, reader) in readers {
            guard let unsentBytes = host.unsentBytes(of: number) else {
                readers[number] = nil
                continue
            }
            // With a single client, there are no others to delay.
            guard let fault = look(at: reader, number, unsentBytes), host.clientCount > 1 else { continue }
            readers[number] = nil
            host.close(slowReader: number, because: fault)
            hasClosed = true
        }
        // Clients closed in the same check delayed the others in parallel, so they count as one.
        if hasClosed { patience.lose(at: loop.turnTime) }
        goOn()
        if !readers.isEmpty { timer?.start(after: patience.duration) }
    }

    /// Why to close a client now, or `nil` to keep it.
    private func look(at reader: Reader, _ number: Int, _ unsentBytes: Int) -> String? {
        let now = loop.turnTime
        let isMoving = unsentBytes < reader.unsentBytes
        if isMoving {
            readers[number]?.unsentBytes = unsentBytes
            readers[number]?.time = now
        }
        if now - reader.fullTime >= patience.duration * Self.holdFactor {
            return isMoving ? "stays behind" : "takes nothing"
        }
        return !isMoving && now - reader.time >= patience.duration ? "takes nothing" : nil
    }

    private func goOn() {
        guard readers.isEmpty else { return }
        timer = nil
        for sender in heldSenders { host.resumeSender(sender, after: .slowReader) }
        heldSenders = []
        host.resumeSender(nil, after: .slowReader)
    }
}

/// How long one client may delay all others. Each time a client exhausts it, it is halved, down to a minimum. A series of
/// slow clients therefore delays the others hardly longer than one does.
struct Patience {
    /// The current limit.
    private(set) var duration = Patience.full
    /// When a client last exhausted the limit, or `nil` if none has.
    private var lossTime: Duration?

    static let full = Duration.seconds(1)
    static let least = Duration.milliseconds(50)
    /// The limit is restored after this time without a loss.
    static let recoveryTime = Duration.seconds(10)

    /// Halves the limit after a client has exhausted it.
    mutating func lose(at now: Duration) {
        lossTime = now
        duration = max(Self.least, duration / 2)
    }

    /// Restores the limit if enough time has passed. Called when a client starts to delay others.
    mutating func recover(at now: Duration) {
        if let lossTime, now - lossTime >= Self.recoveryTime { duration = Self.full }
    }
}
