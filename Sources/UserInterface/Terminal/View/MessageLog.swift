import Formats
import WSCore

/// The latest sent and received messages, within limits, for the commands of the prompt.
package struct MessageLog {
    /// A sent or received message.
    package struct Entry {
        /// The number, counted from 1 over sent and received messages.
        package let number: Int
        package let direction: Transcript.Direction
        package let kind: MessageKind
        /// The client's number, on a server.
        package var client: Int?
        package let moment: TranscriptClock.Moment
        /// The text before the message, or `nil` if there is none.
        var heading: String?
        /// The message, or its beginning if ``isCut``.
        package let payload: [UInt8]
        /// The size of the message in bytes.
        let byteCount: Int

        /// Whether only the beginning is available.
        package var isCut: Bool { payload.count < byteCount }
    }

    /// The maximum number of messages: enough to look back over a busy minute.
    static let maximumCount = 100_000
    /// The maximum size of all messages in bytes: one message of the largest size accepted by default.
    static let maximumBytes = 64 << 20
    /// The memory that a message takes in addition to its bytes.
    static let entryBytes = 128
    /// The maximum number of bytes shown of a message: some seconds of a terminal's time.
    static let maximumShownBytes = 1 << 20

    /// The messages from ``first`` on.
    private var entries: [Entry] = []
    /// The index of the oldest message.
    private var first = 0
    private var byteCount = 0
    /// The number of the last message; 0: none.
    package private(set) var lastNumber = 0
    /// The number of received messages so far, including those dropped.
    package private(set) var receivedCount = 0
    /// The number of sent messages so far, including those dropped.
    package var sentCount: Int { lastNumber - receivedCount }

    /// The available messages, oldest first.
    package var kept: ArraySlice<Entry> { entries[first...] }

    /// Adds a message and drops the oldest ones beyond the limits.
    /// - Returns: The message's number.
    @discardableResult
    mutating func add(
        _ payload: RawSpan, as kind: MessageKind, _ direction: Transcript.Direction, client: Int? = nil,
        heading: String? = nil, at moment: TranscriptClock.Moment
    ) -> Int {
        lastNumber += 1
        if direction == .received { receivedCount += 1 }
        let bytes = payload.extracting(first: Self.maximumBytes).withUnsafeBytes { Array($0) }
        byteCount += bytes.count + Self.entryBytes
        while first < entries.count, byteCount > Self.maximumBytes || entries.count - first >= Self.maximumCount {
            dropOldest()
        }
        entries.append(
            Entry(
                number: lastNumber, direction: direction, kind: kind, client: client, moment: moment, heading: heading,
                payload: bytes, byteCount: payload.byteCount))
        return lastNumber
    }

    /// The message with a number, or nil if it does not exist or was dropped.
    func entry(_ number: Int) -> Entry? {
        guard let oldest = kept.first?.number, number >= oldest, number <= lastNumber else { return nil }
        return entries[first + number - oldest]
    }

    private mutating func dropOldest() {
        byteCount -= entries[first].payload.count + Self.entryBytes
        entries[first] = Entry(
            number: 0, direction: .sent, kind: .text, moment: entries[first].moment, payload: [], byteCount: 0)
        first += 1
        // Dropped messages are removed in large batches, because that moves all others.
        guard first > entries.count / 2 else { return }
        entries.removeFirst(first)
        first = 0
    }
}

extension MessageLog.Entry {
    /// Whether the message or its heading matches as it was received or sent.
    func isMatchAsReceived(of pattern: Pattern) -> Bool {
        pattern.matches(payload.span.bytes) || heading.map { pattern.matches(Array($0.utf8).span.bytes) } ?? false
    }

    /// Whether the message matches as it is shown, which takes longer.
    func isMatchAsShown(of pattern: Pattern) -> Bool {
        kind == .text && pattern.matches(shown: payload.span.bytes)
    }
}
