/// The unanswered messages of a connection and their send times.
///
///      overtaken │ first … next-1 │ next
///        a list       a ring
///
/// Replies usually arrive in order, and then only the ring is used. A message moves to the list if the reply to a later
/// message arrives first, or if other data is taken for its reply. Late replies are looked up in the list.
struct EchoLedger: ~Copyable {
    /// A message that is expected in order.
    private struct Sent {
        let time: UInt64
        let words: EchoMessage.Words
    }

    /// A message with a reply that is no longer expected next.
    private struct Overtaken {
        let number: UInt64
        let sendTime: UInt64
        /// Whether something else was taken for its reply, until the real reply arrives.
        var isReplaced = false
    }

    /// A message answered out of order.
    struct Answer: Equatable {
        let sendTime: UInt64
        /// Whether a later message was answered before.
        let isReordered: Bool
        /// Whether something else had been taken for its reply.
        let wasReplaced: Bool
    }

    /// The number of the first message.
    private let start: UInt64
    /// The overtaken messages, ordered by number.
    private var overtaken: [Overtaken] = []
    /// The number of overtaken messages with a replaced reply.
    private var replacedCount = 0
    /// The number of messages removed from the list because it was full.
    private var forgottenCount = 0
    /// The number of forgotten messages that have not been counted as timed out.
    private var untimedCount = 0
    // Each reply needs the fields from here on, so they are together.
    /// The end of the messages that have timed out, or been answered. Late replies to them are still recognized.
    private var givenUpEnd: UInt64 = 0
    /// The number of expected messages that have timed out without knowing which ones.
    private var writtenOffCount = 0
    /// One more than the latest answered message.
    private var answeredEnd: UInt64 = 0
    /// The oldest message expected in order.
    private(set) var first: UInt64
    /// The number of the next message.
    private(set) var next: UInt64
    private var ring: UnsafeMutablePointer<Sent>
    private var mask: UInt64

    /// The maximum number of overtaken messages. Above it, half of them are forgotten.
    static let mostOvertaken = 8192

    /// Creates an empty ledger.
    /// - Parameters:
    ///   - capacity: The initial capacity, at least 1. It grows when necessary.
    ///   - start: The number of the first message. Defaults to 0.
    init(capacity: Int, from start: UInt64 = 0) {
        self.start = start
        (first, next) = (start, start)
        var size = 1
        while size < capacity { size *= 2 }
        ring = .allocate(capacity: size)
        mask = UInt64(size - 1)
    }

    deinit {
        ring.deallocate()
    }

    /// The number of messages expected in order.
    var expectedCount: Int { Int(truncatingIfNeeded: next &- first) }

    /// The number of messages in flight, without those that have timed out.
    @inline(__always)
    var inFlightCount: Int { Int(truncatingIfNeeded: next &- max(first, givenUpEnd)) &- writtenOffCount }

    /// The send time of the oldest expected message. Undefined if there is none.
    @inline(__always)
    var firstTime: UInt64 { ring[Int(truncatingIfNeeded: first & mask)].time }

    /// The words of the oldest expected message. Undefined if there is none.
    @inline(__always)
    var firstWords: EchoMessage.Words { ring[Int(truncatingIfNeeded: first & mask)].words }

    /// The send time of a message, or `nil` if it is unknown. It is known for unanswered messages and for recently
    /// answered ones.
    func sendTime(of number: UInt64) -> UInt64? {
        if start..<next ~= number, next - number <= mask + 1 {
            return ring[Int(truncatingIfNeeded: number & mask)].time
        }
        return overtakenIndex(of: number).map { overtaken[$0].sendTime }
    }

    /// The messages that a reply may belong to, the likeliest first: unanswered messages near the expected one,
    /// overtaken messages, and then recently answered ones.
    /// - Parameter count: The maximum number of each kind, on either side of the expected message.
    func likelyNumbers(_ count: Int) -> [UInt64] {
        let near = [first] + (1...UInt64(count)).flatMap { [first &+ $0, first &- $0] }
        let remembered = near.filter { start..<next ~= $0 && next - $0 <= mask + 1 }
        return remembered.filter { !isAnswered($0) } + overtaken.suffix(count).map(\.number)
            + remembered.filter { isAnswered($0) }
    }

    private func isAnswered(_ number: UInt64) -> Bool { number < first && overtakenIndex(of: number) == nil }

    /// The number of all unanswered messages.
    var unansweredCount: Int { expectedCount + overtaken.count - replacedCount + forgottenCount }

    /// The number of unanswered messages sent at a time or later. Forgotten messages count regardless of their send
    /// time.
    func unansweredCount(since time: UInt64) -> Int {
        var count = forgottenCount + overtaken.count { $0.sendTime >= time && !$0.isReplaced }
        for number in first..<next where ring[Int(truncatingIfNeeded: number & mask)].time >= time { count += 1 }
        return count
    }

