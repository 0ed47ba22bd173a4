/// A part of all: `0.1`, or `10%`.
enum FractionValue {
    /// Reads a fraction from 0 through 1, or percents from 0 through 100.
    static func parse(_ text: String) throws(ValueProblem) -> Double {
        let isPercentage = text.hasSuffix("%")
        let digits = isPercentage ? text.dropLast() : text[...]
        let isDecimal = digits.utf8.allSatisfy {
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: ".")
        }
        guard isDecimal, let number = Double(digits) else { throw .notAFraction }
        let fraction = isPercentage ? number / 100 : number
        guard 0...1 ~= fraction else { throw .notAFraction }
        return fraction
    }
}
