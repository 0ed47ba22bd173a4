import Formats
import WSCore

extension FuzzTarget {
    /// A binary message in each format that codecs decode.
    ///
    /// - Decoded MessagePack and CBOR is JSON on one line and within the limit.
    /// - Encoding it and decoding it again yields the same text.
    /// - Inputs that are JSON themselves are encoded to messages that decode again.
    /// - The output of no codec exceeds the limit, and neither does a zlib stream in pieces.
    static let codecs = FuzzTarget(name: "codecs") { input in
        let limitBytes = 1 << 16
        for codec in Codec.all { _ = decoded(input, codec, limitBytes: limitBytes) }
        for codec in [Codec.messagePack, .cbor] {
            if let json = decoded(input, codec, limitBytes: limitBytes) {
                expect(JSONReader.problem(in: json.span.bytes) == nil, "\(codec): not JSON")
                expect(!json.contains(UInt8(ascii: "\n")), "\(codec): several lines")
                guard let message = encoded(json, codec) else { unexpected("\(codec): cannot be encoded") }
                expectEqual(decoded(message, codec, limitBytes: limitBytes), json, "\(codec): decoded again")
            }
            if let message = encoded(input, codec) {
                expect(decoded(message, codec, limitBytes: 1 << 24) != nil, "\(codec): cannot be decoded")
            }
        }
        for pieces in waysToCut(input) {
            var chain = CodecChain([.zlibStream], limitBytes: limitBytes)
            var records = MessageRecords()
            for piece in pieces {
                do throws(CodecError) {
                    _ = try chain.decode(piece.span.bytes, into: &records)
                    for index in 0..<records.count {
                        records.withRecord(index, of: piece.span.bytes) {
                            expect($0.byteCount <= max(limitBytes, piece.count), "more than the limit")
                        }
                    }
                } catch {
                    expectOneSafeLine("\(error)")
                }
            }
        }
    }

    private static func decoded(_ message: [UInt8], _ codec: Codec, limitBytes: Int) -> [UInt8]? {
        var chain = CodecChain([codec], limitBytes: limitBytes)
        var records = MessageRecords()
        do throws(CodecError) {
            guard case .decoded = try chain.decode(message.span.bytes, into: &records) else { return nil }
        } catch {
            expectOneSafeLine("\(error)")
            return nil
        }
        guard records.count > 0 else { return nil }
        let record = records.withRecord(0, of: message.span.bytes) { $0.withUnsafeBytes { Array($0) } }
        expect(record.count <= max(limitBytes, codec.keepsKind ? message.count : 0), "\(codec): more than the limit")
        return record
    }

    private static func encoded(_ text: [UInt8], _ codec: Codec) -> [UInt8]? {
        var output = ByteBuffer()
        do throws(CodecError) {
            try codec.encode(text.span.bytes, to: &output)
        } catch {
            expectOneSafeLine("\(error)")
            return nil
        }
        return output.withReadableBytes { bytes in bytes.withUnsafeBytes { Array($0) } }
    }
}