    /// Records the next message, and what ``EchoMessage/set(_:)`` returned for it.
    @inline(__always)
    mutating func send(at time: UInt64, _ words: EchoMessage.Words = (0, 0)) {
        if next &- first > mask { grow() }
        ring[Int(truncatingIfNeeded: next & mask)] = Sent(time: time, words: words)
        next &+= 1
    }

    /// Marks the oldest expected message as answered and returns its send time. There must be one.
    @inline(__always)
    mutating func takeFirst() -> UInt64 {
        let time = firstTime
        first &+= 1
        answeredEnd = first
        if writtenOffCount > expectedCount { writtenOffCount = expectedCount }
        return time
    }

    /// Marks a message as answered out of order. Returns `nil` if it has no outstanding reply.
    mutating func take(_ number: UInt64) -> Answer? {
        if number >= first {
            guard number < next else { return nil }
            while first < number { overtakeFirst() }
            return Answer(sendTime: takeFirst(), isReordered: false, wasReplaced: false)
        }
        guard let index = overtakenIndex(of: number) else { return nil }
        let isReordered = number &+ 1 < answeredEnd
        answeredEnd = max(answeredEnd, number &+ 1)
        let message = overtaken.remove(at: index)
        if message.isReplaced { replacedCount -= 1 }
        return Answer(sendTime: message.sendTime, isReordered: isReordered, wasReplaced: message.isReplaced)
    }

    /// Takes unidentifiable data as the reply to the oldest unanswered message, unless the real reply arrives later.
    /// Returns the message's send time, or `nil` if all messages have been answered.
    mutating func replaceOldest() -> UInt64? {
        if expectedCount > 0 {
            overtakeFirst()
            overtaken[overtaken.count - 1].isReplaced = true
            replacedCount += 1
            return overtaken.last?.sendTime
        }
        guard let index = overtaken.firstIndex(where: { !$0.isReplaced }) else { return nil }
        overtaken[index].isReplaced = true
        replacedCount += 1
        return overtaken[index].sendTime
    }

    /// Times out messages sent before a time and returns their number.
    mutating func giveUp(before time: UInt64) -> Int {
        var count = untimedCount
        untimedCount = 0
        var index = overtakenIndex(atOrAfter: givenUpEnd)
        while index < overtaken.count {
            guard overtaken[index].sendTime < time else { return count }
            if !overtaken[index].isReplaced { count += 1 }
            givenUpEnd = overtaken[index].number + 1
            index += 1
        }
        let begin = max(first, givenUpEnd)
        givenUpEnd = end(before: time, from: begin)
        return count + Int(givenUpEnd - begin)
    }

    /// Does the same for replies without identity. Each reply counts for the oldest message, so it remains unknown
    /// which of the others are late or lost.
    mutating func writeOff(before time: UInt64) -> Int {
        let count = max(0, Int(end(before: time, from: first) - first) - writtenOffCount)
        writtenOffCount += count
        return count
    }

    /// The first message, starting at a number, that was sent at a time or later.
    private func end(before time: UInt64, from number: UInt64) -> UInt64 {
        var end = number
        while end < next, ring[Int(truncatingIfNeeded: end & mask)].time < time { end += 1 }
        return end
    }

    private mutating func overtakeFirst() {
        if overtaken.count == Self.mostOvertaken {
            let replaced = overtaken.prefix(Self.mostOvertaken / 2).count(where: \.isReplaced)
            replacedCount -= replaced
            forgottenCount += Self.mostOvertaken / 2 - replaced
            untimedCount += overtaken.prefix(Self.mostOvertaken / 2).count { $0.number >= givenUpEnd && !$0.isReplaced }
            overtaken.removeFirst(Self.mostOvertaken / 2)
        }
        overtaken.append(Overtaken(number: first, sendTime: firstTime))
        first &+= 1
    }

    private func overtakenIndex(of number: UInt64) -> Int? {
        let index = overtakenIndex(atOrAfter: number)
        return index < overtaken.count && overtaken[index].number == number ? index : nil
    }

    /// Uses binary search, because a server may answer many overtaken messages.
    private func overtakenIndex(atOrAfter number: UInt64) -> Int {
        var range = 0..<overtaken.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = overtaken[middle].number < number ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }

    private mutating func grow() {
        let size = Int(mask) + 1
        let larger = UnsafeMutablePointer<Sent>.allocate(capacity: 2 * size)
        let largerMask = UInt64(2 * size - 1)
        for number in first..<next {
            larger[Int(truncatingIfNeeded: number & largerMask)] = ring[Int(truncatingIfNeeded: number & mask)]
        }
        ring.deallocate()
        (ring, mask) = (larger, largerMask)
    }
}
