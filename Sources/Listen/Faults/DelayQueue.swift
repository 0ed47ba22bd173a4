import Peer
import WSCore

/// The delayed items for one client, in order, each with its due time.
struct DelayQueue: ~Copyable {
    private struct Entry {
        let item: InputItem
        let payloadBytes: Int
        let mark: MessageMark?
        let dueTime: Duration
    }

    private var entries: [Entry] = []
    private var firstIndex = 0
    /// The payloads of all entries, concatenated.
    private var payloads = ByteBuffer()

    /// The number of consumed entries to keep before compacting: removing each one separately would move all others.
    private static let keptEntries = 64

    /// The memory used by waiting items, in bytes.
    var queuedBytes: Int { payloads.count + (entries.count - firstIndex) * MemoryLayout<Entry>.stride }

    /// The number of messages.
    var messageCount: Int {
        entries[firstIndex...].count { if case .message = $0.item { true } else { false } }
    }

    /// When the first item is due, or `nil` if the queue is empty.
    var nextDueTime: Duration? { firstIndex < entries.count ? entries[firstIndex].dueTime : nil }

    /// Appends an item, which becomes due no earlier than the items before it.
    mutating func append(_ item: InputItem, _ payload: RawSpan, _ mark: MessageMark? = nil, dueTime: Duration) {
        let earliestTime = nextDueTime == nil ? dueTime : entries.last?.dueTime ?? dueTime
        entries.append(
            Entry(
                item: item, payloadBytes: payload.byteCount, mark: mark, dueTime: max(dueTime, earliestTime)))
        payloads.append(payload)
    }

    /// Removes the first item if it is due, and passes it to `body`.
    /// - Returns: Whether an item was due.
    mutating func takeFirst(at now: Duration, _ body: (InputItem, RawSpan, MessageMark?) -> Void) -> Bool {
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
        payloads.withReadableBytes { body(entry.item, $0.extracting(first: entry.payloadBytes), entry.mark) }
        payloads.consume(entry.payloadBytes)
        if payloads.isEmpty { payloads.releaseStorage(above: 0) }
        return true
    }

    /// Returns all items and leaves the queue empty.
    mutating func takeAll() -> DelayQueue {
        var taken = DelayQueue()
        swap(&taken, &self)
        return taken
    }
}
