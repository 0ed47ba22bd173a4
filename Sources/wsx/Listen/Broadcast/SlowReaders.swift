import WSCore

/// The clients, as senders and as readers of messages that go to all.
protocol BroadcastHost: SenderControl {
    /// How many clients there are.
    var clientCount: Int { get }
    /// The clients whose queues are full, but for one; those that are being closed do not count.
    func fullReaders(but sender: Int?) -> [Int]
    /// What a client has not taken, in bytes; nil: it has left, or is being closed.
    func unsentBytes(of reader: Int) -> Int?
    /// Closes a client that holds up the others.
    func close(slowReader reader: Int, because fault: String)
}

/// The clients whose queues are full while others wait for them.
///
/// What goes to all waits for the slowest, but not for long: a client that takes nothing, or stays behind, is closed with
/// 1013, and nobody has lost anything by it.
final class SlowReaders {
    private unowned let host: any BroadcastHost
    private let loop: EventLoop
    /// By their numbers.
    private var readers: [Int: Reader] = [:]
    /// The clients that wait for these, because their messages go to all.
    private var heldSenders: Set<Int> = []
    private var timer: Timer?
    /// How long a client that takes nothing may hold up what goes to all.
    private var patience: Patience
    /// One that takes something, but stays behind, may do so for so many times as long.
    private static let holdFactor = 5

    private struct Reader {
        /// What it had not taken when it was last seen to take something, in bytes.
        var unsentBytes: Int
        /// When that was.
        var time: Duration
        /// Since when the queue has been full.
        let fullTime: Duration
    }

    /// Whether nobody is waited for.
    var isEmpty: Bool { readers.isEmpty }

    /// Makes the slow readers of a run that has none yet.
    init(of host: any BroadcastHost, patience: Patience = Patience()) {
        self.host = host
        self.patience = patience
        loop = host.loop
    }

    /// Pauses where messages to many clients come from while the queue of one is full: the input, and the sender of the
    /// message that is being handed on, if it is a client's.
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

    /// A client has room again, or has left.
    func clientDidDrain(_ number: Int) {
        readers[number] = nil
        goOn()
    }

    /// Closes the clients that have taken nothing since they were seen last, and those that hold others up for long.
    private func judge() {
        var hasClosed = false
        for (number, reader) in readers {
            guard let unsentBytes = host.unsentBytes(of: number) else {
                readers[number] = nil
                continue
            }
            // A client that has the server to itself holds nobody up.
            guard let fault = look(at: reader, number, unsentBytes), host.clientCount > 1 else { continue }
            readers[number] = nil
            host.close(slowReader: number, because: fault)
            hasClosed = true
        }
        // Those that are closed together have held up nobody longer than one has.
        if hasClosed { patience.lose(at: loop.turnTime) }
        goOn()
        if !readers.isEmpty { timer?.start(after: patience.duration) }
    }

    /// What a client is to be closed for; nil: nothing yet.
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

/// How long one client may hold up all others, from 1 s: less for each that has used it up lately, so that many which come
/// one after the other hold up the others little longer than one does.
struct Patience {
    /// How long that is.
    private(set) var duration = Patience.full
    /// When it was used up last; nil: it never was.
    private var lossTime: Duration?

    static let full = Duration.seconds(1)
    static let least = Duration.milliseconds(50)
    /// It is full again when it has not been used up for so long.
    static let recoveryTime = Duration.seconds(10)

    /// A client has used it up.
    mutating func lose(at now: Duration) {
        lossTime = now
        duration = max(Self.least, duration / 2)
    }

    /// A client begins to hold up others.
    mutating func recover(at now: Duration) {
        if let lossTime, now - lossTime >= Self.recoveryTime { duration = Self.full }
    }
}
