/// The two-sided test of two proportions. Its p-value is the probability that two groups with the same share differ at
/// least this much. It uses the normal distribution with the pooled share.
enum ProportionTest {
    /// A part of a group.
    typealias Part = (count: Int, of: Int)

    /// The p-value, 0 through 1; 1 if a group is empty.
    static func pValue(_ one: Part, _ other: Part) -> Double {
        guard one.of > 0, other.of > 0 else { return 1 }
        let (size, otherSize) = (Double(one.of), Double(other.of))
        let pooled = Double(one.count + other.count) / (size + otherSize)
        let variance = pooled * (1 - pooled) * (1 / size + 1 / otherSize)
        guard variance > 0 else { return 1 }
        let distance = (Double(one.count) / size - Double(other.count) / otherSize).magnitude
        return NormalDistribution.complementaryErrorFunction(distance / (2 * variance).squareRoot())
    }
}
