/// A count: `5`, `50k`, `1M`, with powers of 1000.
public enum CountValue {
    /// The default maximum, 10¹²: more than a run can reach, and far from overflow in sums.
    public static let largest = 1_000_000_000_000

    /// Parses a count from 1, or from 0 if `zeroAllowed`, through `largest`.
    /// - Throws: ``ValueProblem/notACount`` or ``ValueProblem/outOfRange(_:)``.
    public static func parse(
        _ text: String, zeroAllowed: Bool = false, largest: Int = largest
    ) throws(ValueProblem) -> Int {
        guard let count = ScaledInteger.parse(text, base: 1000) else { throw .notACount }
        let range = (zeroAllowed ? 0 : 1)...largest
        guard range ~= count else { throw .outOfRange(range) }
        return count
    }
}

/// A size in bytes: `512`, `64k`, `16M`, `1G`, with powers of 1024.
public enum SizeValue {
    /// The maximum, 1 TiB: beyond any message, and far from overflow in sums.
    public static let largestBytes = 1 << 40

    /// Parses a size from 1 byte through `largestBytes`.
    /// - Throws: ``ValueProblem/notASize`` or ``ValueProblem/outOfRange(_:)``.
    public static func parse(_ text: String, largestBytes: Int = largestBytes) throws(ValueProblem) -> Int {
        guard let bytes = ScaledInteger.parse(text, base: 1024) else { throw .notASize }
        guard 1...largestBytes ~= bytes else { throw .outOfRange(1...largestBytes) }
        return bytes
    }
}

/// A fraction: `0.1`, or `10%`.
public enum FractionValue {
    /// Parses a fraction from 0 through 1, or a percentage from 0 through 100.
    /// - Throws: ``ValueProblem/notAFraction``.
    public static func parse(_ text: String) throws(ValueProblem) -> Double {
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

/// Decimal digits with an optional multiplier letter, the common form of sizes and counts.
enum ScaledInteger {
    /// Parses a number with an optional letter k, M, or G, in either case, for the first three powers of `base`.
    ///
    /// - Returns: The number, clamped to `Int.max`, or `nil` for another form.
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

/// Names separated by commas, optionally with spaces around them.
public enum NameList {
    /// Parses one or more names.
    /// - Throws: ``ValueProblem/empty`` if a name is empty.
    public static func parse(_ text: String) throws(ValueProblem) -> [String] {
        var names: [String] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let trimmed = part.drop(while: { $0 == " " })
            let end = trimmed.lastIndex(where: { $0 != " " })
            guard let end else { throw .empty }
            names.append(String(trimmed[...end]))
        }
        return names
    }
}
