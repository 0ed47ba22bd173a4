import Formats
import WSCore

/// Why a data file is invalid.
package struct DataError: Error, Equatable {
    /// A mistake.
    package enum Reason: Equatable, Sendable {
        /// The file is empty, or its first object is.
        case noColumns
        /// Two columns of CSV have the same name.
        case repeatedColumn(String)
        /// A column has a name that a variable cannot have.
        case columnName(VariableNameError)
        /// A row of CSV has more values than there are columns.
        case tooManyValues(Int, columnCount: Int)
        /// A row of CSV has fewer values than there are columns.
        case tooFewValues(Int, columnCount: Int)
        /// A value of CSV that does not begin with a quotation mark contains one.
        case quoteInValue
        /// Text follows the closing quotation mark of a value of CSV.
        case textAfterQuote
        /// A value of CSV has no closing quotation mark.
        case quoteNotClosed
        /// A CR without LF in a value of CSV without quotation marks.
        case carriageReturn
        /// The text is not valid UTF-8.
        case notUTF8
        /// A row is longer than the limit.
        case rowTooLong(maximumBytes: Int)
        /// A line is not JSON.
        case notJSON(JSONError)
        /// A line is another JSON value than an object.
        case notAnObject
        /// An object lacks a member that the first one has.
        case missingMember(String)
    }

    /// The mistake.
    package let reason: Reason
    /// The number of the line, from 1.
    package let line: Int
    /// The number of the character in the line, from 1.
    package let column: Int

    init(_ reason: Reason, at position: TextPosition) {
        self.reason = reason
        line = position.line
        column = position.column
    }
}

extension DataError: CustomStringConvertible {
    /// The position, the mistake, and its remedy, to follow a colon: `line 3, column 7: expected 2 values`.
    package var description: String { "line \(line), column \(column): \(reason)" }
}

extension DataError.Reason: CustomStringConvertible {
    /// The mistake and its remedy, to follow a colon.
    package var description: String {
        switch self {
        case .noColumns: "no columns; begin with a row of column names, or a JSON object with members"
        case .repeatedColumn(let name): "two columns are named \(quoted(name)); rename one"
        case .columnName(.empty): "a column has no name; name it, or remove it"
        case .columnName(let error): "\(error)"
        case .tooManyValues(let count, let columnCount):
            "\(Self.mismatch(count, columnCount)); quote values that contain commas"
        case .tooFewValues(let count, let columnCount):
            "\(Self.mismatch(count, columnCount)); separate values with commas"
        case .quoteInValue: #"'"' in a value without quotation marks; put the value in them, and double each '"' in it"#
        case .textAfterQuote: #"text after the closing '"'; double each '"' within a value"#
        case .quoteNotClosed: #"the closing '"' of the value is missing"#
        case .carriageReturn: "CR without LF; end lines with LF or CRLF, or put the value in quotation marks"
        case .notUTF8: "the text is not UTF-8"
        case .rowTooLong(let maximumBytes): "the row is longer than \(Phrase.grouped(maximumBytes)) bytes"
        case .notJSON(.unexpected): "the line is not JSON: unexpected character"
        case .notJSON(let error): "the line is not JSON: \(error)"
        case .notAnObject: "expected a JSON object, as in the first line"
        case .missingMember(let name): "the object has no \(quoted(name)), which the first one has"
        }
    }

    private static func mismatch(_ valueCount: Int, _ columnCount: Int) -> String {
        "the row has \(Phrase.count(valueCount, "value")) for \(Phrase.count(columnCount, "column"))"
    }
}
