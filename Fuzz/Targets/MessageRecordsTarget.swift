import Formats
import WSCore

extension FuzzTarget {
    /// A message that is cut into records. The first line of the input is the codec.
    ///
    /// - The records are in order and do not overlap, and those of a text are UTF-8.
    /// - Joined again, the message has the same records.
    static let messageRecords = FuzzTarget(name: "message-records") { input in
        let parts = input.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        let (name, message) = (String(decoding: parts[0], as: UTF8.self), Array(parts.dropFirst().first ?? []))
        let codec: Codec
        do throws(CodecNameProblem) {
            codec = try Codec(named: name)
        } catch {
            return expectOneSafeLine(error.words)
        }
        guard codec.keepsKind else { return }
        for isText in UTF8Validator.isValid(message.span.bytes) ? [true, false] : [false] {
            guard let records = cut(message, codec, isText: isText) else { continue }
            var end = 0
            for record in records {
                expect(record.lowerBound >= end && record.upperBound <= message.count, "\(name): out of order")
                end = record.upperBound
                expect(
                    !isText || UTF8Validator.isValid(Array(message[record]).span.bytes), "\(name): a cut character")
            }
            var joined = ByteBuffer()
            do throws(CodecError) {
                let bytes = message.span.bytes
                try codec.joinRecords(bytes, records, original: bytes, isText: isText, to: &joined)
            } catch {
                // The separator or the lengths of a text need not be text.
                if error.problem == .resultNotUTF8 { continue }
                unexpected("\(name): \(error)")
            }
            let again = joined.withReadableBytes { bytes in bytes.withUnsafeBytes { Array($0) } }
            let texts = cut(again, codec, isText: isText)?.map { Array(again[$0]) }
            expectEqual(texts, records.map { Array(message[$0]) }, "\(name): joined")
        }
    }

    private static func cut(_ message: [UInt8], _ codec: Codec, isText: Bool) -> [Range<Int>]? {
        var records: [Range<Int>] = []
        do throws(CodecProblem) {
            try codec.splitRecords(message.span.bytes, isText: isText, into: &records)
            return records
        } catch {
            expectOneSafeLine("\(error)")
            return nil
        }
    }
}
