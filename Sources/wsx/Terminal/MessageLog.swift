import WSCore

/// The messages that have travelled, for looking back at the prompt: the latest, as far as the bounds go.
struct MessageLog {
    /// A message that has travelled.
    struct Entry {
        /// From 1, in the order in which they were sent and received.
        let number: Int
        let direction: Transcript.Direction
        let kind: MessageKind
        let moment: TranscriptClock.Moment
        /// The message, or its beginning where ``isCut``.
        let payload: [UInt8]
        /// The length of the message, in bytes.
        let byteCount: Int

        /// Whether only the beginning was kept.
        var isCut: Bool { payload.count < byteCount }
    }

    /// The messages that are kept: enough to look back over a busy minute.
    static let maximumCount = 10_000
    /// The bytes of all of them: one message of the greatest length that is accepted by default.
    static let maximumBytes = 64 << 20
    /// The most that is shown of one, in bytes: some seconds of a terminal's time.
    static let maximumShownBytes = 1 << 20

    /// The messages, from ``first`` on.
    private var entries: [Entry] = []
    /// The oldest that is still there.
    private var first = 0
    private var byteCount = 0
    /// The number of the last message; 0: there has been none.
    private(set) var lastNumber = 0

    /// The messages that are there, from the oldest.
    var kept: ArraySlice<Entry> { entries[first...] }

    /// Keeps a message, and drops the oldest where there are too many.
    /// - Returns: Its number.
    @discardableResult
    mutating func add(
        _ payload: RawSpan, as kind: MessageKind, _ direction: Transcript.Direction, at moment: TranscriptClock.Moment
    ) -> Int {
        lastNumber += 1
        let bytes = payload.extracting(first: Self.maximumBytes).withUnsafeBytes { Array($0) }
        byteCount += bytes.count
        while first < entries.count, byteCount > Self.maximumBytes || entries.count - first >= Self.maximumCount {
            dropOldest()
        }
        entries.append(
            Entry(
                number: lastNumber, direction: direction, kind: kind, moment: moment, payload: bytes,
                byteCount: payload.byteCount))
        return lastNumber
    }

    /// The message of a number; nil: there is none, or not any more.
    func entry(_ number: Int) -> Entry? {
        guard let oldest = kept.first?.number, number >= oldest, number <= lastNumber else { return nil }
        return entries[first + number - oldest]
    }

    private mutating func dropOldest() {
        byteCount -= entries[first].payload.count
        entries[first] = Entry(
            number: 0, direction: .sent, kind: .text, moment: entries[first].moment, payload: [], byteCount: 0)
        first += 1
        // What has been dropped is cleared away in large pieces, as that moves all the others.
        guard first > entries.count / 2 else { return }
        entries.removeFirst(first)
        first = 0
    }
}
