import WSCore

/// Collects formatted lines for a terminal: escaped, colored, indented, and limited to the available space.
struct ScreenLines: LayoutTarget {
    /// The lines so far, without a final line feed.
    private(set) var text = ""
    /// The number of lines so far, starting at 1.
    private(set) var lineCount = 1
    private(set) var isFull = false

    /// Whether a match has been highlighted.
    private(set) var hasMatch = false

    private let limit: LayoutLimit
    private let margin: String
    private let palette: Palette
    private let matches: TextMatches
    /// The address of the text with the matches.
    private let start: UInt
    /// The number of screen lines before the current line.
    private var rowsBefore = 0
    /// The size of the current line in bytes, which is at least its number of characters.
    private var lineBytes = 0
    private var byteCount = 0

    /// Creates an empty target.
    /// - Parameters:
    ///   - limit: The available space.
    ///   - column: The indentation of all lines but the first.
    ///   - matches: The parts of `text` to highlight where they are appended.
    init(
        limit: LayoutLimit, column: Int, palette: Palette, highlighting matches: TextMatches = .none,
        in text: RawSpan = RawSpan()
    ) {
        self.limit = limit
        self.palette = palette
        self.matches = matches
        start = Self.address(text)
        margin = "\n" + String(repeating: " ", count: column)
    }

    mutating func append(_ bytes: RawSpan, as style: Palette.Style?) {
        guard !matches.isEmpty else { return appendPiece(bytes, as: style) }
        // Bytes outside of the text are beyond all matches.
        let offset = Int(truncatingIfNeeded: Self.address(bytes) &- start)
        for (range, isMatch) in matches.pieces(of: offset..<offset + bytes.byteCount) {
            let piece = bytes.extracting(range.lowerBound - offset..<range.upperBound - offset)
            if isMatch, !isFull { hasMatch = true }
            appendPiece(piece, as: isMatch ? .match : style)
        }
    }

    private static func address(_ bytes: RawSpan) -> UInt {
        bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }

    private mutating func appendPiece(_ bytes: RawSpan, as style: Palette.Style?) {
        guard !isFull, bytes.byteCount > 0 else { return }
        let room = self.room
        var shown = Self.text(bytes, cutTo: min(bytes.byteCount, room))
        // An escape is longer than its character.
        var count = min(bytes.byteCount, room)
        while shown.utf8.count > room, count > 1 {
            count = max(1, count * room / shown.utf8.count)
            shown = Self.text(bytes, cutTo: count)
        }
        text += palette.styled(shown, style)
        lineBytes += shown.utf8.count
        byteCount += shown.utf8.count
        if count < bytes.byteCount { isFull = true }
    }

    mutating func beginLine(indentedBy spaces: Int) {
        guard !isFull else { return }
        let rowsBefore = rowsBefore + rows
        guard rowsBefore < limit.rows, byteCount < limit.bytes else {
            isFull = true
            return
        }
        self.rowsBefore = rowsBefore
        text += margin
        text += String(repeating: " ", count: spaces)
        lineBytes = spaces
        byteCount += spaces + 1
        lineCount += 1
    }

    /// The number of screen lines that the current line takes.
    private var rows: Int {
        guard let columns = limit.columns else { return 1 }
        return max(1, (lineBytes + columns - 1) / columns)
    }

    /// The number of bytes that still fit.
    private var room: Int {
        let left = limit.bytes - byteCount
        guard let columns = limit.columns else { return max(0, left) }
        let (area, isHuge) = (limit.rows - rowsBefore).multipliedReportingOverflow(by: columns)
        return max(0, isHuge ? left : min(left, area - lineBytes))
    }

    /// The first bytes, escaped and cut between scalars.
    private static func text(_ bytes: RawSpan, cutTo count: Int) -> String {
        var count = count
        // Continuation bytes begin with the bits 10.
        while count > 0, count < bytes.byteCount,
            bytes.unsafeLoad(fromByteOffset: count, as: UInt8.self) & 0xC0 == 0x80
        {
            count -= 1
        }
        return bytes.extracting(first: count).withUnsafeBytes {
            escapingControls(String(decoding: $0, as: UTF8.self), keepingLayout: true)
        }
    }
}
