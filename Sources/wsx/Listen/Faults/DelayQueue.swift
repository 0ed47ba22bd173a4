import WSCore

/// The messages that wait to be sent to one client, in order, each with the time at which it is due.
struct DelayQueue: ~Copyable {
    private struct Entry {
        let item: InputItem
        let payloadBytes: Int
        let dueTime: Duration
    }

    private var entries: [Entry] = []
    private var firstIndex = 0
    /// The payloads of all entries, one behind the other.
    private var payloads = ByteBuffer()

    /// Passed entries that are kept until there are as many that wait: removing each by itself would move all.
    private static let keptEntries = 64

    /// The memory that is taken up by what waits, in bytes.
    var queuedBytes: Int { payloads.count + (entries.count - firstIndex) * MemoryLayout<Entry>.stride }

    /// When the first is due; nil: nothing waits.
    var nextDueTime: Duration? { firstIndex < entries.count ? entries[firstIndex].dueTime : nil }

    /// Adds something behind all others: it is not due before them.
    mutating func append(_ item: InputItem, _ payload: RawSpan, dueTime: Duration) {
        let earliestTime = nextDueTime == nil ? dueTime : entries.last?.dueTime ?? dueTime
        entries.append(
            Entry(item: item, payloadBytes: payload.byteCount, dueTime: max(dueTime, earliestTime)))
        payloads.append(payload)
    }

    /// Takes the first out if it is due, and gives it to `body`.
    /// - Returns: Whether it was due.
    mutating func takeFirst(at now: Duration, _ body: (InputItem, RawSpan) -> Void) -> Bool {
        guard let dueTime = nextDueTime, dueTime <= now else { return false }
        let entry = entries[firstIndex]
        firstIndex += 1
        if firstIndex == entries.count {
            entries.removeAll(keepingCapacity: entries.count <= Self.keptEntries)
            firstIndex = 0
        } else if firstIndex > Self.keptEntries, firstIndex > entries.count / 2 {
            entries.removeSubrange(..<firstIndex)
            firstIndex = 0
        }
        payloads.withReadableBytes { body(entry.item, $0.extracting(first: entry.payloadBytes)) }
        payloads.consume(entry.payloadBytes)
        if payloads.isEmpty { payloads.releaseStorage(above: 0) }
        return true
    }

    /// Returns all messages and leaves the queue empty.
    mutating func takeAll() -> DelayQueue {
        var taken = DelayQueue()
        swap(&taken, &self)
        return taken
    }
}
