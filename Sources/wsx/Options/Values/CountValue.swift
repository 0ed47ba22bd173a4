/// A number of things: `5`, `50k`, `1M`, in powers of 1000.
enum CountValue {
    /// A million millions: more than a run can reach, and far from overflow in sums.
    static let largest = 1_000_000_000_000

    /// Reads a count from 1 through ``largest``.
    static func parse(_ text: String) throws(ValueProblem) -> Int {
        guard let count = ScaledInteger.parse(text, base: 1000) else { throw .notACount }
        guard 1...largest ~= count else { throw .outOfRange(1...largest) }
        return count
    }
}
