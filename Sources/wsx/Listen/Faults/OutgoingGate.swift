import WSCore

/// Through it goes all that is to be sent to one client, where it is to be held back, left out, or followed by an end.
///
///      echo, input, replay ──► FaultChance ──► (nothing before it, and no delay) ──► Connection
///                                   │                                                    ▲
///                                   ├──► DelayQueue ──(due, at the end of a turn)─────────┘
///                                   └──► left out
///
/// Answers to pings do not come this way.
final class OutgoingGate {
    private unowned let faults: Faults
    private let client: Int
    private var chance: FaultChance
    private var line = DelayQueue()
    /// How many messages of the client are left before it is closed; nil: they are not counted.
    private var messagesLeft: Int?
    /// When it is to be closed; nil: at no certain time.
    private var closeTime: Duration?
    /// Whether its close frame waits or has left: nothing follows that.
    private(set) var isClosing = false
    /// Whether the client is closed on purpose: what it sends is as if the server had gone already.
    private(set) var ignoresClient = false
    /// Whether its time is over, so that nothing waits for room any more.
    private var isOverdue = false
    private var hasEnded = false
    private var isTurnEndScheduled = false
    private var timer: Timer?
    /// Whether so much waits that its source is to pause.
    private(set) var isFull = false

    /// Whether something waits for its time.
    var isHolding: Bool { line.nextDueTime != nil }

    /// With more than this waiting for its time, in bytes, the source pauses until half of it has left.
    static let queueLimitBytes = 16 << 20

    /// Makes the gate of a client that has just been accepted.
    init(client: Int, of faults: Faults) {
        self.faults = faults
        self.client = client
        chance = faults.chance(ofClient: client)
        switch faults.arguments.closeLimit {
        case .messages(let count): messagesLeft = count
        case .time(let time): closeTime = faults.loop.now + time
        case nil: break
        }
        schedule()
    }

    /// Whether something may be sent at once; if not, it is sent in its time, or left out.
    /// - Parameter pause: How long it is to wait besides.
    func letsThrough(_ item: InputItem, _ payload: RawSpan, after pause: Duration = .zero) -> Bool {
        guard let wait = admit(item, payload.byteCount, after: pause) else { return false }
        if wait == .zero, line.nextDueTime == nil { return true }
        append(item, payload, after: wait)
        return false
    }

    /// Sends something at the end of the turn or later, or leaves it out.
    func hold(_ item: InputItem, _ payload: RawSpan, after pause: Duration = .zero) {
        guard let wait = admit(item, payload.byteCount, after: pause) else { return }
        append(item, payload, after: wait)
    }

    /// Counts a message of the client that has been answered, and says whether the client is now to be closed.
    func isLastMessage() -> Bool {
        guard let count = messagesLeft else { return false }
        messagesLeft = count - 1
        if count == 1 { ignoresClient = true }
        return count == 1
    }

    /// Goes on once the connection has room again.
    func goOn() {
        schedule()
    }

    /// Forgets what waits: the connection has ended.
    func cancel() {
        hasEnded = true
        isClosing = true
        closeTime = nil
        timer = nil
        _ = line.takeAll()
        if isFull {
            isFull = false
            faults.gateHasRoom(of: nil)
        }
    }

    /// How long something is to wait; nil: it is left out. Nothing follows a close frame.
    private func admit(_ item: InputItem, _ byteCount: Int, after pause: Duration) -> Duration? {
        guard !isClosing else { return nil }
        switch item {
        case .message:
            guard !chance.dropsMessage() else {
                faults.dropped(byteCount, to: client)
                return nil
            }
            let delay = chance.delay()
            if delay > .zero { faults.delayed(byteCount, to: client, by: delay) }
            return pause + delay
        case .ping, .pong: return pause
        case .close(nil): return nil
        case .close, .end:
            isClosing = true
            return pause
        }
    }

    private func append(_ item: InputItem, _ payload: RawSpan, after pause: Duration) {
        line.append(item, payload, dueTime: faults.loop.now + pause)
        if !isFull, line.queuedBytes > Self.queueLimitBytes {
            isFull = true
            faults.gateIsFull(of: faults.host?.client(client))
        }
        schedule()
    }

    /// Has what is due leave, now or when it will be.
    private func schedule() {
        guard !hasEnded, !isTurnEndScheduled else { return }
        let isHeldUp = !isOverdue && faults.host?.client(client)?.isFull ?? false
        let times = [isHeldUp ? nil : line.nextDueTime, closeTime].compactMap(\.self)
        guard let nextTime = times.min() else { return }
        let wait = nextTime - faults.loop.now
        guard wait > .zero else {
            isTurnEndScheduled = true
            return faults.loop.atEndOfTurn(self)
        }
        let timer = self.timer ?? Timer(on: faults.loop) { [unowned self] in passOn() }
        self.timer = timer
        timer.start(after: wait)
    }

    private func passOn() {
        guard !hasEnded, let host = faults.host, let connection = host.client(client) else { return }
        let now = faults.loop.now
        if let closeTime, closeTime <= now {
            self.closeTime = nil
            ignoresClient = true
            isOverdue = true
            connection.stopAnsweringPings()
            hold(.close(faults.closeFrame), RawSpan())
        }
        // Out of the way of whatever the connection may do meanwhile.
        var line = self.line.takeAll()
        while isOverdue || !connection.isFull, line.takeFirst(at: now, { host.sendDue($0, $1, to: connection) }) {}
        guard !hasEnded else { return }
        // Who takes nothing is not waited for where the messages are for others, too.
        if connection.isFull, faults.areForAll { host.waitForSlowReaders() }
        self.line = line
        if isFull, self.line.queuedBytes <= Self.queueLimitBytes / 2 {
            isFull = false
            faults.gateHasRoom(of: connection)
        }
        schedule()
    }
}

extension OutgoingGate: EndOfTurnWork {
    /// Passes on what is due.
    func endTurn() {
        isTurnEndScheduled = false
        passOn()
    }
}
