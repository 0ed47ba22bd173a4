import Peer
import UserInterface
import WSCore

/// Delays, drops, or ends the output to one client, or of one client to the server of a relay. Everything sent there passes
/// through the gate.
///
///      echo, input, replay ──► FaultChance ──► (nothing before it, and no delay) ──► Connection
///                                   │                                                    ▲
///                                   ├──► DelayQueue ──(due, at the end of a turn)─────────┘
///                                   └──► dropped
///
/// Answers to pings bypass the gate.
final class OutgoingGate {
    private enum Phase {
        case open
        /// A close frame has been queued or sent. Nothing may follow it.
        case closing
        /// The connection has ended.
        case over
    }

    /// When `--close-after` closes the client.
    private enum Limit: Equatable {
        case none
        /// After this many further messages.
        case messages(Int)
        /// At this time of the loop.
        case time(Duration)
        /// The last message has been answered.
        case messagesReached
        /// The time has passed. Items no longer wait for room in the connection.
        case timePassed
    }

    private unowned let faults: Faults
    private weak var host: (any GateHost)?
    private let client: Int
    private let isToServer: Bool
    private var chance: FaultChance
    private var line = DelayQueue()
    private var phase = Phase.open
    private var limit = Limit.none
    private var isTurnEndScheduled = false
    private var timer: Timer?
    /// Whether the queue is full, and its source should pause.
    private(set) var isFull = false

    /// Whether a close frame has been queued or sent. Nothing may follow it.
    var isClosing: Bool { phase != .open }
    /// Whether to ignore the client's messages because `--close-after` has ended the connection.
    var ignoresClient: Bool {
        switch limit {
        case .messagesReached, .timePassed: true
        case .none, .messages, .time: false
        }
    }
    private var isOverdue: Bool { limit == .timePassed }
    private var closeTime: Duration? { if case .time(let time) = limit { time } else { nil } }

    /// The number of messages that wait for their due time or for room in the connection.
    var waitingMessageCount: Int { line.messageCount }
    /// Whether any item waits for its due time.
    var isHolding: Bool { line.nextDueTime != nil }

    /// The queue size, in bytes, above which the source pauses. It resumes at half this size.
    static let queueLimitBytes = 16 << 20

    /// Creates the gate of a newly accepted client.
    /// - Parameters:
    ///   - host: Sends what is due.
    ///   - closeLimit: When to close the client, or `nil` for never.
    ///   - isToServer: Whether the gate is in front of the server of a relay.
    init(
        client: Int, of faults: Faults, host: (any GateHost)?, closeLimit: CloseLimit? = nil, isToServer: Bool = false
    ) {
        self.faults = faults
        self.host = host
        self.client = client
        self.isToServer = isToServer
        chance = faults.chance(ofClient: client, toServer: isToServer)
        switch closeLimit {
        case .messages(let count): limit = .messages(count)
        case .time(let time): limit = .time(faults.loop.now + time)
        case nil: break
        }
        schedule()
    }

    /// Whether the caller may send an item now. Otherwise the gate sends it when it is due, or drops it.
    /// - Parameters:
    ///   - mark: The mark of the message, which is sent with it.
    ///   - pause: An extra delay.
    func letsThrough(
        _ item: InputItem, _ payload: RawSpan, _ mark: MessageMark? = nil, after pause: Duration = .zero
    ) -> Bool {
        guard let wait = admit(item, payload.byteCount, after: pause) else { return false }
        if wait == .zero, line.nextDueTime == nil { return true }
        append(item, payload, mark, after: wait)
        return false
    }

    /// Queues an item until the end of the turn or later, or drops it.
    func hold(_ item: InputItem, _ payload: RawSpan, after pause: Duration = .zero) {
        guard let wait = admit(item, payload.byteCount, after: pause) else { return }
        append(item, payload, nil, after: wait)
    }

    /// Counts an answered message of the client. Returns whether to close the client now.
    func countAnswered() -> Bool {
        guard case .messages(let count) = limit else { return false }
        limit = count > 1 ? .messages(count - 1) : .messagesReached
        return count == 1
    }

    /// Resumes sending when the connection has room again.
    func resume() {
        schedule()
    }

    /// Discards the queue because the connection has ended.
    func cancel() {
        phase = .over
        timer = nil
        _ = line.takeAll()
        if isFull {
            isFull = false
            faults.gateHasRoom(of: nil)
        }
    }

    /// Returns the delay of an item, or `nil` to drop it. Nothing follows a close frame.
    private func admit(_ item: InputItem, _ byteCount: Int, after pause: Duration) -> Duration? {
        guard phase == .open else { return nil }
        switch item {
        case .message:
            guard !chance.dropsMessage() else {
                faults.dropped(byteCount, of: client, toServer: isToServer)
                return nil
            }
            let delay = chance.delay()
            if delay > .zero { faults.delayed(byteCount, of: client, toServer: isToServer, by: delay) }
            return pause + delay
        case .ping, .pong: return pause
        case .close(nil): return nil
        case .close, .end:
            phase = .closing
            return pause
        }
    }

    private func append(_ item: InputItem, _ payload: RawSpan, _ mark: MessageMark?, after pause: Duration) {
        line.append(item, payload, mark, dueTime: faults.loop.now + pause)
        if !isFull, line.queuedBytes > Self.queueLimitBytes {
            isFull = true
            faults.gateIsFull(of: connection)
        }
        schedule()
    }

    private var connection: (any GatedConnection)? { host?.gatedConnection(of: client) }

    /// Sends due items at the end of the turn, or starts a timer for the next one.
    private func schedule() {
        guard phase != .over, !isTurnEndScheduled else { return }
        let isHeldUp = !isOverdue && connection?.isFull ?? false
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
        guard phase != .over, let host, let connection else { return }
        let now = faults.loop.now
        if let closeTime, closeTime <= now {
            limit = .timePassed
            connection.stopAnsweringPings()
            hold(.close(faults.closeFrame), RawSpan())
        }
        // Take the queue: the connection may call back and change it meanwhile.
        var line = self.line.takeAll()
        while isOverdue || !connection.isFull, line.takeFirst(at: now, { host.sendDue($0, $1, $2, for: client) }) {}
        guard phase != .over else { return }
        // With broadcasts, a client that does not read must not delay the others for long.
        if connection.isFull, faults.areForAll { faults.host?.waitForSlowReaders() }
        self.line = line
        if isFull, self.line.queuedBytes <= Self.queueLimitBytes / 2 {
            isFull = false
            faults.gateHasRoom(of: connection)
        }
        schedule()
    }
}

extension OutgoingGate: EndOfTurnWork {
    /// Sends the items that are due.
    func endTurn() {
        isTurnEndScheduled = false
        passOn()
    }
}
