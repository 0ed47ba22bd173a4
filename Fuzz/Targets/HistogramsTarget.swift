@testable import WSCore

extension FuzzTarget {
    /// Compressed histograms: the input itself, and the input as their uncompressed content.
    ///
    /// - Decoded histograms are usable, and their statistics are ordered.
    /// - Histograms survive encoding and decoding.
    static let histograms = FuzzTarget(name: "histograms") { input in
        check(input)
        let data = ZlibData.compress(input.span.bytes)
        var wrapped: [UInt8] = [0x1C, 0x84, 0x93, 0x14]
        wrapped += (0..<4).reversed().map { UInt8(truncatingIfNeeded: data.count >> (8 * $0)) }
        check(wrapped + data)
    }

    private static func check(_ bytes: [UInt8]) {
        do throws(HistogramError) {
            let histogram = try Histogram(decoding: bytes)
            let values = [0, 50, 99, 99.999, 100].map { histogram.value(atPercentile: $0) }
            expect(values == values.sorted(), "percentiles out of order: \(values)")
            expectEqual(values.first, histogram.minimum, "the smallest value")
            expectEqual(values.last, histogram.maximum, "the largest value")
            expect(histogram.mean >= 0 && histogram.standardDeviation >= 0, "a statistic is negative")
            var encoded = ByteBuffer()
            histogram.encode(into: &encoded)
            let again = try Histogram(decoding: encoded.withReadableBytes { $0.withUnsafeBytes { Array($0) } })
            expectEqual(bars(of: again), bars(of: histogram), "a histogram, written and read")
        } catch {
            expectOneSafeLine("\(error)")
        }
    }

    private static func bars(of histogram: borrowing Histogram) -> [Histogram.Bar] {
        var bars: [Histogram.Bar] = []
        histogram.forEachBar { bars.append($0) }
        return bars
    }
}
