import WSCore

@testable import Peer
@testable import UserInterface

extension FuzzTarget {
    /// Standard input in each of its formats.
    ///
    /// - The result does not depend on how the input is split, except with `chunks`.
    /// - The records contain all of the input: joined by the delimiter, they equal the input.
    static let records = FuzzTarget(name: "records") { input in
        for format in InputFormat.allCases {
            let whole = records(of: [input[...]], format)
            for pieces in waysToCut(input) {
                let cut = records(of: pieces, format)
                switch format {
                case .chunks: expectEqual(cut.flatMap { $0 }, input, "chunks")
                default: expectEqual(cut, whole, "\(format), cut and whole")
                }
            }
            switch format {
            case .lines, .hex, .base64, .json: checkRecords(whole, of: input, delimiter: UInt8(ascii: "\n"))
            case .nul: checkRecords(whole, of: input, delimiter: 0)
            case .message: expectEqual(whole, [input], "the message")
            case .chunks: break
            }
        }
        let kept = records(of: [input[...]], .lines)
        let trimmed = kept.map { $0.last == UInt8(ascii: "\r") ? Array($0.dropLast()) : $0 }
        expectEqual(records(of: [input[...]], .lines, stripsCarriageReturn: true), trimmed, "lines without their CR")
    }

    private static func records(
        of pieces: [ArraySlice<UInt8>], _ format: InputFormat, stripsCarriageReturn: Bool = false
    ) -> [[UInt8]] {
        var splitter = RecordSplitter(format, stripsCarriageReturn: stripsCarriageReturn)
        var records: [[UInt8]] = []
        for piece in pieces {
            let takenBytes = splitter.split(piece.span.bytes) { record in
                records.append(bytes(of: record))
                return true
            }
            expectEqual(takenBytes, piece.count, "the bytes taken")
        }
        splitter.finish { records.append(bytes(of: $0)) }
        return records
    }

    private static func checkRecords(_ records: [[UInt8]], of input: [UInt8], delimiter: UInt8) {
        var joined = Array(records.joined(separator: [delimiter]))
        if input.last == delimiter { joined.append(delimiter) }
        expectEqual(joined, input, "records joined")
        expect(records.allSatisfy { !$0.contains(delimiter) }, "a record contains the delimiter")
    }
}
