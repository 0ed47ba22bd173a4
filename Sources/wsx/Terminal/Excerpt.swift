import WSCore

/// A match in a message and its surroundings, on one line and safe to show.
enum Excerpt {
    /// The maximum size of an excerpt in bytes. A quarter of it precedes the match.
    static let maximumBytes = 100

    /// The surroundings of a match, with the match highlighted and `…` for omitted text.
    /// - Parameter byteCount: The maximum size in bytes.
    static func text(
        of payload: RawSpan, around match: Range<Int>, byteCount: Int = maximumBytes, palette: Palette
    ) -> String {
        let isShort = payload.byteCount <= byteCount
        let start = isShort ? 0 : boundary(in: payload, from: max(0, match.lowerBound - byteCount / 4))
        let end = boundary(in: payload, from: min(payload.byteCount, start + byteCount))
        let matchStart = min(max(match.lowerBound, start), end)
        let matchEnd = min(max(match.upperBound, matchStart), end)
        return (start > 0 ? "…" : "") + safe(payload, start..<matchStart)
            + palette.styled(safe(payload, matchStart..<matchEnd), matchStart < matchEnd ? .match : nil)
            + safe(payload, matchEnd..<end) + (end < payload.byteCount ? "…" : "")
    }

    private static func safe(_ payload: RawSpan, _ range: Range<Int>) -> String {
        payload.extracting(range).withUnsafeBytes { escapingControls(String(decoding: $0, as: UTF8.self)) }
    }

    /// The next boundary between scalars.
    private static func boundary(in payload: RawSpan, from index: Int) -> Int {
        var index = index
        // Continuation bytes begin with the bits 10.
        while index < payload.byteCount, payload.unsafeLoad(fromByteOffset: index, as: UInt8.self) & 0xC0 == 0x80 {
            index += 1
        }
        return index
    }
}
