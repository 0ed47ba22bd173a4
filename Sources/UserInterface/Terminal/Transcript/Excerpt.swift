import WSCore

/// A match in a message and its surroundings, on one line and safe to show.
struct Excerpt {
    /// The surroundings of the match, which is highlighted, with `…` for omitted text.
    let text: StyledText
    /// Whether text is omitted.
    let isCut: Bool

    /// Cuts a message to a width. A quarter of it precedes the match.
    init(of payload: RawSpan, around match: Range<Int>, columns: Int, palette: Palette) {
        // A column takes at most four bytes, apart from combining marks.
        let start = Self.start(in: payload, before: match.lowerBound, columns: columns)
        let end = Self.boundary(in: payload, from: min(payload.byteCount, start + columns * 4))
        let matches = TextMatches([start..<end].map { match.clamped(to: $0) }.filter { !$0.isEmpty })
        var rest = StyledText(palette)
        for (range, isMatch) in matches.pieces(of: start..<end) {
            rest.append(Self.string(payload, range), isMatch: isMatch)
        }
        var text = StyledText(start > 0 ? Glyphs.ellipsis : "", palette)
        let room = max(1, columns - text.columns)
        isCut = start > 0 || end < payload.byteCount || rest.columns > room
        if end < payload.byteCount { rest.append(Glyphs.ellipsis) }
        text.append(rest, cutTo: room)
        self.text = text
    }

    /// The beginning of the text before a match: the beginning of the message if all of it fits, or a quarter of the
    /// width.
    private static func start(in payload: RawSpan, before match: Int, columns: Int) -> Int {
        if payload.byteCount <= columns * 4, DisplayWidth.ofEscaped(payload) <= columns { return 0 }
        var start = match
        var left = columns / 4
        while start > 0 {
            let previous = boundary(in: payload, before: start)
            left -= DisplayWidth.ofEscaped(payload.extracting(previous..<start))
            guard left >= 0 else { break }
            start = previous
        }
        return start
    }

    private static func string(_ payload: RawSpan, _ range: Range<Int>) -> String {
        payload.extracting(range).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// The next boundary between scalars.
    private static func boundary(in payload: RawSpan, from index: Int) -> Int {
        var index = index
        while index < payload.byteCount, isContinuation(payload, at: index) { index += 1 }
        return index
    }

    /// The boundary between scalars before a byte.
    private static func boundary(in payload: RawSpan, before index: Int) -> Int {
        var index = index - 1
        while index > 0, isContinuation(payload, at: index) { index -= 1 }
        return index
    }

    /// Whether a byte continues a scalar; such bytes begin with the bits 10.
    private static func isContinuation(_ payload: RawSpan, at index: Int) -> Bool {
        payload.unsafeLoad(fromByteOffset: index, as: UInt8.self) & 0xC0 == 0x80
    }
}
