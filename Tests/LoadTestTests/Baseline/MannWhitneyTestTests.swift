import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct MannWhitneyTestTests {
    /// Counts all divisions of the numbers whose rank sum is at least as far from the mean, separately for each side.
    private static func counted(_ one: [Double], _ other: [Double]) -> Double {
        let all = one + other
        let ranks = all.map { number in
            Double(all.filter { $0 < number }.count) + Double(all.filter { $0 == number }.count + 1) / 2
        }
        let found = ranks[..<one.count].reduce(0, +)
        var (lower, upper, total) = (0.0, 0.0, 0.0)
        for choice in 0..<1 << all.count where choice.nonzeroBitCount == one.count {
            let sum = ranks.indices.reduce(0.0) { $0 + (choice >> $1 & 1 == 1 ? ranks[$1] : 0) }
            total += 1
            if sum <= found { lower += 1 }
            if sum >= found { upper += 1 }
        }
        return min(1, 2 * min(lower, upper) / total)
    }

    @Test("The p-value equals that of counting all divisions, with ties or not", arguments: 0..<20 as Range<UInt64>)
    func exact(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let one = (0..<Int.random(in: 1...6, using: &random)).map { _ in Double(Int.random(in: 0..<8, using: &random)) }
        let other = (0..<Int.random(in: 1...6, using: &random)).map { _ in Double(Int.random(in: 0..<8, using: &random))
        }
        #expect((MannWhitneyTest.pValue(one, other) - Self.counted(one, other)).magnitude < 1e-9)
        #expect((MannWhitneyTest.pValue(one, other) - MannWhitneyTest.pValue(other, one)).magnitude < 1e-9)
    }

    @Test("Groups that do not overlap have the smallest p-value")
    func apart() {
        #expect((MannWhitneyTest.pValue([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]) - 2.0 / 252).magnitude < 1e-12)
        #expect((MannWhitneyTest.smallestPValue(5, 5) - 2.0 / 252).magnitude < 1e-12)
        #expect(MannWhitneyTest.smallestPValue(4, 4) > 0.01)
        expectEqual(MannWhitneyTest.smallestPValue(0, 9), 1)
        expectEqual(MannWhitneyTest.pValue([], [1]), 1)
    }

    @Test("For many numbers, the normal distribution gives nearly the same p-value")
    func approximate() {
        let one = (0..<30).map { Double($0 * 2) }
        // Calculated by hand: U = 325, its standard deviation is 67.64, and (450 - 325 - 0.5) / 67.64 = 1.841.
        let other = (0..<30).map { Double($0 * 2 + 9) }
        #expect((MannWhitneyTest.pValue(one, other) - 0.0657).magnitude < 0.0001)
        expectEqual(MannWhitneyTest.pValue(one, one), 1)
        // U = 153: (450 - 153 - 0.5) / 67.64 = 4.384.
        #expect((MannWhitneyTest.pValue(one, one.map { $0 + 25.5 }) - 1.167e-5).magnitude < 1e-8)
        #expect(MannWhitneyTest.pValue(one, one.map { $0 + 100 }) < 1e-9)
        expectEqual(MannWhitneyTest.pValue([Double](repeating: 5, count: 30), [Double](repeating: 5, count: 30)), 1)
    }
}
