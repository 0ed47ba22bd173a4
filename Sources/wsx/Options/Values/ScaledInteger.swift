/// Decimal digits and at most one letter that multiplies them: the common form of sizes and counts.
enum ScaledInteger {
    /// Reads `text`, with the letters k, M and G (either case) for the first three powers of `base`.
    ///
    /// - Returns: the number, at most `Int.max` whatever was typed, or nil when `text` has another form.
    static func parse(_ text: String, base: Int) -> Int? {
        var digits = Array(text.utf8)[...]
        let factor: Int
        switch digits.last {
        case UInt8(ascii: "k"), UInt8(ascii: "K"): factor = base
        case UInt8(ascii: "m"), UInt8(ascii: "M"): factor = base * base
        case UInt8(ascii: "g"), UInt8(ascii: "G"): factor = base * base * base
        default: factor = 1
        }
        if factor > 1 { digits.removeLast() }
        guard !digits.isEmpty else { return nil }

        var number = 0
        for byte in digits {
            guard case UInt8(ascii: "0")...UInt8(ascii: "9") = byte else { return nil }
            number = saturatingSum(saturatingProduct(number, 10), Int(byte - UInt8(ascii: "0")))
        }
        return saturatingProduct(number, factor)
    }

    private static func saturatingProduct(_ a: Int, _ b: Int) -> Int {
        let (product, overflow) = a.multipliedReportingOverflow(by: b)
        return overflow ? .max : product
    }

    private static func saturatingSum(_ a: Int, _ b: Int) -> Int {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }
}
