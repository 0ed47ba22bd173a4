import Formats
import LoadTest
import UserInterface
import WSCore

/// The failures of a load test, by kind and cause, with the first failure of each.
struct LoadFailures: Sendable {
    private struct Entry {
        let kind: LoadErrorKind
        let cause: ErrorCause?
        let failure: Failure
        var count: Int

        /// What it has in common with others of its kind, without what only its connection knows.
        var words: String {
            cause?.words ?? (kind == .timeout ? LoadErrorKind.timeout.words : failure.message ?? kind.words)
        }
    }

    private var entries: [Entry] = []
    private var counts: [LoadErrorKind: Int] = [:]
    /// Why this side has ended the run.
    var end: Failure?

    /// A server may invent close codes. Further kinds are only counted in results, unless their status is lower than all.
    private static let mostEntries = 64

    private var lowestStatus: Int32? { entries.map(\.failure.status.rawValue).min() }

    /// Whether no other kind will be kept.
    var isFull: Bool { entries.count >= Self.mostEntries && lowestStatus == ExitStatus.closed.rawValue }

    /// Adds a failure.
    mutating func add(_ failure: Failure, as kind: LoadErrorKind, count: Int = 1) {
        add(Entry(kind: kind, cause: failure.cause, failure: failure, count: count))
        counts[kind, default: 0] += count
    }

    /// Adds the failures of another thread.
    mutating func add(_ other: LoadFailures) {
        for entry in other.entries { add(entry) }
        counts.merge(other.counts, uniquingKeysWith: +)
        end = end ?? other.end
    }

    private mutating func add(_ entry: Entry) {
        let index = entries.firstIndex {
            $0.kind == entry.kind && $0.cause == entry.cause && $0.failure.status == entry.failure.status
        }
        if let index {
            entries[index].count += entry.count
        } else if entries.count < Self.mostEntries {
            entries.append(entry)
        } else if let lowestStatus, entry.failure.status.rawValue < lowestStatus {
            // The status of the run is the lowest of all kinds.
            entries[entries.count - 1] = entry
        }
    }

    /// The failure that has ended the run. Otherwise, the one with the lowest status, and of these the most frequent one;
    /// `nil` if there is none. The status depends only on the kinds of failures, not on which was first.
    var first: Failure? {
        if let end { return end }
        return entries.min {
            ($0.failure.status.rawValue, -$0.count, $0.words) < ($1.failure.status.rawValue, -$1.count, $1.words)
        }?.failure
    }

    /// The number of failures of a kind.
    func count(of kind: LoadErrorKind) -> Int { counts[kind, default: 0] }

    /// The kinds of failures in words, with their counts.
    var reasons: [(count: Int, words: String)] {
        var counts: [String: Int] = [:]
        for entry in entries { counts[entry.words, default: 0] += entry.count }
        return counts.map { words, count in
            let isSentence = count == 1 && entries.contains { $0.cause == nil && $0.words == words }
            return (count, escapingControls(isSentence ? words : "\(Phrase.grouped(count)) \(Glyphs.times) \(words)"))
        }
    }
}
