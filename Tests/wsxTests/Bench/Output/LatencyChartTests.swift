import Testing
import WSCore

@testable import Bench
@testable import LoadTest
@testable import UserInterface

@Suite struct LatencyChartTests {
    private static func chart(_ values: [UInt64: Int], columns: Int = 80) -> [String] {
        var histogram = Histogram()
        for (value, count) in values { for _ in 0..<count { histogram.record(value) } }
        return LatencyChart.lines(of: histogram, Palette(isEnabled: false), columns: columns)
    }

    @Test("The length of a bar is proportional to its count, and empty rows are kept")
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

    @Test("On terminals of 60 or 40 columns the chart has shorter bars and does not wrap")
    func narrow() {
        let values: [UInt64: Int] = [110_000: 80, 280_000: 40, 600_000: 1]
        #expect(
            Self.chart(values, columns: 60)
                == [
                    "to 150 us │█████████████████████████████████████ 80  66.12 %",
                    "to 200 us │",
                    "to 300 us │██████████████████▌                   40  33.06 %",
                    "to 500 us │",
                    "to 700 us │▌                                      1   0.83 %",
                ])
        #expect(
            Self.chart(values, columns: 40)
                == [
                    "to 150 us │█████████████████ 80  66.12 %",
                    "to 200 us │",
                    "to 300 us │████████▌         40  33.06 %",
                    "to 500 us │",
                    "to 700 us │▎                  1   0.83 %",
                ])
    }

    @Test("The last row is not empty if a histogram bar spans its lower limit")
    func divided() {
        #expect(Self.chart([999_950: 1, 1_000_001: 1]).count == 1)
    }

    @Test("Each value is in a row, and the number of rows is limited for any range", arguments: 0..<50 as Range<UInt64>)
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
        for columns in 40...80 {
            let lines = LatencyChart.lines(of: histogram, Palette(isEnabled: false), columns: columns)
            for line in lines { #expect(line.count <= columns, "\(line)") }
        }
    }

    @Test("A chart without values is empty")
    func nothing() {
        #expect(Self.chart([:]).isEmpty)
    }
}
