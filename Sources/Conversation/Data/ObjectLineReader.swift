import Formats
import WSCore

/// Parses a JSON object per line incrementally. The members of the first object are the columns.
///
///     {"user":"Ada","id":7}
///     {"id":8,"user":"Bo","note":"ignored"}
///
/// Strings become text, and other values stay JSON. Every object needs all members of the first one, in any order.
/// Further members are ignored, and so are empty lines. If several members have the same name, the last one counts.
struct ObjectLineReader: Sendable {
    private let maximumRowBytes: Int
    /// The unfinished line.
    private var line: [UInt8] = []
    /// The position of its first byte.
    private var lineStart = TextPosition()
    /// The columns, or `nil` before the first object.
    private(set) var columns: VariableNames?

    init(maximumRowBytes: Int) {
        self.maximumRowBytes = maximumRowBytes
    }

    /// Sets the position of the first byte.
    mutating func start(at position: TextPosition) {
        lineStart = position
    }

    /// Reads to the end of the next object, or of the input.
    /// - Parameter cursor: The offset of the next byte, which moves forward.
    /// - Returns: The row if it is complete.
    mutating func read(_ input: RawSpan, from cursor: inout Int) throws(DataError) -> DataRow? {
        while cursor < input.byteCount {
            let start = cursor
            while cursor < input.byteCount,
                input.unsafeLoad(fromByteOffset: cursor, as: UInt8.self) != UInt8(ascii: "\n")
            {
                cursor += 1
            }
            guard line.count + cursor - start <= maximumRowBytes else {
                throw DataError(.rowTooLong(maximumBytes: maximumRowBytes), at: lineStart)
            }
            input.extracting(start..<cursor).withUnsafeBytes { line.append(contentsOf: $0) }
            guard cursor < input.byteCount else { return nil }
            cursor += 1
            if let row = try endLine() { return row }
        }
        return nil
    }

    /// Handles the end of the file.
    /// - Returns: The last row, unless a line end followed it.
    mutating func finish() throws(DataError) -> DataRow? {
        try endLine()
    }

    private mutating func endLine() throws(DataError) -> DataRow? {
        let row = try line.contains { !$0.isBlank } ? self.row() : nil
        line.removeAll(keepingCapacity: true)
        lineStart = TextPosition(line: lineStart.line + 1)
        return row
    }

    /// Parses the line.
    private mutating func row() throws(DataError) -> DataRow {
        guard UTF8Validator.isValid(line.span.bytes) else { throw DataError(.notUTF8, at: lineStart) }
        let members = try members()
        if columns == nil { columns = try names(of: members) }
        let names = columns?.names ?? []
        var values: [JSONToken?] = Array(repeating: nil, count: names.count)
        for member in members {
            if let column = columns?.slot(of: decoded(member.name)) { values[column] = member.value }
        }
        var row = DataRow(line: lineStart.line)
        var text = ByteBuffer()
        for (column, value) in values.enumerated() {
            guard let value else { throw DataError(.missingMember(names[column]), at: lineStart) }
            text.removeAll()
            JSONPath.append(value, of: line.span.bytes, to: &text)
            text.withReadableBytes { row.append($0) }
            row.endValue(isJSON: value.kind != .string)
        }
        return row
    }

    private func members() throws(DataError) -> [(name: JSONToken, value: JSONToken)] {
        let members: [(name: JSONToken, value: JSONToken)]?
        do throws(JSONError) {
            members = try JSONReader.members(of: line.span.bytes)
        } catch {
            let offset = if case .unexpected(let offset) = error { offset } else { line.count }
            throw DataError(.notJSON(error), at: position(of: offset))
        }
        guard let members else { throw DataError(.notAnObject, at: lineStart) }
        return members
    }

    private func names(of members: [(name: JSONToken, value: JSONToken)]) throws(DataError) -> VariableNames {
        guard !members.isEmpty else { throw DataError(.noColumns, at: lineStart) }
        var names = VariableNames()
        for member in members {
            do throws(VariableNameError) {
                try names.add(column: decoded(member.name))
            } catch {
                throw DataError(.columnName(error), at: position(of: member.name.range.lowerBound))
            }
        }
        return names
    }

    private func decoded(_ name: JSONToken) -> String {
        JSONString.decoded(line.span.bytes.extracting(name.range))
    }

    private func position(of offset: Int) -> TextPosition {
        var position = lineStart
        for byte in line[..<offset] { position.advance(over: byte) }
        return position
    }
}
