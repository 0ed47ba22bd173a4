import WSCore

/// A number of a JSON text, compared by its exact value, whatever its size: `1`, `1.0`, and `10e-1` are equal, and
/// integers beyond 2^53 keep all digits. Exponents beyond ±10^16 count as ±10^16.
package struct JSONNumber: Equatable, Sendable {
    /// -1, 0, or 1.
    private let sign: Int
    /// The significant digits, without leading and trailing zeros.
    private let digits: [UInt8]
    /// The magnitude is 0.DIGITS times ten to this power.
    private let power: Int

    private static let maximumExponent = 10_000_000_000_000_000

    /// Parses a number in JSON notation. Returns `nil` for any other text.
    package init?(_ text: RawSpan) {
        guard Self.isNumber(text) else { return nil }
        let bytes = text.withUnsafeBytes { Array($0) }
        let isNegative = bytes.first == UInt8(ascii: "-")
        let parts = bytes.dropFirst(isNegative ? 1 : 0).split { $0 | 0x20 == UInt8(ascii: "e") }
        let mantissa = parts[0].split(separator: UInt8(ascii: "."))
        let all = Array(mantissa.joined())
        let first = all.firstIndex { $0 != UInt8(ascii: "0") } ?? all.count
        let end = (all.lastIndex { $0 != UInt8(ascii: "0") } ?? -1) + 1
        guard first < end else {
            (sign, digits, power) = (0, [], 0)
            return
        }
        sign = isNegative ? -1 : 1
        digits = Array(all[first..<end])
        power = mantissa[0].count - first + (parts.count > 1 ? Self.exponent(parts[1]) : 0)
    }

    private static func isNumber(_ text: RawSpan) -> Bool {
        do throws(JSONError) {
            var reader = JSONReader()
            guard let token = try reader.next(in: text) else { return false }
            return token.kind == .number && token.range == 0..<text.byteCount
        } catch {
            return false
        }
    }

    private static func exponent(_ text: ArraySlice<UInt8>) -> Int {
        var exponent = 0
        for byte in text where byte != UInt8(ascii: "-") && byte != UInt8(ascii: "+") {
            exponent = min(exponent * 10 + Int(byte - UInt8(ascii: "0")), maximumExponent)
        }
        return text.first == UInt8(ascii: "-") ? -exponent : exponent
    }
}

extension JSONNumber: CustomStringConvertible {
    /// The same text for equal numbers, in decimal, and with an exponent if that would need many zeros.
    package var description: String {
        guard sign != 0 else { return "0" }
        let text = String(decoding: digits, as: UTF8.self)
        let magnitude: String
        switch power {
        case -5...0: magnitude = "0." + String(repeating: "0", count: -power) + text
        case 1..<digits.count: magnitude = "\(text.prefix(power)).\(text.dropFirst(power))"
        case digits.count...(digits.count + 20): magnitude = text + String(repeating: "0", count: power - digits.count)
        default:
            let fraction = digits.count > 1 ? "." + text.dropFirst() : ""
            magnitude = "\(text.prefix(1))\(fraction)e\(power - 1)"
        }
        return (sign < 0 ? "-" : "") + magnitude
    }
}

extension JSONNumber: Comparable {
    /// Whether the first number is less than the second.
    package static func < (left: JSONNumber, right: JSONNumber) -> Bool {
        if left.sign != right.sign { return left.sign < right.sign }
        let (smaller, larger) = left.sign < 0 ? (right, left) : (left, right)
        if smaller.power != larger.power { return smaller.power < larger.power }
        return smaller.digits.lexicographicallyPrecedes(larger.digits)
    }
}
