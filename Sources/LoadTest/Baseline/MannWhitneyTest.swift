/// The Mann–Whitney U test (1947). Its p-value is the probability that two groups from the same distribution differ at
/// least this much in their ranks. It uses only ranks, so outliers have little influence.
enum MannWhitneyTest {
    /// Up to this many numbers, the p-value is exact: all possible divisions are counted.
    private static let mostExact = 20

    /// The two-sided p-value, 0 through 1; 1 if a group is empty.
    static func pValue(_ one: [Double], _ other: [Double]) -> Double {
        guard !one.isEmpty, !other.isEmpty else { return 1 }
        let (ranks, tieTerm) = doubledRanks(of: one + other)
        let sum = ranks[..<one.count].reduce(0, +)
        return one.count + other.count <= mostExact
            ? exact(ranks, one.count, sum) : approximate(one.count, other.count, sum, tieTerm)
    }

    /// The smallest possible p-value for groups of these sizes: all values of one group exceed all of the other.
    static func smallestPValue(_ one: Int, _ other: Int) -> Double {
        let size = min(one, other)
        guard size > 0 else { return 1 }
        return (1...size).reduce(2.0) { $0 * Double($1) / Double(one + other - size + $1) }
    }

    /// Twice the rank of each number, starting at 2; equal numbers share the mean of their ranks. Also returns the sum
    /// of t³ - t over all groups of t equal numbers.
    private static func doubledRanks(of numbers: [Double]) -> (ranks: [Int], tieTerm: Double) {
        let order = numbers.indices.sorted { numbers[$0] < numbers[$1] }
        var ranks = [Int](repeating: 0, count: numbers.count)
        var tieTerm = 0.0
        var start = 0
        while start < order.count {
            var end = start + 1
            while end < order.count, numbers[order[end]] == numbers[order[start]] { end += 1 }
            for position in start..<end { ranks[order[position]] = start + 1 + end }
            let count = Double(end - start)
            tieTerm += count * count * count - count
            start = end
        }
        return (ranks, tieTerm)
    }

    /// Counts the choices of `size` ranks by their sum.
    private static func exact(_ ranks: [Int], _ size: Int, _ sum: Int) -> Double {
        let largestSum = ranks.reduce(0, +)
        var counts = [[Double]](repeating: [Double](repeating: 0, count: largestSum + 1), count: size + 1)
        counts[0][0] = 1
        for rank in ranks {
            for chosen in stride(from: size, to: 0, by: -1) {
                for total in rank...largestSum { counts[chosen][total] += counts[chosen - 1][total - rank] }
            }
        }
        let all = counts[size].reduce(0, +)
        let lower = counts[size][...sum].reduce(0, +)
        let upper = counts[size][sum...].reduce(0, +)
        return min(1, 2 * min(lower, upper) / all)
    }

    /// Uses the normal distribution with corrections for ties and continuity.
    private static func approximate(_ one: Int, _ other: Int, _ sum: Int, _ tieTerm: Double) -> Double {
        let (one, other) = (Double(one), Double(other))
        let all = one + other
        let variance = one * other / 12 * (all + 1 - tieTerm / (all * (all - 1)))
        guard variance > 0 else { return 1 }
        let distance = (Double(sum) / 2 - one * (all + 1) / 2).magnitude
        return NormalDistribution.complementaryErrorFunction(max(0, distance - 0.5) / (2 * variance).squareRoot())
    }
}

/// The normal distribution, which approximates the statistics of the tests.
enum NormalDistribution {
    /// The complementary error function: the probability of a value at least √2·`x` standard deviations from the mean,
    /// in either direction, for an `x` of at least 0.
    ///
    /// It is computed with the power series of the error function. Beyond 4 it is below 0.00000002 and is taken as 0.
    static func complementaryErrorFunction(_ x: Double) -> Double {
        guard x < 4 else { return 0 }
        let scale = 2 / Double.pi.squareRoot()
        var (sum, power, number) = (0.0, x, 0.0)
        while power.magnitude > 1e-17 {
            sum += power / (2 * number + 1)
            number += 1
            power *= -x * x / number
        }
        return max(0, 1 - scale * sum)
    }
}
