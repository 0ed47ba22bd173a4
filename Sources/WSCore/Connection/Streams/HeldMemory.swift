/// Bounds the memory that the clients of a loop hold together: incomplete messages, unread input, and queued output.
///
/// Each client alone is bounded, but many of them could exhaust the memory. Whatever holds memory for a peer is a
/// ``MemoryHolder``: WebSockets, responses, forwarded requests, and the output of an HTTP/2 connection.
///
///      below the limit:  all connections read
///      beyond it:        connections with an incomplete message pause, except the one nearest its end; if it makes no
///                        progress, another continues, as long as they hold less than 9/8 of the limit
///                        output queues are full at 64 KiB, so their sources pause
///                        connections without progress for 5 s are abandoned, the largest first
///      beyond 9/8 of it: no other message continues while output is left that can go first
///      below 7/8 of it:  all connections read again
///
/// If only incomplete messages are left, one of them continues, so legal messages arrive, one after the other if
/// necessary. A broadcast counts once, however many connections it waits for.
package final class HeldMemory {
    /// What a client may hold without being counted, in bytes.
    static let uncountedBytes = 64 << 10
    /// What each of many streams of an HTTP/2 connection may hold without being counted, in bytes.
    static let uncountedStreamBytes = 4 << 10

    /// What a stream may hold without being counted, in bytes, if it is one of `count` open streams of an HTTP/2
    /// connection. The part of a client is not free for each stream: 1,000 streams have 4 MiB rather than 64.
    static func uncountedBytes(amongStreams count: Int) -> Int {
        max(uncountedBytes / max(count, 1), uncountedStreamBytes)
    }

    /// The size of the pieces in which compressed input is decoded beyond the limit, in bytes. Each inflates to 264 KiB
    /// at most.
    static let scarcePieceBytes = 256
    /// How long a connection may make no progress beyond the limit.
    static let stallLimit = Duration.seconds(5)

    /// What one connection holds.
    struct Holding {
        /// The storage of its incomplete message, in bytes.
        var incompleteBytes = 0
        /// The storage of its output, in bytes, without broadcasts.
        var outputBytes = 0
        /// The number of bytes of the broadcasts in its output.
        var sharedBytes = 0
        /// The number of bytes that its incomplete message lacks; nil if it has none.
        var missingBytes: Int?
        /// How long memory has been scarce since it last made progress.
        var stallTime = Duration.zero

        /// The number of bytes it holds, alone or together with others.
        var allBytes: Int { incompleteBytes + outputBytes + sharedBytes }
    }

    /// A connection that is counted.
    private struct Entry {
        let holder: any MemoryHolder
        var holding = Holding()
        /// The value of ``MemoryHolder/movedBytes`` when it last made progress.
        var movedBytes: Int
    }

    /// Whether the connections hold more than the limit, and have not fallen below 7/8 of it since.
    private(set) var isExceeded = false

    private let loop: EventLoop
    private let limitBytes: Int
    /// The number of bytes that count as progress. A few bytes now and then are none.
    private let progressBytes: Int
    private let checkInterval: Duration
    private var entries: [ObjectIdentifier: Entry] = [:]
    /// Called while memory is scarce, to discard what can be made again.
    var releaseCaches: () -> Void = {}
    /// Counts all broadcasts and shared pages. It changes while connections are in use, so nothing follows at once.
    let broadcasts = BroadcastCounter()
    /// The number of bytes of incomplete messages, and of output without broadcasts.
    private var incompleteBytes = 0
    private var ownOutputBytes = 0
    /// The connection that continues with its message beyond the limit.
    private var reader: ObjectIdentifier?
    private var timer: Timer?
    private var lastCheckTime = Duration.zero

    /// Creates the account of a loop without connections.
    /// - Parameters:
    ///   - limitBytes: The limit in bytes.
    ///   - bytesPerSecond: The bandwidth of each connection, or nil for no limit.
    ///   - loop: The loop of the connections.
    ///   - checkInterval: The interval of checks beyond the limit. Defaults to 500 ms.
    init(
        limitBytes: Int, bytesPerSecond: Int? = nil, on loop: EventLoop, checkInterval: Duration = .milliseconds(500)
    ) {
        self.limitBytes = limitBytes
        // Half of the bandwidth is enough.
        progressBytes = min(max(1, min(bytesPerSecond ?? .max, Self.uncountedBytes) * 5 / 2), Self.uncountedBytes)
        self.loop = loop
        self.checkInterval = checkInterval
    }

    private var resumeBytes: Int { limitBytes / 8 * 7 }

    private var heldBytes: Int { incompleteBytes + ownOutputBytes + broadcasts.byteCount }

    /// Whether an incomplete message may continue beyond the limit, which adds a message to the output. Otherwise, the
    /// output goes first: its peers take it, or are abandoned.
    private var hasRoomForMessage: Bool {
        heldBytes <= limitBytes / 8 * 9 || ownOutputBytes + broadcasts.byteCount <= limitBytes / 8
    }

    /// Counts what a connection holds now.
    /// - Returns: Whether it holds enough to be counted. If so, call this method again after each change, and
    ///   ``remove(_:)`` in the end.
    func update(_ holder: any MemoryHolder) -> Bool {
        let identifier = ObjectIdentifier(holder)
        guard holder.heldBytes + holder.sharedBytes > holder.uncountedBytes else {
            if entries[identifier] != nil {
                remove(holder)
                holder.memoryIsFree()
            }
            return false
        }
        var entry = entries[identifier] ?? Entry(holder: holder, movedBytes: holder.movedBytes)
        measure(&entry)
        entries[identifier] = entry
        updateState()
        guard isExceeded else { return true }
        let hasIncomplete = entry.holding.missingBytes != nil
        if reader == identifier ? !hasIncomplete : reader == nil && hasRoomForMessage { chooseReader() }
        if reader != identifier, hasIncomplete { holder.pauseForMemory() }
        return true
    }

    /// Stops counting a connection.
    func remove(_ holder: any MemoryHolder) {
        guard let entry = entries.removeValue(forKey: ObjectIdentifier(holder)) else { return }
        incompleteBytes -= entry.holding.incompleteBytes
        ownOutputBytes -= entry.holding.outputBytes
        updateState()
        if reader == nil || reader == ObjectIdentifier(holder) { chooseReader() }
    }

    private func measure(_ entry: inout Entry) {
        incompleteBytes += entry.holder.incompleteBytes - entry.holding.incompleteBytes
        ownOutputBytes += entry.holder.outputBytes - entry.holding.outputBytes
        entry.holding.incompleteBytes = entry.holder.incompleteBytes
        entry.holding.outputBytes = entry.holder.outputBytes
        entry.holding.sharedBytes = entry.holder.sharedBytes
        entry.holding.missingBytes = entry.holder.missingBytes
    }

    private func updateState() {
        guard isExceeded != (heldBytes > (isExceeded ? resumeBytes : limitBytes)) else { return }
        isExceeded.toggle()
        guard isExceeded else {
            timer = nil
            reader = nil
            for entry in entries.values { entry.holder.memoryIsFree() }
            return
        }
        chooseReader()
        lastCheckTime = loop.turnTime
        let timer = Timer(on: loop) { [unowned self] in check() }
        timer.keepsLoopAlive = false
        timer.start(after: checkInterval, every: checkInterval)
        self.timer = timer
    }

    /// Pauses all connections with an incomplete message, except the one nearest its end, if there is room for it.
    private func chooseReader() {
        guard isExceeded else { return reader = nil }
        reader = hasRoomForMessage ? Self.nearestEnd(of: entries.mapValues(\.holding)) : nil
        for (identifier, entry) in entries where entry.holding.missingBytes != nil {
            if identifier == reader {
                entry.holder.resumeAfterMemory()
            } else {
                entry.holder.pauseForMemory()
            }
        }
    }

    /// Abandons connections that make no progress, and lets the one continue that is now nearest its end.
    private func check() {
        // If the process was stopped, nobody could make progress.
        let elapsed = min(loop.turnTime - lastCheckTime, checkInterval * 2)
        lastCheckTime = loop.turnTime
        for (identifier, var entry) in entries {
            // Closing connections do not report what has gone.
            measure(&entry)
            let movedBytes = entry.holder.movedBytes
            if movedBytes - entry.movedBytes >= progressBytes || entry.holder.isKeptWaiting {
                entry.movedBytes = movedBytes
                entry.holding.stallTime = .zero
            } else {
                entry.holding.stallTime += elapsed
            }
            entries[identifier] = entry
        }
        updateState()
        guard isExceeded else { return }
        let holdings = entries.mapValues(\.holding)
        let stalled = Self.stalled(of: holdings, excessBytes: heldBytes - resumeBytes)
        for holder in stalled.compactMap({ entries[$0]?.holder }) { holder.freeMemory() }
        releaseCaches()
        LargeStorage.releaseAll()
        // Messages of different sizes that grow next to each other leave gaps.
        Heap.trim()
        // Each connection that continues may need room for its whole message.
        let isStalled = reader.flatMap { entries[$0]?.holding.stallTime } ?? .zero > .zero
        if !isStalled || heldBytes <= limitBytes / 8 * 9 { chooseReader() }
    }

    /// The connection whose incomplete message lacks the fewest bytes; nil if no message is incomplete. Those that make
    /// no progress come last.
    static func nearestEnd<Identifier: Hashable & Comparable>(of holdings: [Identifier: Holding]) -> Identifier? {
        let incomplete = holdings.compactMap { identifier, holding in
            holding.missingBytes.map { (holding.stallTime > .zero ? 1 : 0, $0, identifier) }
        }
        return incomplete.min { $0 < $1 }?.2
    }

    /// The connections to abandon, the largest first: those that make no progress, until the excess is gone.
    static func stalled<Identifier: Hashable & Comparable>(
        of holdings: [Identifier: Holding], excessBytes: Int
    ) -> [Identifier] {
        let candidates = holdings.filter { $0.value.stallTime >= stallLimit }
            .map { (heldBytes: $0.value.allBytes, identifier: $0.key) }
            .sorted { ($0.heldBytes, $1.identifier) > ($1.heldBytes, $0.identifier) }
        var excessBytes = excessBytes
        return candidates.prefix { candidate in
            defer { excessBytes -= candidate.heldBytes }
            return excessBytes > 0
        }.map(\.identifier)
    }
}

