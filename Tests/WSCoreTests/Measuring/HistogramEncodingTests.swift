import TestSupport
import Testing

@testable import WSCore

@Suite struct HistogramEncodingTests {
    /// Values with their encoding by the PyPI package hdrhistogram 0.10.8: compressed, and the plain counts.
    static let vectors: [(values: [(value: UInt64, count: Int)], compressed: String, counts: String)] = [
        (
            [],
            "1c8493140000001d789c9369992ccc8000cc509a11c87433d8b180c1fe034400004e39044b",
            ""
        ),
        (
            [(1, 1)],
            "1c84931400000022789c9369992cccc0c0c0c40001cc509a11c87433d8b180c1fe035480090057190450",
            "0102"
        ),
        (
            [(0, 1), (2047, 3), (2048, 200)],
            "1c84931400000027789c9369992cccc0c0c0c60001cc509a11c87433d8b180c1fe034480e9b73cdb0466006f890606",
            "02fb1f069003"
        ),
        (
            [(1_000_000, 100_000), (5_000_000, 1), (3_600_000_000_000, 7)],
            "1c8493140000002f789c9369992cccc0c0c0cb0001cc509a11c87433d8b180c1fe0344e0e03ac603b3780eab30f56e67e2"
                + "0300b24a096b",
            "c1ae01c09a0cc324028db7020e"
        ),
    ]

    @Test("histograms encoded by another implementation can be decoded", arguments: vectors.indices)
    func decoding(index: Int) throws {
        let vector = Self.vectors[index]
        let histogram = try Histogram(decoding: Self.bytes(vector.compressed))
        expectEqual(HistogramTests.bars(histogram), HistogramTests.bars(Self.histogram(of: vector.values)))
        expectEqual(histogram.totalCount, UInt64(vector.values.map(\.count).reduce(0, +)))
    }

    @Test("the encoding equals that of another implementation", arguments: vectors.indices)
    func encoding(index: Int) {
        let vector = Self.vectors[index]
        let encoded = Self.encoded(Self.histogram(of: vector.values))
        expectEqual(encoded[..<4], [0x1C, 0x84, 0x93, 0x14])
        expectEqual(Self.bytes(vector.compressed)[..<4], encoded[..<4])
        // zlib versions may compress differently.
        let plain = ZlibData.decompress(encoded.span.bytes.extracting(droppingFirst: 8), limitBytes: 100)
        expectEqual(plain, Self.bytes(Self.header(length: vector.counts.count / 2) + vector.counts))
    }

    @Test("a histogram of values of all sizes survives encoding and decoding")
    func roundTrip() throws {
        var histogram = Histogram()
        for value in HistogramTests.values(seed: 7) { histogram.record(value) }
        histogram.record(Histogram.largestValue)
        let decoded = try Histogram(decoding: Self.encoded(histogram))
        expectEqual(HistogramTests.bars(decoded), HistogramTests.bars(histogram))
        expectEqual(decoded.totalCount, histogram.totalCount)
    }

    @Test("a decoded histogram estimates its minimum and maximum until refined with exact values")
    func refinement() throws {
        var histogram = Histogram()
        for value in [300_000_000, 300_000_001, 1_000_000_000] as [UInt64] { histogram.record(value) }
        var decoded = try Histogram(decoding: Self.encoded(histogram))
        expectEqual(decoded.minimum, 299_892_736)
        expectEqual(decoded.maximum, 1_000_341_503)
        #expect(abs(decoded.mean / histogram.mean - 1) < 0.001)
        let contradictions: [(minimum: UInt64?, maximum: UInt64?, sum: UInt128?)] = [
            (299_892_735, nil, nil), (nil, 1_000_341_504, nil), (nil, .max, nil), (nil, nil, 899_678_207),
            (300_000_000, nil, 899_999_999),
        ]
        for (minimum, maximum, sum) in contradictions {
            let isPlausible = decoded.refine(minimum: minimum, maximum: maximum, sum: sum)
            expectEqual(isPlausible, false)
        }
        #expect(decoded.minimum == 299_892_736 && decoded.maximum == 1_000_341_503)
        let isPlausible = decoded.refine(minimum: 300_000_000, maximum: 1_000_000_000, sum: 1_600_000_001)
        expectTrue(isPlausible)
        #expect(decoded.minimum == 300_000_000 && decoded.maximum == 1_000_000_000)
        #expect(decoded.sum == histogram.sum && decoded.mean == histogram.mean)
        expectEqual(decoded.value(atPercentile: 100), 1_000_000_000)
    }

