/// Which messages of a connection are without a reply, and when they were sent.
///
///      overtaken │ first … next-1 │ next
///        a list       a ring
///
/// Replies come in the order of the messages, and then the ring is all that is needed. A message that the reply to a later
/// one has overtaken, or whose time is over, is put on a list, where its reply is looked for if it comes after all.
struct EchoLedger: ~Copyable {
    /// A message whose reply is not expected next.
    private struct Overtaken {
        let number: UInt64
        let sendTime: UInt64
        /// Whether something came in place of its reply, or so it seems until that comes.
        var isReplaced = false
    }

    /// A message whose reply has come out of order.
    struct Answer: Equatable {
        let sendTime: UInt64
        /// Whether the reply to a later message was there before.
        let isReordered: Bool
        /// Whether something else had been taken for its reply.
        let wasReplaced: Bool
    }

    /// The oldest message that is expected in order.
    private(set) var first: UInt64 = 0
    /// The number of the next message.
    private(set) var next: UInt64 = 0
    /// Messages before this one are not waited for any more; their replies are, if they come, still those expected.
    private var givenUpEnd: UInt64 = 0
    /// So many of those expected are not waited for any more, where it cannot be told which.
    private var writtenOffCount = 0
    /// One more than the latest message that has been answered.
    private var answeredEnd: UInt64 = 0
    private var times: UnsafeMutablePointer<UInt64>
    private var mask: UInt64
    /// In the order of their numbers.
    private var overtaken: [Overtaken] = []
    /// The number of those on it that something came in place of.
    private var replacedCount = 0
    /// The number of messages that were taken off the list of the overtaken because there were too many.
    private var forgottenCount = 0

    /// The most messages on the list of the overtaken; half of them are forgotten when there are more.
    static let mostOvertaken = 8192

    /// Makes an empty ledger with room for so many messages (1 or more); it grows beyond that.
    init(capacity: Int) {
        var size = 1
        while size < capacity { size *= 2 }
        times = .allocate(capacity: size)
        mask = UInt64(size - 1)
    }

    deinit {
        times.deallocate()
    }

    /// The number of messages that are expected in order.
    var expectedCount: Int { Int(truncatingIfNeeded: next &- first) }

    /// The number of messages that are waited for.
    @inline(__always)
    var inFlightCount: Int { Int(truncatingIfNeeded: next &- max(first, givenUpEnd)) &- writtenOffCount }

    /// When the oldest message was sent that is expected; without any, no time.
    @inline(__always)
    var firstTime: UInt64 { times[Int(truncatingIfNeeded: first & mask)] }

    /// When a message was sent that is without a reply, or was until a few later ones were sent; nil: that is not known.
    func sendTime(of number: UInt64) -> UInt64? {
        if number < next, next - number <= mask + 1 { return times[Int(truncatingIfNeeded: number & mask)] }
        return overtakenIndex(of: number).map { overtaken[$0].sendTime }
    }

    /// The numbers of messages that a reply may belong to, the likeliest first: those without one that are next to the
    /// expected one, all others without one, and then those that had theirs a short while ago.
    /// - Parameter count: At most so many of each.
    func likelyNumbers(_ count: Int) -> [UInt64] {
        let near = [first] + (1...UInt64(count)).flatMap { [first &+ $0, first &- $0] }
        let remembered = near.filter { $0 < next && next - $0 <= mask + 1 }
        return remembered.filter { !isAnswered($0) } + overtaken.suffix(count).map(\.number)
            + remembered.filter { isAnswered($0) }
    }

    private func isAnswered(_ number: UInt64) -> Bool { number < first && overtakenIndex(of: number) == nil }

    /// The number of all messages without a reply.
    var unansweredCount: Int { expectedCount + overtaken.count - replacedCount + forgottenCount }

    /// The number of messages without a reply that were sent at a time or later; those that were taken off the list count,
    /// whenever they were sent.
    func unansweredCount(since time: UInt64) -> Int {
        var count = forgottenCount + overtaken.count { $0.sendTime >= time && !$0.isReplaced }
        for number in first..<next where times[Int(truncatingIfNeeded: number & mask)] >= time { count += 1 }
        return count
    }

    /// Enters the next message.
    @inline(__always)
    mutating func send(at time: UInt64) {
        if next &- first > mask { grow() }
        times[Int(truncatingIfNeeded: next & mask)] = time
        next &+= 1
    }

    /// Takes the oldest message that is expected, which there is, as answered, and returns when it was sent.
    @inline(__always)
    mutating func takeFirst() -> UInt64 {
        let time = times[Int(truncatingIfNeeded: first & mask)]
        first &+= 1
        answeredEnd = first
        if writtenOffCount > expectedCount { writtenOffCount = expectedCount }
        return time
    }

    /// Takes a message as answered out of order; nil: no reply to it is missing.
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

    /// Takes something that cannot be told for the reply to the oldest message without one, unless that comes after all,
    /// and returns when it was sent; nil: there is none.
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

    /// Waits no more for messages that were sent before a time, and returns how many there were.
    mutating func giveUp(before time: UInt64) -> Int {
        let begin = max(first, givenUpEnd)
        givenUpEnd = end(before: time, from: begin)
        return Int(givenUpEnd - begin)
    }

    /// The same where replies do not tell which message is theirs: each is taken for that of the oldest, and it stays unknown
    /// whether those of others are late or lost.
    mutating func writeOff(before time: UInt64) -> Int {
        let count = max(0, Int(end(before: time, from: first) - first) - writtenOffCount)
        writtenOffCount += count
        return count
    }

    /// The first message from a number on that was sent at a time or later.
    private func end(before time: UInt64, from number: UInt64) -> UInt64 {
        var end = number
        while end < next, times[Int(truncatingIfNeeded: end & mask)] < time { end += 1 }
        return end
    }

    private mutating func overtakeFirst() {
        if overtaken.count == Self.mostOvertaken {
            let replaced = overtaken.prefix(Self.mostOvertaken / 2).count(where: \.isReplaced)
            replacedCount -= replaced
            forgottenCount += Self.mostOvertaken / 2 - replaced
            overtaken.removeFirst(Self.mostOvertaken / 2)
        }
        overtaken.append(Overtaken(number: first, sendTime: times[Int(truncatingIfNeeded: first & mask)]))
        first &+= 1
    }

    /// Found by halving: a server may answer many of them late.
    private func overtakenIndex(of number: UInt64) -> Int? {
        var range = 0..<overtaken.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if overtaken[middle].number == number { return middle }
            range = overtaken[middle].number < number ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }

    private mutating func grow() {
        let size = Int(mask) + 1
        let larger = UnsafeMutablePointer<UInt64>.allocate(capacity: 2 * size)
        let largerMask = UInt64(2 * size - 1)
        for number in first..<next {
            larger[Int(truncatingIfNeeded: number & largerMask)] = times[Int(truncatingIfNeeded: number & mask)]
        }
        times.deallocate()
        (times, mask) = (larger, largerMask)
    }
}
