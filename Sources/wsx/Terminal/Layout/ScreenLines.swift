import WSCore

/// Takes the lines of a layout for a terminal: made safe, coloured, below each other at a column, and no more than fit.
struct ScreenLines: LayoutTarget {
    /// The lines so far, without a line feed at the end.
    private(set) var text = ""
    /// The lines so far, from 1.
    private(set) var lineCount = 1
    private(set) var isFull = false

    private let limit: LayoutLimit
    private let margin: String
    private let palette: Palette
    /// The lines of the screen before this line.
    private var rowsBefore = 0
    /// How long this line is, in bytes: as many as characters, or more.
    private var lineBytes = 0
    private var byteCount = 0

    /// Makes none yet.
    /// - Parameters:
    ///   - limit: What fits.
    ///   - column: How far the lines after the first are moved to the right.
    init(limit: LayoutLimit, column: Int, palette: Palette) {
        self.limit = limit
        self.palette = palette
        margin = "\n" + String(repeating: " ", count: column)
    }

    mutating func append(_ bytes: RawSpan, as style: Palette.Style?) {
        guard !isFull, bytes.byteCount > 0 else { return }
        let room = self.room
        var shown = Self.text(bytes, cutTo: min(bytes.byteCount, room))
        // An escape is longer than what it stands for.
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

    /// The lines of the screen that this line takes.
    private var rows: Int {
        guard let columns = limit.columns else { return 1 }
        return max(1, (lineBytes + columns - 1) / columns)
    }

    /// The bytes that still fit.
    private var room: Int {
        let left = limit.bytes - byteCount
        guard let columns = limit.columns else { return max(0, left) }
        let (area, isHuge) = (limit.rows - rowsBefore).multipliedReportingOverflow(by: columns)
        return max(0, isHuge ? left : min(left, area - lineBytes))
    }

    /// The first bytes, made safe; not cut inside a scalar.
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
