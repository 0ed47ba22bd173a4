import WSCore

@testable import Conversation

/// The columns and the rows of a data file.
struct DataContents: Equatable {
    var columns: [String] = []
    var rows: [[String]] = []
    var lines: [Int] = []

    /// Reads a file as a single block.
    init(_ file: String) throws(DataError) {
        try self.init([Array(file.utf8)])
    }

    /// Reads a file block by block, and each block only when the reader needs it.
    init(_ blocks: [[UInt8]], maximumRowBytes: Int = DataReader.defaultMaximumRowBytes) throws(DataError) {
        var reader = DataReader(maximumRowBytes: maximumRowBytes)
        var rest = blocks[...]
        while true {
            if columns.isEmpty { columns = try reader.readColumns()?.names ?? [] }
            if let row = try reader.nextRow() {
                rows.append(row.texts)
                lines.append(row.line)
            } else if reader.isAtEnd {
                return
            } else if let block = rest.popFirst() {
                reader.receive(block.span.bytes)
            } else {
                reader.finish()
            }
        }
    }
}

extension DataRow {
    /// The values.
    var texts: [String] {
        (0..<count).map { column in
            withValue(column) { bytes, _ in bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
        }
    }
}
