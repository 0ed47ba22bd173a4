/// The normal distribution, for tests whose statistic approaches it.
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
