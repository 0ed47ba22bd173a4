import Formats
import WSCore

@testable import Conversation

extension FuzzTarget {
    /// A data file: CSV, or JSON objects.
    ///
    /// - The rows, or the error, do not depend on how the file is cut.
    /// - The error is one line that is safe to show, and names a position in the file.
    /// - Each row has a value of valid UTF-8 per column.
    /// - Written as CSV with quotes, the file has the same rows.
    static let dataFiles = FuzzTarget(name: "data-files") { input in
        let whole = contents(of: [input[...]])
        for pieces in waysToCut(input) { expectEqual(contents(of: pieces), whole, "cut and whole") }
        if let error = whole.error {
            expectOneSafeLine("\(error)")
            let lineCount = input.count { $0 == UInt8(ascii: "\n") } + 1
            expect(1...lineCount ~= error.line && 1...input.count + 1 ~= error.column, "the position: \(error)")
            return
        }
        for row in whole.rows {
            expectEqual(row.count, whole.columns.count, "the number of values")
            for value in row { expect(UTF8Validator.isValid(value.span.bytes), "a value is not UTF-8") }
        }
        let written = ([whole.columns.map { Array($0.utf8) }] + whole.rows).map(line).joined()
        let again = contents(of: [Array(written)[...]], maximumRowBytes: 1 << 20)
        expectEqual(again.error, nil, "the error of the file written as CSV")
        expectEqual(again.columns, whole.columns, "the columns written as CSV")
        expectEqual(again.rows, whole.rows, "the rows written as CSV")
    }

    private struct Contents: Equatable {
        var columns: [String] = []
        var rows: [[[UInt8]]] = []
        var error: DataError?
    }

    private static func contents(of pieces: [ArraySlice<UInt8>], maximumRowBytes: Int = 300) -> Contents {
        var contents = Contents()
        var reader = DataReader(maximumRowBytes: maximumRowBytes)
        var rest = pieces[...]
        do throws(DataError) {
            while true {
                if contents.columns.isEmpty { contents.columns = try reader.readColumns()?.names ?? [] }
                if let row = try reader.nextRow() {
                    contents.rows.append(
                        (0..<row.count).map { row.withValue($0) { value, _ in value.withUnsafeBytes { Array($0) } } })
                } else if reader.isAtEnd {
                    return contents
                } else if let piece = rest.popFirst() {
                    reader.receive(piece.span.bytes)
                } else {
                    reader.finish()
                }
            }
        } catch {
            // Reading the columns may also read the first row. An error there hides the columns.
            contents.columns = []
            contents.error = error
            return contents
        }
    }

    /// A line of CSV with all values in quotes.
    private static func line(_ values: [[UInt8]]) -> [UInt8] {
        let quote = UInt8(ascii: "\"")
        let quoted = values.map { value in [quote] + value.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote] }
        return quoted.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "\n")]
    }
}
