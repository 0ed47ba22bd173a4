import Peer
import WSCore

/// Messages in the order of their arrival, until they have been decoded and passed on.
struct CodecQueue {
    /// A waiting message.
    struct Entry: Equatable {
        /// The message for the next stage, once it is known.
        private(set) var payload: [UInt8] = []
        private(set) var kind = MessageKind.binary
        /// How it is decoded, or `nil` if it stays as it is.
        var decoding: Decoding?
        /// The index of the codec whose program has the message, or `nil` if it is done.
        var codec: Int?
        /// Whether nothing is passed on, because the message ends in a later one.
        var isOmitted = false

        /// Creates a message that waits only for earlier ones.
        init(_ payload: RawSpan, _ kind: MessageKind, _ decoding: Decoding?) {
            self.payload = payload.withUnsafeBytes { Array($0) }
            self.kind = kind
            self.decoding = decoding
        }

        /// Creates a message that waits for a program.
        init(_ decoding: Decoding, codec: Int?) {
            self.decoding = decoding
            self.codec = codec
        }

        var isDone: Bool { codec == nil }
        /// The size of the contents in bytes.
        var byteCount: Int { payload.count + (decoding?.original?.count ?? 0) }

        /// Sets the decoded message.
        mutating func finish(_ payload: RawSpan, _ kind: MessageKind) {
            self.payload = payload.withUnsafeBytes { Array($0) }
            self.kind = kind
            codec = nil
        }

        /// Restores the message as it was received.
        mutating func fail(because problem: String) {
            payload = decoding?.original ?? []
            kind = .binary
            decoding?.result = .failed(problem)
            codec = nil
        }
    }

    /// The memory that a message takes in addition to its bytes.
    private static let entryBytes = 256

    private var entries: [Entry] = []
    private var first = 0
    /// The size of all messages in bytes.
    private(set) var byteCount = 0

    var isEmpty: Bool { count == 0 }
    var count: Int { entries.count - first }

    /// Adds a message.
    mutating func append(_ entry: Entry) {
        entries.append(entry)
        byteCount += entry.byteCount + Self.entryBytes
    }

    /// The index of the first message that meets a condition, until the next change.
    func firstIndex(where condition: (Entry) -> Bool) -> Int? {
        entries[first...].firstIndex(where: condition)
    }

    subscript(index: Int) -> Entry { entries[index] }

    /// Changes a message.
    mutating func change(at index: Int, _ change: (inout Entry) -> Void) {
        byteCount -= entries[index].byteCount
        change(&entries[index])
        byteCount += entries[index].byteCount
    }

    /// Changes all messages.
    mutating func changeAll(_ change: (inout Entry) -> Void) {
        for index in entries.indices[first...] { self.change(at: index, change) }
    }

    /// Removes the first message if it is done.
    mutating func removeFirstIfDone() -> Entry? {
        guard first < entries.count, entries[first].isDone else { return nil }
        let entry = entries[first]
        byteCount -= entry.byteCount + Self.entryBytes
        entries[first] = Entry(RawSpan(), .binary, nil)
        first += 1
        // Compact only when more than half is unused, so each message moves a bounded number of times.
        if first * 2 > entries.count {
            entries.removeFirst(first)
            first = 0
        }
        return entry
    }

    /// Discards all messages.
    mutating func removeAll() {
        self = CodecQueue()
    }
}
