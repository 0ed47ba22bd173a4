/// A number of things: `5`, `50k`, `1M`, in powers of 1000.
enum CountValue {
    /// A million millions: more than a run can reach, and far from overflow in sums.
    static let largest = 1_000_000_000_000

    /// Reads a count from 1, or from 0, through `largest`.
    static func parse(
        _ text: String, zeroAllowed: Bool = false, largest: Int = largest
    ) throws(ValueProblem) -> Int {
        guard let count = ScaledInteger.parse(text, base: 1000) else { throw .notACount }
        let range = (zeroAllowed ? 0 : 1)...largest
        guard range ~= count else { throw .outOfRange(range) }
        return count
    }
}