    @Test("the statistics of an empty histogram can only be refined to 0")
    func emptyRefinement() {
        var histogram = Histogram()
        let arePlausible = [
            histogram.refine(), histogram.refine(minimum: 0, maximum: 0, sum: 0), histogram.refine(minimum: 1),
            histogram.refine(maximum: 1), histogram.refine(sum: 1),
        ]
        expectEqual(arePlausible, [true, true, false, false, false])
        expectEqual(histogram.maximum, 0)
    }

    static let longCountsCases: [Int] = [1, 63, 64, 8191, 8192, 1 << 34, 1 << 55, 1 << 62]

    @Test("counts of every encoded length survive encoding and decoding", arguments: Self.longCountsCases)
    func longCounts(count: Int) throws {
        var histogram = Histogram()
        histogram.record(5)
        histogram.counts[5] = UInt64(count)
        histogram.recordedCount = UInt64(count)
        try expectEqual(Histogram(decoding: Self.encoded(histogram)).totalCount, UInt64(count))
    }

    @Test("truncated data is rejected at every length")
    func truncated() {
        let bytes = Self.bytes(Self.vectors[3].compressed)
        for count in bytes.indices { expectEqual(Self.error(of: Array(bytes[..<count])), .damaged) }
    }

    @Test("damaged data and other formats are rejected")
    func damaged() {
        var bytes = Self.bytes(Self.vectors[3].compressed)
        bytes[20] ^= 1
        expectEqual(Self.error(of: bytes), .damaged)
        bytes[3] = 0x04
        expectEqual(Self.error(of: bytes), .unknownForm)
        expectNil(Self.error(ofPlain: Self.header()))
        expectEqual(Self.error(ofPlain: Self.header(cookie: "1c849303")), .unknownForm)
        expectEqual(Self.error(ofPlain: Self.header(digits: 2)), .otherLayout)
        expectEqual(Self.error(ofPlain: Self.header(largest: "00000000d693a400")), .otherLayout)
        expectEqual(Self.error(ofPlain: Self.header() + "02"), .damaged, "a count that was not announced")
        expectEqual(Self.error(ofPlain: Self.header(length: 2) + "02"), .damaged, "a missing count")
    }

    @Test("counts beyond the range and overflowing totals are rejected")
    func tooMany() {
        // 33,791 and 33,792 empty counts, followed by a count of 1.
        expectNil(Self.error(ofPlain: Self.header(length: 4) + "fd8f0402"))
        expectEqual(Self.error(ofPlain: Self.header(length: 4) + "ff8f0402"), .damaged)
        let largest = "feffffffffffffffff"
        expectEqual(Self.error(ofPlain: Self.header(length: 27) + largest + largest + largest), .damaged)
    }

    /// The header as hexadecimal digits, by default of an empty histogram.
    private static func header(
        cookie: String = "1c849313", length: Int = 0, digits: Int = 3, largest: String = "0000034630b8a000"
    ) -> String {
        let hexLength = String(length, radix: 16)
        return cookie + String(repeating: "0", count: 8 - hexLength.count) + hexLength + "00000000" + "0000000\(digits)"
            + "0000000000000001" + largest + "3ff0000000000000"
    }

    private static func error(of bytes: [UInt8]) -> HistogramError? {
        do throws(HistogramError) {
            _ = try Histogram(decoding: bytes)
            return nil
        } catch {
            return error
        }
    }

    /// Returns the error for data given as hexadecimal digits before compression.
    private static func error(ofPlain digits: String) -> HistogramError? {
        let compressed = ZlibData.compress(bytes(digits).span.bytes)
        return error(of: [0x1C, 0x84, 0x93, 0x14, 0, 0, 0, UInt8(compressed.count)] + compressed)
    }

    private static func histogram(of values: [(value: UInt64, count: Int)]) -> Histogram {
        var histogram = Histogram()
        for (value, count) in values {
            for _ in 0..<count { histogram.record(value) }
        }
        return histogram
    }

    private static func encoded(_ histogram: borrowing Histogram) -> [UInt8] {
        var buffer = ByteBuffer()
        histogram.encode(into: &buffer)
        return buffer.withReadableBytes { $0.withUnsafeBytes { Array($0) } }
    }

    private static func bytes(_ digits: String) -> [UInt8] {
        let digits = Array(digits.utf8)
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
    }
}
