import Formats
import WSCore

/// The time at which a publisher elsewhere has sent a message.
///
///     1716239022.5          seconds since 1970, by the magnitude of the number
///     1716239022500         milliseconds, microseconds, or nanoseconds, in the same way
///     2024-05-20T21:03:42Z  a time in RFC 3339, the common form of ISO 8601
enum PublishedTime {
    /// The limits of the units: below the first, a number is in seconds, below the next in milliseconds, and so on. For
    /// times in each unit from 1973 to 5138.
    private static let units: [(limit: Double, nanoseconds: Int64)] = [
        (1e11, 1_000_000_000), (1e14, 1_000_000), (1e17, 1000), (.infinity, 1),
    ]

    /// The time in nanoseconds since 1970, or `nil` if a message has no time at a path.
    static func nanoseconds(at path: JSONPath, in message: RawSpan) -> Int64? {
        guard let token = path.value(in: message) else { return nil }
        let value = message.extracting(token.range)
        switch token.kind {
        case .number: return nanoseconds(ofNumber: value.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
        case .string:
            let text = JSONString.decoded(value)
            return nanoseconds(ofNumber: text) ?? EventTime.parse(text).flatMap { Int64(exactly: $0 / .nanoseconds(1)) }
        default: return nil
        }
    }

    private static func nanoseconds(ofNumber text: String) -> Int64? {
        guard let number = Double(text), number.isFinite,
            let unit = units.first(where: { number.magnitude < $0.limit })
        else { return nil }
        // Integers are exact, which nanoseconds as floating-point numbers are not.
        if let integer = Int64(text) {
            let (product, overflow) = integer.multipliedReportingOverflow(by: unit.nanoseconds)
            return overflow ? nil : product
        }
        // The product of the whole number would have more digits than a floating-point number.
        let whole = number.rounded(.towardZero)
        guard let units = Int64(exactly: whole) else { return nil }
        let fraction = ((number - whole) * Double(unit.nanoseconds)).rounded()
        let (product, overflow) = units.multipliedReportingOverflow(by: unit.nanoseconds)
        let (sum, isTooLarge) = product.addingReportingOverflow(Int64(fraction))
        return overflow || isTooLarge ? nil : sum
    }
}
