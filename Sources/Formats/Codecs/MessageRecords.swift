import WSCore

/// The records of a message, in order: the whole message, or what splitters have made of it.
///
/// Each is a range of the received message as long as only splitters have been used, and otherwise of a buffer.
package struct MessageRecords: ~Copyable {
    @usableFromInline
    struct Record {
        /// The location in the message, or in the buffer.
        @usableFromInline var range: Range<Int>
        /// Whether it is text, as opposed to binary.
        @usableFromInline var isText: Bool
        /// The index of the piece that the last splitter has made, which the record comes from.
        var piece: Int
    }

    @usableFromInline private(set) var records: [Record] = []
    @usableFromInline private(set) var buffer = ByteBuffer()
    /// Whether the ranges are those of the received message.
    @usableFromInline private(set) var referToMessage = true
    /// What the last splitter has left, if codecs follow it and outputs need it.
    private(set) var pieces: [[UInt8]] = []
    /// The inputs of each step that was applied, if the message may be put together again.
    private(set) var origins: [[Origin]] = []

    /// The input of a step.
    struct Origin {
        let bytes: [UInt8]
        /// The number of records that the step has made of it.
        var count = 1
    }

    /// Creates an empty list.
    package init() {}

    /// The number of records.
    @inlinable package var count: Int { records.count }

    /// Whether a record is text, as opposed to binary.
    @inlinable
    package func isText(_ index: Int) -> Bool { records[index].isText }

    /// Calls `body` with a record.
    /// - Parameter message: The message that was decoded.
    @inlinable
    package func withRecord<R, E: Error>(
        _ index: Int, of message: RawSpan, _ body: (RawSpan) throws(E) -> R
    ) throws(E) -> R {
        let range = records[index].range
        if referToMessage { return try body(message.extracting(range)) }
        return try buffer.withReadableBytes { (bytes) throws(E) in try body(bytes.extracting(range)) }
    }

    /// The bytes of a record after the last splitter, or `nil` if no output needs them, or no codec follows it.
    package func piece(of index: Int) -> [UInt8]? { pieces.isEmpty ? nil : pieces[records[index].piece] }

    /// Whether there is one record, which is empty.
    var isOneEmpty: Bool { records.count == 1 && records[0].range.isEmpty }

    /// The size of the records in the buffer, in bytes.
    var byteCount: Int { buffer.count }

    // MARK: Changes

    /// Removes everything.
    package mutating func removeAll() {
        records.removeAll(keepingCapacity: true)
        forgetOrigins()
    }

    private mutating func forgetOrigins() {
        if !pieces.isEmpty { pieces = [] }
        if !origins.isEmpty { origins = [] }
        buffer.removeAll()
        referToMessage = true
    }

    /// Frees large storage of a message that is done.
    package mutating func releaseStorage(above keptBytes: Int) {
        forgetOrigins()
        buffer.releaseStorage(above: keptBytes)
        if records.capacity * MemoryLayout<Record>.stride > keptBytes { records = [] }
    }

    /// Begins with a whole message as the only record.
    package mutating func begin(_ message: RawSpan, isText: Bool) {
        forgetOrigins()
        let record = Record(range: 0..<message.byteCount, isText: isText, piece: 0)
        if records.count == 1 {
            records[0] = record
        } else {
            records.removeAll(keepingCapacity: true)
            records.append(record)
        }
    }

    /// Replaces the only record by the contents of another buffer, which gets the storage of this one.
    mutating func replaceOnly(with bytes: inout ByteBuffer, isText: Bool) {
        swap(&buffer, &bytes)
        records[0].range = 0..<buffer.count
        records[0].isText = isText
        referToMessage = false
    }

    /// Removes the only record.
    mutating func removeOnly() { records.removeLast() }

    /// Appends the answer of a program.
    /// - Parameter piece: What the last splitter left of the record, if there is one and it matters.
    package mutating func append(_ bytes: RawSpan, isText: Bool, piece: [UInt8]?) {
        append(bytes, isText: isText, piece: pieces.count)
        if let piece { pieces.append(piece) }
    }

    /// Appends an unchanged record.
    mutating func append(_ bytes: RawSpan, isText: Bool, piece: Int) {
        let start = buffer.count
        buffer.append(bytes)
        append(start..<buffer.count, isText, piece)
    }

    /// Appends the contents of another buffer, which gets the storage of this one if it was empty.
    mutating func append(contentsOf bytes: inout ByteBuffer, isText: Bool, piece: Int) {
        guard buffer.isEmpty else { return bytes.withReadableBytes { append($0, isText: isText, piece: piece) } }
        swap(&buffer, &bytes)
        append(0..<buffer.count, isText, piece)
    }

    private mutating func append(_ range: Range<Int>, _ isText: Bool, _ piece: Int) {
        referToMessage = false
        records.append(Record(range: range, isText: isText, piece: piece))
    }

    /// Replaces the records by what a splitter makes of each.
    mutating func split(_ message: RawSpan, by codec: Codec) throws(CodecProblem) {
        var split: [Record] = []
        var ranges: [Range<Int>] = []
        for (index, record) in records.enumerated() {
            try withRecord(index, of: message) { (bytes) throws(CodecProblem) in
                try codec.splitRecords(bytes, isText: record.isText, into: &ranges)
            }
            if !origins.isEmpty { origins[origins.count - 1][index].count = ranges.count }
            // Of all records together: each of a splitter may have as many.
            guard split.count + ranges.count <= Codec.maximumRecordCount else {
                throw .tooManyRecords(limit: Codec.maximumRecordCount)
            }
            let start = record.range.lowerBound
            for range in ranges {
                let range = start + range.lowerBound..<start + range.upperBound
                split.append(Record(range: range, isText: record.isText, piece: split.count))
            }
        }
        records = split
    }

    /// Moves what is kept of earlier steps here.
    mutating func takeOrigins(of other: inout MessageRecords) {
        swap(&pieces, &other.pieces)
        swap(&origins, &other.origins)
    }

    /// The inputs of the steps of a message, for a copy of its records.
    package struct KeptOrigins {
        fileprivate let steps: [[Origin]]

        /// The size of the inputs, in bytes.
        package var byteCount: Int { steps.reduce(0) { $0 + $1.reduce(0) { $0 + $1.bytes.count } } }
    }

    package var keptOrigins: KeptOrigins { KeptOrigins(steps: origins) }

    package mutating func keep(_ origins: KeptOrigins) { self.origins = origins.steps }

    /// Keeps the bytes of all records, which codecs then change.
    mutating func keepPieces(of message: RawSpan) { pieces = copies(of: message) }

    /// Keeps the bytes of all records as the inputs of the next step.
    mutating func keepOrigins(of message: RawSpan) { origins.append(copies(of: message).map { Origin(bytes: $0) }) }

    /// Discards what was kept for a step that has changed nothing.
    mutating func discardOrigins() { _ = origins.popLast() }

    private func copies(of message: RawSpan) -> [[UInt8]] {
        records.indices.map { index in withRecord(index, of: message) { $0.withUnsafeBytes { Array($0) } } }
    }
}
