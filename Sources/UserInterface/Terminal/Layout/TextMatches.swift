import Formats
import WSCore

/// The matches of a search in a message, to highlight them.
///
/// A character, its combining marks, and what a joiner joins to it are highlighted together. The parts between the ends
/// of matches can therefore be escaped one by one: no part begins or ends with a joiner, or begins with marks.
package struct TextMatches {
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

    /// Finds the matches of a pattern in what is shown of a message, or else in what was received.
    /// - Parameters:
    ///   - received: The message.
    ///   - shown: What is shown of it; `nil` if all of it is.
    init(of pattern: Pattern, in received: RawSpan, shownAs shown: ShownJSON?) {
        guard let shown else {
            self.init(of: pattern, in: received)
            return
        }
        let text = shown.bytes.span.bytes
        self.init(of: pattern, in: text)
        guard isEmpty else { return }
        for range in TextMatches(of: pattern, in: received).ranges { add(shown.shown(ofOriginal: range), in: text) }
        guard isEmpty, pattern.mayMatchSpacedColons, let spaced = ShownJSON(received, spacingColons: true) else {
            return
        }
        for range in TextMatches(of: pattern, in: spaced.bytes.span.bytes).ranges {
            add(shown.shown(ofOriginal: spaced.original(ofShown: range)), in: text)
        }
    }

    /// Adds a match, unless it is empty, such as whitespace between tokens that is not shown.
    private mutating func add(_ range: Range<Int>, in text: RawSpan) {
        if !range.isEmpty { add(Self.wholeCharacters(range, in: text)) }
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
        while start > 0, continuesCharacter(text, at: start) {
            start -= 1
            while start > 0, isContinuation(text, at: start) { start -= 1 }
        }
        while continuesCharacter(text, at: end) { end = nextCharacter(in: text, after: end) }
        return start..<end
    }

    /// Whether the scalar at an index is a mark or a joiner, or follows a joiner.
    private static func continuesCharacter(_ text: RawSpan, at index: Int) -> Bool {
        guard index < text.byteCount else { return false }
        if index >= 3, scalar(of: text, at: index - 3)?.isJoiner ?? false { return true }
        return scalar(of: text, at: index).map { $0.isMark || $0.isJoiner } ?? false
    }

    /// The scalar at an index; `nil` before U+0300, where the first marks are.
    private static func scalar(of text: RawSpan, at index: Int) -> Unicode.Scalar? {
        guard text.unsafeLoad(fromByteOffset: index, as: UInt8.self) >= 0xCC else { return nil }
        return text.extracting(index..<min(index + 4, text.byteCount)).withUnsafeBytes {
            String(decoding: $0, as: UTF8.self).unicodeScalars.first
        }
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

extension Pattern {
    /// Whether a message matches as it is shown: `"id":5` and `"id": 5` find the same messages. An expression that excludes
    /// something applies only to what was received, because one form without it must not be enough.
    func matches(shown message: RawSpan) -> Bool {
        guard !excludes else { return false }
        func matches(spacingColons spacesColons: Bool) -> Bool {
            ShownJSON(message, spacingColons: spacesColons).map { self.matches($0.bytes.span.bytes) } ?? false
        }
        return ShownJSON.mayDiffer(from: message) && matches(spacingColons: false)
            || mayMatchSpacedColons && matches(spacingColons: true)
    }

    /// Whether the expression has a negative lookahead or lookbehind.
    private var excludes: Bool {
        source.split(separator: "(", omittingEmptySubsequences: false).dropFirst().contains {
            $0.hasPrefix("?!") || $0.hasPrefix("?<!")
        }
    }

    /// Whether the expression is about whitespace after a colon, which messages and their layouts have or lack.
    var mayMatchSpacedColons: Bool {
        source.split(separator: ":", omittingEmptySubsequences: false).dropFirst().contains {
            $0.hasPrefix(" ") || $0.hasPrefix("\\s")
        }
    }
}
