/// At which pace events of the input are sent.
enum ReplaySpeed: Equatable {
    /// Without pauses.
    case max
    /// With the pauses that their times tell, divided by this.
    case factor(Double)

    /// What a factor may be: more than anyone has the time for, and far from overflow in either direction.
    private static let factors = 0.000_001...1_000_000

    /// Reads `max` or a decimal number above 0.
    static func parse(_ text: String) throws(ValueProblem) -> ReplaySpeed {
        if text == "max" { return .max }
        let isDecimal = text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: ".") }
        guard isDecimal, let factor = Double(text), factors.contains(factor) else { throw .notASpeed }
        return .factor(factor)
    }
}
