import Formats

/// The messages that match a text, found step by step, newest first. New messages are searched before older ones.
struct SearchMatches {
    /// The state of the search in the messages that are available.
    enum Progress {
        case searching
        case complete
        /// It has stopped, because the pattern needs too many steps.
        case stopped
    }

    let pattern: Pattern
    private(set) var progress = Progress.searching
    /// Whether the pattern is the text itself, so that each match of a longer text is among the matches.
    private let isLiteral: Bool

    /// The numbers of the matches that arrived during the search, oldest first.
    private var newer: ArraySlice<Int> = []
    /// The numbers of the others, newest first.
    private var older: [Int] = []
    /// The matches of a shorter text that are still to be searched, newest first.
    private var candidates: ArraySlice<Int> = []
    /// The number of the newest message that has been searched.
    private var newest: Int
    /// The number of the next older message to search, after the candidates.
    private var next: Int

    /// Begins a search.
    /// - Parameters:
    ///   - text: A regular expression that also matches itself literally, or a literal text if it is not valid.
    ///   - lastNumber: The number of the last message.
    /// - Returns: Nil: the text cannot be searched for.
    init?(of text: String, upTo lastNumber: Int) {
        let literal = Self.quoted(text)
        if let expression = try? Pattern(text) {
            isLiteral = !text.utf8.contains { #"\^$.|?*+()[]{}"#.utf8.contains($0) }
            pattern = isLiteral ? expression : (try? Pattern("\(literal)|(?:\(text))")) ?? expression
        } else if let pattern = try? Pattern(literal) {
            (self.pattern, isLiteral) = (pattern, true)
        } else {
            return nil
        }
        (newest, next) = (lastNumber, lastNumber)
    }

    /// The regular expression that matches a text literally.
    private static func quoted(_ text: String) -> String {
        // `\E` would end the quote.
        "\\Q" + text.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\E\\\\\\Q") + "\\E"
    }

    /// Searches first among the matches of a beginning of the text.
    mutating func narrow(_ shorter: SearchMatches) {
        guard shorter.isLiteral, isLiteral, shorter.progress != .stopped else { return }
        candidates = shorter.all + shorter.candidates
        (newest, next) = (shorter.newest, shorter.next)
    }

    /// The number of matches so far.
    var count: Int { newer.count + older.count }

    /// The number of a match.
    /// - Parameter position: 0 is the newest match.
    subscript(position: Int) -> Int {
        position < newer.count ? newer[newer.endIndex - 1 - position] : older[position - newer.count]
    }

    private var all: ArraySlice<Int> { newer.reversed() + older[...] }

    /// The position of the newest match with a number of at most `number`, or nil if there is none so far.
    func position(atOrBefore number: Int) -> Int? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] > number { low = middle + 1 } else { high = middle }
        }
        return low < count ? low : nil
    }

    /// Goes on with the search until it is complete or `isOver` returns true.
    mutating func advance(in log: MessageLog, until isOver: () -> Bool) {
        let oldest = log.kept.first?.number ?? .max
        forget(before: oldest)
        guard progress != .stopped else { return }
        progress = .searching
        while progress == .searching {
            if newest < log.lastNumber {
                newest = max(newest + 1, oldest)
                if matches(newest, in: log) { newer.append(newest) }
            } else if let number = candidates.popFirst() {
                if matches(number, in: log) { older.append(number) }
            } else if next >= oldest {
                if matches(next, in: log) { older.append(next) }
                next -= 1
            } else {
                progress = .complete
            }
            if pattern.hasGivenUp { progress = .stopped }
            if isOver() { return }
        }
    }

    private func matches(_ number: Int, in log: MessageLog) -> Bool {
        guard let entry = log.entry(number) else { return false }
        return entry.isMatchAsReceived(of: pattern) || entry.isMatchAsShown(of: pattern)
    }

    /// Forgets the matches that are no longer available.
    private mutating func forget(before oldest: Int) {
        while let last = older.last, last < oldest { older.removeLast() }
        while older.isEmpty, let first = newer.first, first < oldest { newer.removeFirst() }
    }
}
