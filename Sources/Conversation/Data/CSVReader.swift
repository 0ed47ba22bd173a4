import Formats
import WSCore

/// Parses CSV incrementally (RFC 4180). The first row names the columns.
///
///     user,token
///     Ada,"a ""quoted"" value,
///     of two lines"
///
/// Lines end with LF or CRLF. Empty lines are skipped; a row with one empty value is written as `""`. Blanks around the
/// names of columns are ignored, unlike in RFC 4180 §2.4.
struct CSVReader: Sendable {
    private enum State {
        /// Before the first byte of a value.
        case start
        /// In a value without quotes.
        case plain
        /// In a value with quotes, after the opening one.
        case quoted
        /// After a quote in a value with quotes. It ends the value, unless another quote follows.
        case afterQuote
        /// After a CR that ended the last value of a line.
        case afterCarriageReturn
    }

    private let maximumRowBytes: Int
    private var state = State.start
    /// The position of the next byte.
    private var position = TextPosition()
    /// The position of the first byte of the value.
    private var valueStart = TextPosition()
    /// The size of the unfinished row so far, in bytes of the file.
    private var rowBytes = 0
    private var row = DataRow()
    /// The position of the first value of the row that is in no column, or `nil` if there is none.
    private var extraValueStart: TextPosition?
    /// The names in the header so far.
    private var header = VariableNames()
    /// The columns, or `nil` before the end of the header.
    private(set) var columns: VariableNames?

    init(maximumRowBytes: Int) {
        self.maximumRowBytes = maximumRowBytes
    }

    /// Sets the position of the first byte.
    mutating func start(at position: TextPosition) {
        self.position = position
    }

    /// Reads to the end of the next row, or of the input.
    /// - Parameter cursor: The offset of the next byte, which moves forward.
    /// - Returns: The row if it is complete.
    mutating func read(_ input: RawSpan, from cursor: inout Int) throws(DataError) -> DataRow? {
        while cursor < input.byteCount {
            let byte = input.unsafeLoad(fromByteOffset: cursor, as: UInt8.self)
            if state == .start { valueStart = position }
            switch state {
            case .start where byte == UInt8(ascii: "\""): state = .quoted
            case .quoted where byte == UInt8(ascii: "\""): state = .afterQuote
            case .afterQuote where byte == UInt8(ascii: "\""):
                // RFC 4180 §2.7: a quote within quotes is doubled.
                row.append(input.extracting(cursor..<cursor + 1))
                state = .quoted
            case .quoted:
                try readRun(of: input, from: &cursor) { $0 != UInt8(ascii: "\"") }
                continue
            case .afterCarriageReturn where byte != UInt8(ascii: "\n"):
                throw DataError(.carriageReturn, at: position)
            case .start, .plain, .afterQuote, .afterCarriageReturn:
                switch byte {
                case UInt8(ascii: ","):
                    try endValue()
                    state = .start
                case UInt8(ascii: "\r"):
                    try endLine()
                    state = .afterCarriageReturn
                case UInt8(ascii: "\n"):
                    if state != .afterCarriageReturn { try endLine() }
                    let row = try endRow()
                    position.advance(over: byte)
                    cursor += 1
                    if let row { return row }
                    continue
                case _ where state == .afterQuote: throw DataError(.textAfterQuote, at: position)
                // RFC 4180 §2.5: a value without quotes contains none.
                case UInt8(ascii: "\""): throw DataError(.quoteInValue, at: position)
                default:
                    state = .plain
                    try readRun(of: input, from: &cursor) { !Self.isSpecial($0) }
                    continue
                }
            }
            position.advance(over: byte)
            cursor += 1
            try countBytes(1)
        }
        return nil
    }

    /// Handles the end of the file.
    /// - Returns: The last row, unless a line end followed it.
    mutating func finish() throws(DataError) -> DataRow? {
        guard state != .quoted else { throw DataError(.quoteNotClosed, at: valueStart) }
        if state == .start { valueStart = position }
        if state != .afterCarriageReturn { try endLine() }
        return try endRow()
    }

    /// Appends bytes to the value while they belong to it.
    private mutating func readRun(
        of input: RawSpan, from cursor: inout Int, while belongs: (UInt8) -> Bool
    ) throws(DataError) {
        let start = cursor
        while cursor < input.byteCount {
            let byte = input.unsafeLoad(fromByteOffset: cursor, as: UInt8.self)
            guard belongs(byte) else { break }
            position.advance(over: byte)
            cursor += 1
        }
        try countBytes(cursor - start)
        row.append(input.extracting(start..<cursor))
    }

    private mutating func countBytes(_ count: Int) throws(DataError) {
        rowBytes += count
        guard rowBytes <= maximumRowBytes else {
            let line = row.count == 0 ? valueStart.line : row.line
            throw DataError(.rowTooLong(maximumBytes: maximumRowBytes), at: TextPosition(line: line))
        }
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
        default: false
        }
    }

    /// Ends the last value of a line, unless the line is empty.
    private mutating func endLine() throws(DataError) {
        if state != .start || row.count > 0 { try endValue() }
    }

    private mutating func endValue() throws(DataError) {
        if row.count == 0 { row.line = valueStart.line }
        guard row.withUnfinishedValue({ UTF8Validator.isValid($0) }) else { throw DataError(.notUTF8, at: valueStart) }
        if let columns {
            if row.count == columns.names.count { extraValueStart = valueStart }
        } else {
            try addColumn()
        }
        row.endValue()
    }

    /// Handles the name of a column.
    private mutating func addColumn() throws(DataError) {
        let bytes = row.withUnfinishedValue { $0.withUnsafeBytes { Array($0) } }
        let name = String(decoding: bytes.trimmingBlanks(), as: UTF8.self)
        guard header.slot(of: name) == nil else { throw DataError(.repeatedColumn(name), at: valueStart) }
        do throws(VariableNameError) {
            try header.add(column: name)
        } catch {
            throw DataError(.columnName(error), at: valueStart)
        }
    }

    /// Ends the row or the header.
    /// - Returns: The row, or `nil` for the header and for an empty line.
    private mutating func endRow() throws(DataError) -> DataRow? {
        state = .start
        rowBytes = 0
        let row = row
        self.row = DataRow()
        guard row.count > 0 else { return nil }
        guard let columns else {
            self.columns = header
            return nil
        }
        if let extraValueStart {
            throw DataError(.tooManyValues(row.count, columnCount: columns.names.count), at: extraValueStart)
        }
        guard row.count == columns.names.count else {
            throw DataError(.tooFewValues(row.count, columnCount: columns.names.count), at: position)
        }
        return row
    }
}
