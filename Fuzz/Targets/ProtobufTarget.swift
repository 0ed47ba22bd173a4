import Formats
import WSCore

extension FuzzTarget {
    /// A message of Protocol Buffers, alone and after a descriptor set, whose length is the first two bytes.
    ///
    /// - The text is JSON on one line and within the limit.
    /// - A bad descriptor set has a reason.
    static let protobuf = FuzzTarget(name: "protobuf") { input in
        check(input, .protobuf(nil))
        guard input.count >= 2 else { return }
        let rest = input.dropFirst(2)
        let count = min(Int(input[0]) << 8 | Int(input[1]), rest.count)
        do throws(CodecNameProblem) {
            let codec = try Codec(named: "protobuf:FILE:T") { _ throws(CodecNameProblem) in Array(rest.prefix(count)) }
            check(Array(rest.dropFirst(count)), codec)
        } catch {
            expectOneSafeLine(error.words)
        }
    }

    private static func check(_ message: [UInt8], _ codec: Codec) {
        let limitBytes = 1 << 16
        var chain = CodecChain([codec], limitBytes: limitBytes)
        var records = MessageRecords()
        do throws(CodecError) {
            _ = try chain.decode(message.span.bytes, into: &records)
        } catch {
            return expectOneSafeLine("\(error)")
        }
        let text = records.withRecord(0, of: message.span.bytes) { bytes in bytes.withUnsafeBytes { Array($0) } }
        expect(text.count <= limitBytes, "more than the limit")
        expect(UTF8Validator.isValid(text.span.bytes), "not UTF-8")
        expect(JSONReader.problem(in: text.span.bytes) == nil, "not JSON")
        expect(!text.contains(UInt8(ascii: "\n")), "several lines")
    }
}
