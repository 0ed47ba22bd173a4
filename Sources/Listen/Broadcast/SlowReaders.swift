import WSCore

/// The server as the source and the recipients of broadcasts.
protocol BroadcastHost: SenderControl {
    /// The clients with full queues that the messages of `sender`, or of the input, reach, except clients that are closing.
    func fullReaders(but sender: Int?) -> [Int]
    /// Whether messages of a client, or of the input as `nil`, reach another client.
    func reaches(_ reader: Int, from sender: Int?) -> Bool
    /// Whether messages of a client reach only those of its path.
    var staysOnPath: Bool { get }
    /// What each client has taken, by client number, except clients that are closing.
    var readingStates: [Int: ReadingState] { get }
    /// Whether a paused client, or the input as `nil`, has something to send and waits only for slow readers.
    func isHeldUp(_ sender: Int?) -> Bool
    /// Closes a client that delays others.
    func close(slowReader reader: Int, because fault: String)
}

/// Tracks the clients with full queues, for which broadcasts have to wait.
///
/// A broadcast proceeds at the speed of the slowest client. A client is closed with 1013 only for what it does to
/// others: while others wait for it, it takes nothing, or too little. The other clients lose no message.
///
///      source ── full ──► client 1: does not block while client 2 has data to take
///        │                client 2: has taken everything, and the source has more ──► client 1 is blocking
///        └─ (paused)      source:   waits, too, if it is a client that can take more ──► client 1 is blocking
///
/// Standard input is no client: it may wait for as long as all clients do.
final class SlowReaders {
    private unowned let host: any BroadcastHost
    private let loop: EventLoop
    private let limits: ReadingProgress.Limits
    private let checkInterval: Duration
    /// The clients with full queues.
    private var readers: Set<Int> = []
    /// The clients that are paused because their broadcasts wait for these readers.
    private var heldSenders: Set<Int> = []
    /// The clients that had data to take at the last check.
    private var progress: [Int: ReadingProgress] = [:]
    private var timer: Timer?
    private var lastCheckTime = Duration.zero

    /// Whether no broadcast waits for a slow reader.
    var isEmpty: Bool { readers.isEmpty }

    /// Creates an empty set of slow readers.
    init(
        of host: any BroadcastHost, limits: ReadingProgress.Limits = .init(),
        checkInterval: Duration = .milliseconds(100)
    ) {
        self.host = host
        self.limits = limits
        self.checkInterval = checkInterval
        loop = host.loop
    }

    /// Pauses the input while any client's queue is full, and also `sender`, the client that sent the current message,
    /// while another client's queue is full.
    func hold(_ sender: Int? = nil) {
        readers.formUnion(host.fullReaders(but: sender))
        guard !readers.isEmpty else { return }
        host.pauseSender(nil, for: .slowReader)
        if let sender, waitsForOther(sender) {
            heldSenders.insert(sender)
            host.pauseSender(sender, for: .slowReader)
        }
        guard timer == nil else { return }
        let timer = Timer(on: loop) { [unowned self] in check() }
        self.timer = timer
        lastCheckTime = loop.turnTime
        timer.start(after: checkInterval)
    }

    /// Reports that a client has room again or has left.
    func clientDidDrain(_ number: Int) {
        if !readers.isEmpty { readers.remove(number) }
        if !progress.isEmpty { progress[number] = nil }
        release()
    }

    /// Whether a sender waits for a client other than itself.
    private func waitsForOther(_ sender: Int) -> Bool { readers.contains { host.reaches($0, from: sender) } }

    /// Closes the clients that others have waited for too long.
    private func check() {
        // If the process was stopped, the clients could not take anything.
        let elapsed = min(loop.turnTime - lastCheckTime, checkInterval * 2)
        lastCheckTime = loop.turnTime
        let states = host.readingStates
        readers.formIntersection(states.keys)
        let wait = Wait(
            states: states, holdsInput: host.isHeldUp(nil),
            senders: heldSenders.filter { states[$0] != nil && host.isHeldUp($0) })
        for (number, state) in states {
            guard state.unsentBytes > 0 else {
                progress[number] = nil
                continue
            }
            let isWaiting = wait.concerns(number, host)
            var progress =
                self.progress[number] ?? ReadingProgress(takenBytes: state.takenBytes, limits: limits)
            let fault = progress.advance(
                to: state.takenBytes, waitTime: isWaiting ? elapsed : .zero,
                isBlocking: isWaiting && readers.contains(number))
            self.progress[number] = progress
            guard let fault else { continue }
            readers.remove(number)
            self.progress[number] = nil
            host.close(slowReader: number, because: fault.rawValue)
        }
        release()
        if !readers.isEmpty { timer?.start(after: checkInterval) }
    }

    /// Resumes the sources that no longer wait.
    private func release() {
        // Of two full readers, each sender waits for at least one.
        guard readers.count < 2 || host.staysOnPath else { return }
        for sender in heldSenders where !waitsForOther(sender) {
            heldSenders.remove(sender)
            host.resumeSender(sender, after: .slowReader)
        }
        guard readers.isEmpty else { return }
        timer = nil
        host.resumeSender(nil, after: .slowReader)
    }

    /// Who waits because queues are full.
    private struct Wait {
        let states: [Int: ReadingState]
        /// Whether the input has something to send.
        let holdsInput: Bool
        /// The paused clients that have something to send and are not full themselves, or could send to an idle client.
        let senders: Set<Int>
        /// Whether a client could take more.
        let hasIdleClient: Bool

        init(states: [Int: ReadingState], holdsInput: Bool, senders: Set<Int>) {
            self.states = states
            self.holdsInput = holdsInput
            let hasIdleClient = states.values.contains(where: \.isIdle)
            self.hasIdleClient = hasIdleClient
            // A sender that does not read either has no more right to continue than the client.
            self.senders = senders.filter { hasIdleClient || states[$0]?.isFull == false }
        }

        /// Whether others wait while a client has not taken everything.
        func concerns(_ client: Int, _ host: any BroadcastHost) -> Bool {
            (holdsInput && hasIdleClient) || senders.contains { host.reaches(client, from: $0) }
        }
    }
}
