import Conversation
import Formats
import WSCore

/// The times of replies that consist of several messages. The time to the last message is the latency.
package struct StreamResults: Equatable, Sendable {
    /// The times from the request to the first message, in nanoseconds.
    internal var firsts: StoredHistogram
    /// The longest time between two messages of each reply with several, in nanoseconds.
    internal var gaps: StoredHistogram
    /// The numbers of messages of each reply.
    internal var counts: StoredHistogram

    /// The times to the first message, in nanoseconds.
    package func firstTimes() -> Histogram { firsts.readable() }
    /// The longest gaps, in nanoseconds.
    package func longestGaps() -> Histogram { gaps.readable() }
    /// The numbers of messages of each reply.
    package func messageCounts() -> Histogram { counts.readable() }

    /// The numbers of messages of each reply in words: `2 to 9 messages each, mean 4.5`; nil without replies.
    package var messagesPerReply: String? {
        let counts = messageCounts()
        guard counts.totalCount > 0 else { return nil }
        let (least, most) = (Int(clamping: counts.minimum), Int(clamping: counts.maximum))
        if least == most { return "\(Phrase.grouped(least)) messages each" }
        let mean = FixedPoint.text(counts.mean, digits: 1)
        return "\(Phrase.grouped(least)) to \(Phrase.grouped(most)) messages each, mean \(mean)"
    }

    /// Adds the replies of another load.
    internal mutating func add(_ other: StreamResults) throws(BenchResultsError) {
        for path in [\StreamResults.firsts, \.gaps, \.counts] {
            var sum = try self[keyPath: path].decoded()
            try sum.add(checking: other[keyPath: path].decoded())
            self[keyPath: path] = StoredHistogram(sum)
        }
    }
}

extension StreamResults? {
    /// Adds the replies of another load, if there are any.
    internal mutating func add(_ other: StreamResults?) throws(BenchResultsError) {
        guard let other else { return }
        if self == nil { self = other } else { try self?.add(other) }
    }
}

/// Records replies that consist of several messages.
internal final class StreamRecorder {
    private var firsts = Histogram()
    private var gaps = Histogram()
    private var counts = Histogram()

    /// Records a complete reply.
    /// - Parameter time: When its request was sent or due, on the loop's clock in nanoseconds.
    func record(_ reply: ReplyStream, since time: UInt64) {
        firsts.record(reply.firstTime > time ? reply.firstTime - time : 0)
        if reply.messageCount > 1 { gaps.record(reply.longestGap) }
        counts.record(UInt64(reply.messageCount))
    }

    /// The results so far. Encodes the histograms.
    var results: StreamResults {
        StreamResults(firsts: StoredHistogram(firsts), gaps: StoredHistogram(gaps), counts: StoredHistogram(counts))
    }
}
