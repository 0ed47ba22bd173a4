import Formats
import WSCore

/// The matches of a search in a message, to highlight them.
///
/// A character and its combining marks are highlighted together. The parts between the ends of matches can therefore be
/// escaped one by one: no part begins with marks that are too many, or invisible, after the text before it.
struct TextMatches {
    /// The byte ranges, in order. They do not overlap, and none is empty.
    private(set) var ranges: [Range<Int>]

    /// No matches.
    static let none = TextMatches([])

    /// The maximum number of matches: more than a screen shows of a message.
    private static let maximumCount = 100

    /// Creates matches from their byte ranges, which are in order and not empty.
    init(_ ranges: [Range<Int>]) {
        self.ranges = ranges
    }

    /// Finds the matches of a pattern.
    init(of pattern: Pattern, in text: RawSpan) {
        ranges = []
        var start = 0
        for _ in 0..<Self.maximumCount {
            guard start <= text.byteCount, let match = pattern.firstMatch(in: text, from: start) else { return }
            if !match.isEmpty { add(Self.wholeCharacters(match, in: text)) }
            // A match before the start, because of \K or a lookbehind, must not repeat the search.
            start = max(start, match.upperBound)
            if match.isEmpty { start = Self.nextCharacter(in: text, after: start) }
        }
    }

    private mutating func add(_ range: Range<Int>) {
        if let last = ranges.last, range.lowerBound < last.upperBound {
            ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
        } else {
            ranges.append(range)
        }
    }

    var isEmpty: Bool { ranges.isEmpty }

    /// Splits a part of the text at the ends of matches.
    func pieces(of part: Range<Int>) -> [(range: Range<Int>, isMatch: Bool)] {
        var pieces: [(range: Range<Int>, isMatch: Bool)] = []
        var start = part.lowerBound
        for range in ranges where range.upperBound > start && range.lowerBound < part.upperBound {
            if range.lowerBound > start { pieces.append((start..<range.lowerBound, false)) }
            let end = min(range.upperBound, part.upperBound)
            pieces.append((max(range.lowerBound, start)..<end, true))
            start = end
        }
        if start < part.upperBound || pieces.isEmpty { pieces.append((start..<part.upperBound, false)) }
        return pieces
    }

    /// Whether a match contains a byte.
    func contain(_ index: Int) -> Bool {
        ranges.contains { $0.contains(index) }
    }

    /// The range, extended to all marks of its first and last characters.
    private static func wholeCharacters(_ range: Range<Int>, in text: RawSpan) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start > 0, beginsWithMark(text, at: start) {
            start -= 1
            while start > 0, isContinuation(text, at: start) { start -= 1 }
        }
        while beginsWithMark(text, at: end) { end = nextCharacter(in: text, after: end) }
        return start..<end
    }

    private static func beginsWithMark(_ text: RawSpan, at index: Int) -> Bool {
        // Marks begin at U+0300.
        guard index < text.byteCount, text.unsafeLoad(fromByteOffset: index, as: UInt8.self) >= 0xCC else {
            return false
        }
        let scalar = text.extracting(index..<min(index + 4, text.byteCount)).withUnsafeBytes {
            String(decoding: $0, as: UTF8.self).unicodeScalars.first
        }
        return scalar?.isMark ?? false
    }

    private static func nextCharacter(in text: RawSpan, after index: Int) -> Int {
        var index = index + 1
        while index < text.byteCount, isContinuation(text, at: index) { index += 1 }
        return index
    }

    /// Whether a byte continues a character; such bytes begin with the bits 10.
    private static func isContinuation(_ text: RawSpan, at index: Int) -> Bool {
        text.unsafeLoad(fromByteOffset: index, as: UInt8.self) & 0xC0 == 0x80
    }
}
