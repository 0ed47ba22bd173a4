import WSCore

/// The surroundings of what was found in a message, on one line and safe.
enum Excerpt {
    /// The most that is shown of a message, in bytes, of which a quarter stands before what was found.
    static let maximumBytes = 100

    /// What is around a match, with the match marked; `…` stands where there is more.
    /// - Parameter byteCount: How much of the message is shown, in bytes.
    static func text(
        of payload: RawSpan, around match: Range<Int>, byteCount: Int = maximumBytes, palette: Palette
    ) -> String {
        let start = boundary(in: payload, from: max(0, match.lowerBound - byteCount / 4))
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

    /// The next place that is not inside a scalar.
    private static func boundary(in payload: RawSpan, from index: Int) -> Int {
        var index = index
        // Continuation bytes begin with the bits 10.
        while index < payload.byteCount, payload.unsafeLoad(fromByteOffset: index, as: UInt8.self) & 0xC0 == 0x80 {
            index += 1
        }
        return index
    }
}
