import WSCore

/// What becomes of a record of a message that is passed on, or of the whole message.
package enum RecordEdit: Equatable, Sendable {
    case unchanged
    /// It has these bytes instead.
    case changed([UInt8])
    case removed
}

extension CodecChain {
    /// The first codec because of which a message cannot be put together again, or `nil` if there is none.
    /// - Parameter changes: Whether records may change, as opposed to being removed.
    package static func irreversible(_ codecs: [Codec], changes: Bool) -> Codec? {
        let last = changes ? codecs.count : (codecs.lastIndex { $0.keepsKind } ?? -1) + 1
        return codecs[..<last].first { !$0.hasInverse }
    }

    /// Puts a message together from its records, some of which have changed. The others keep their bytes.
    /// - Parameters:
    ///   - records: The result of ``decode(_:isText:into:)``, with everything kept.
    ///   - edits: What becomes of each record.
    ///   - isText: Whether the message is text, and has only been split.
    /// - Throws: ``CodecError``.
    package func assemble(
        _ records: borrowing MessageRecords, of message: RawSpan, _ edits: [RecordEdit], isText: Bool
    ) throws(CodecError) -> RecordEdit {
        let steps = codecs.filter { $0.keepsKind || !isText }
        var outputs = (0..<records.count).map { index in
            records.withRecord(index, of: message) { $0.withUnsafeBytes { Array($0) } }
        }
        var parts = edits
        for (codec, origins) in zip(steps, records.origins).reversed() {
            var start = 0
            var joined: [RecordEdit] = []
            for origin in origins {
                let range = start..<start + origin.count
                joined.append(try join(parts[range], of: outputs[range], by: codec, origin.bytes, isText: isText))
                start = range.upperBound
            }
            parts = joined
            outputs = origins.map(\.bytes)
        }
        return parts.first ?? .unchanged
    }

    /// What becomes of the input of a step.
    private func join(
        _ parts: ArraySlice<RecordEdit>, of outputs: ArraySlice<[UInt8]>, by codec: Codec, _ original: [UInt8],
        isText: Bool
    ) throws(CodecError) -> RecordEdit {
        if parts.allSatisfy({ $0 == .unchanged }) { return .unchanged }
        if parts.allSatisfy({ $0 == .removed }) { return .removed }
        var data: [UInt8] = []
        var ranges: [Range<Int>] = []
        for (part, output) in zip(parts, outputs) {
            let start = data.count
            switch part {
            case .unchanged: data += output
            case .changed(let bytes): data += bytes
            case .removed: continue
            }
            ranges.append(start..<data.count)
        }
        var buffer = ByteBuffer()
        try codec.joinRecords(data.span.bytes, ranges, original: original.span.bytes, isText: isText, to: &buffer)
        return .changed(buffer.withReadableBytes { span in span.withUnsafeBytes { Array($0) } })
    }
}
