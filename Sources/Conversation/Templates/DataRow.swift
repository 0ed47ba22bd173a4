/// A row of a data file.
package struct DataRow: Equatable, Sendable {
    private struct Value: Equatable, Sendable {
        /// The end of the value in ``bytes``.
        let end: Int
        let isJSON: Bool
    }

    /// The number of the line in which the row begins, from 1.
    package internal(set) var line = 1
    private var bytes: [UInt8] = []
    private var values: [Value] = []

    /// Creates a row without values.
    package init(line: Int = 1) {
        self.line = line
    }

    /// Appends a value that is text.
    package mutating func append(text: [UInt8]) {
        append(text.span.bytes)
        endValue()
    }

    /// The number of values, which is that of the columns.
    package var count: Int { values.count }

    /// Calls `body` with a value.
    /// - Parameters:
    ///   - column: The column of the value, 0 through ``count`` - 1.
    ///   - body: Receives the value in UTF-8, and whether it is JSON. A string of a JSON object is text.
    package func withValue<R>(_ column: Int, _ body: (RawSpan, _ isJSON: Bool) -> R) -> R {
        let start = column == 0 ? 0 : values[column - 1].end
        return body(bytes.span.bytes.extracting(start..<values[column].end), values[column].isJSON)
    }

    /// Appends bytes to the unfinished value.
    mutating func append(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { self.bytes.append(contentsOf: $0) }
    }

    /// Calls `body` with the unfinished value.
    func withUnfinishedValue<R>(_ body: (RawSpan) -> R) -> R {
        body(bytes.span.bytes.extracting((values.last?.end ?? 0)..<bytes.count))
    }

    /// Ends the unfinished value.
    mutating func endValue(isJSON: Bool = false) {
        values.append(Value(end: bytes.count, isJSON: isJSON))
    }
}
