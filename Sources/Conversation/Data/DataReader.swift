import Formats
import WSCore

/// Reads the rows of a data file: CSV with a header row (RFC 4180), or one JSON object per line. The first character
/// that is not blank tells them apart: JSON begins with `{`.
///
/// The caller passes a block of the file whenever the reader needs one, so memory is bounded by a block and a row, for
/// any number of rows:
///
///     while true {
///         if let row = try reader.nextRow() { return row }
///         if reader.isAtEnd { return nil }            // there are no more rows
///         if let block = file.read() { reader.receive(block) } else { reader.finish() }
///     }
///
/// Several threads can share a reader behind a lock.
package struct DataReader: Sendable {
    /// The maximum size of a row in bytes, unless the caller chooses another one.
    package static let defaultMaximumRowBytes = 1 << 20

    private enum Format {
        case csv
        case objects
    }

    /// The input; the part before the cursor has been read.
    private var input: [UInt8] = []
    private var cursor = 0
    /// Whether the input ends with ``input``.
    private var isFinished = false
    /// Whether the input may still begin with a byte order mark.
    private var isAtStart = true
    private var position = TextPosition()
    /// `nil` until the first character that is not blank.
    private var format: Format?
    private var csv: CSVReader
    private var objects: ObjectLineReader
    /// A row that ``readColumns()`` read.
    private var firstRow: DataRow?
    private var hasReadAll = false

    /// Creates a reader.
    /// - Parameter maximumRowBytes: The maximum size of a row in the file. A longer row is an error, because a missing
    ///   quotation mark could make the whole file one row.
    package init(maximumRowBytes: Int = defaultMaximumRowBytes) {
        csv = CSVReader(maximumRowBytes: maximumRowBytes)
        objects = ObjectLineReader(maximumRowBytes: maximumRowBytes)
    }

    /// Passes the next block of the file. Call it when ``nextRow()`` or ``readColumns()`` returned `nil`.
    package mutating func receive(_ block: RawSpan) {
        input.removeFirst(cursor)
        cursor = 0
        block.withUnsafeBytes { input.append(contentsOf: $0) }
    }

    /// Handles the end of the file. Call it in place of ``receive(_:)``.
    package mutating func finish() {
        isFinished = true
    }

    /// Returns the names of the columns: the header row of CSV, or the names in the first object. May read the first row,
    /// too, and report its error.
    /// - Returns: The names, or `nil` if the reader needs another block.
    /// - Throws: ``DataError``. The reader must not be used after an error.
    package mutating func readColumns() throws(DataError) -> VariableNames? {
        if columns == nil { firstRow = try read() }
        return columns
    }

    /// Returns the next row, with a value for each column.
    /// - Returns: The row, or `nil` if the reader needs another block or has returned all rows; see ``isAtEnd``.
    /// - Throws: ``DataError``. The reader must not be used after an error.
    package mutating func nextRow() throws(DataError) -> DataRow? {
        guard let row = firstRow else { return try read() }
        firstRow = nil
        return row
    }

    /// Whether all rows have been returned.
    package var isAtEnd: Bool { hasReadAll && firstRow == nil }

    /// The size of the input that has not been read, in bytes.
    var bufferedByteCount: Int { input.count - cursor }

    private var columns: VariableNames? {
        switch format {
        case nil: nil
        case .csv: csv.columns
        case .objects: objects.columns
        }
    }

    /// Reads input to the end of the next row.
    private mutating func read() throws(DataError) -> DataRow? {
        guard let format = try detectFormat() else { return nil }
        var row: DataRow?
        // A span of a property would exclude changes of the others.
        let input = input
        switch format {
        case .csv: row = try csv.read(input.span.bytes, from: &cursor)
        case .objects: row = try objects.read(input.span.bytes, from: &cursor)
        }
        guard row == nil, isFinished, !hasReadAll else { return row }
        switch format {
        case .csv: row = try csv.finish()
        case .objects: row = try objects.finish()
        }
        // The end of the file ends at most one row.
        hasReadAll = true
        return row
    }

    /// Skips a byte order mark and blanks, and determines the format.
    private mutating func detectFormat() throws(DataError) -> Format? {
        if let format { return format }
        if isAtStart {
            let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
            let beginning = input[cursor...].prefix(mark.count)
            if beginning.elementsEqual(mark) {
                cursor += mark.count
            } else if !isFinished, mark.starts(with: beginning) {
                return nil
            }
            isAtStart = false
        }
        while cursor < input.count {
            let byte = input[cursor]
            guard byte.isBlank || byte == UInt8(ascii: "\n") else {
                format = byte == UInt8(ascii: "{") ? .objects : .csv
                csv.start(at: position)
                objects.start(at: position)
                return format
            }
            position.advance(over: byte)
            cursor += 1
        }
        if isFinished { throw DataError(.noColumns, at: position) }
        return nil
    }
}

/// A position in a text, for errors.
struct TextPosition: Equatable, Sendable {
    /// The number of the line, from 1.
    var line = 1
    /// The number of the character in its line, from 1.
    var column = 1

    /// Moves behind a byte of UTF-8.
    mutating func advance(over byte: UInt8) {
        if byte == UInt8(ascii: "\n") {
            line += 1
            column = 1
        } else if byte & 0xC0 != 0x80 {
            // Only the first byte of a character counts.
            column += 1
        }
    }
}