/// A connection, response, or request that holds memory for its peer.
protocol MemoryHolder: AnyObject {
    /// What it may hold without being counted, in bytes.
    var uncountedBytes: Int { get }
    /// The storage of its incomplete message, in bytes.
    var incompleteBytes: Int { get }
    /// The storage of its output, in bytes, until the kernel has taken all of it, without broadcasts.
    var outputBytes: Int { get }
    /// The number of bytes of the broadcasts among its output, which other connections hold, too.
    var sharedBytes: Int { get }
    /// The number of bytes that its incomplete message lacks; nil if it has none.
    var missingBytes: Int? { get }
    /// The number of bytes that have gone from or to its peer, plus a constant.
    var movedBytes: Int { get }
    /// Whether the peer has sent bytes that we do not read, and nothing waits for the peer.
    var isKeptWaiting: Bool { get }
    /// Stops reading an incomplete message.
    func pauseForMemory()
    /// Resumes reading, unless it is paused for another reason.
    func resumeAfterMemory()
    /// Memory is no longer scarce, or the connection no longer holds enough of it to be counted.
    func memoryIsFree()
    /// Abandons the connection.
    func freeMemory()
}

extension MemoryHolder {
    /// The number of bytes that only this connection holds.
    var heldBytes: Int { incompleteBytes + outputBytes }

    // Most holders have no messages, so that they only wait for their peers.
    var sharedBytes: Int { 0 }
    var missingBytes: Int? { nil }
    var isKeptWaiting: Bool { false }
    func pauseForMemory() {}
    func resumeAfterMemory() {}
    func memoryIsFree() {}
}
