import Testing
import WSCore

@testable import wsx

@Suite struct LatencyChartTests {
    private static func chart(_ values: [UInt64: Int]) -> [String] {
        var histogram = Histogram()
        for (value, count) in values { for _ in 0..<count { histogram.record(value) } }
        return LatencyChart.lines(of: histogram, Palette(isEnabled: false))
    }

    @Test("bars are as long as there are values, with the gaps between them")
    func bars() {
        #expect(
            Self.chart([100_000: 1, 110_000: 80, 280_000: 40, 2_100_000: 1])
                == [
                    "   to 100 us │▌                                                    1    0.82 %",
                    "   to 150 us │████████████████████████████████████████            80   65.57 %",
                    "   to 200 us │",
                    "   to 300 us │████████████████████                                40   32.79 %",
                    "   to 500 us │",
                    "   to 700 us │",
                    "     to 1 ms │",
                    "   to 1.5 ms │",
                    "     to 2 ms │",
                    "     to 3 ms │▌                                                    1    0.82 %",
                ])
    }

    @Test("every value is in a row, and there are few rows, whatever the range", arguments: 0..<50 as Range<UInt64>)
    func rows(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var histogram = Histogram()
        for _ in 0..<20 {
            histogram.record(UInt64.random(in: 0..<1 << UInt64.random(in: 1...45, using: &random), using: &random))
        }
        let rows = LatencyChart.rows(of: histogram)
        #expect(rows.reduce(0) { $0 + $1.count } == histogram.totalCount)
        #expect((1...18).contains(rows.count))
        #expect(rows.first.map { $0.count > 0 } ?? false)
        #expect(rows.last.map { $0.count > 0 } ?? false)
        for line in LatencyChart.lines(of: histogram, Palette(isEnabled: false)) { #expect(line.count <= 80) }
    }

    @Test("without values there is nothing to draw")
    func nothing() {
        #expect(Self.chart([:]).isEmpty)
    }
}
