/// The last messages that the steps of an iteration have skipped, to explain a failure.
struct SkippedMessages {
    /// A message.
    struct Entry {
        let message: WaitingFrames.Message
        /// The number of the line of the step that has skipped it.
        let line: Int
        /// The index of the last step that could have taken it.
        let lastStep: Int
    }

    /// The messages in their order.
    private(set) var entries: [Entry] = []
    /// The size of the last message in bytes if it was too long to be kept, or `nil`.
    private(set) var longBytes: Int?
    private var byteCount = 0

    private static let mostMessages = 32
    private static let mostBytes = 64 << 10

    /// Adds a message.
    /// - Returns: The oldest messages, which have made room for it.
    mutating func add(_ entry: Entry) -> [Entry] {
        let payloadBytes = entry.message.payload.count
        longBytes = payloadBytes > Self.mostBytes ? payloadBytes : nil
        guard longBytes == nil else { return [] }
        entries.append(entry)
        byteCount += payloadBytes
        var removedCount = 0
        while entries.count - removedCount > Self.mostMessages || byteCount > Self.mostBytes {
            byteCount -= entries[removedCount].message.payload.count
            removedCount += 1
        }
        defer { entries.removeFirst(removedCount) }
        return Array(entries.prefix(removedCount))
    }

    /// Forgets all messages.
    mutating func removeAll() {
        guard !entries.isEmpty || longBytes != nil else { return }
        self = SkippedMessages()
    }
}
