/// A parsed Set-Cookie field (RFC 6265 §5.2).
struct SetCookie: Equatable {
    /// The maximum size of name and value together, in bytes (RFC 6265bis §5.6).
    static let maximumBytes = 4096
    /// The maximum size of an attribute's value, in bytes (RFC 6265bis §5.6).
    static let maximumAttributeBytes = 1024

    let name: String
    let value: String
    /// The domain in lower case without a leading dot, or `nil`.
    private(set) var domain: String?
    /// The path, or `nil` if it does not begin with a slash.
    private(set) var path: String?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    /// The expiry time in seconds since 1970-01-01 00:00 UTC, from Max-Age or otherwise Expires.
    var expiry: Int? { maximumAgeExpiry ?? dateExpiry }

    private var maximumAgeExpiry: Int?
    private var dateExpiry: Int?

    /// Parses the field's value. Returns `nil` if a browser would ignore it. `now` is in seconds since 1970-01-01 00:00
    /// UTC.
    init?(parsing field: String, at now: Int) {
        // RFC 6265bis §5.6: ignore a cookie that contains a control character.
        guard !field.utf8.contains(where: { ASCII.isControl($0) && $0 != ASCII.tab }) else { return nil }
        let parts = Array(field.utf8).split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        // RFC 6265 §5.2: ignore a pair without "=" or with an empty name.
        guard let pair = parts.first, let (name, value) = Self.nameAndValue(pair), let value, !name.isEmpty else {
            return nil
        }
        guard name.utf8.count + value.utf8.count <= Self.maximumBytes else { return nil }
        // RFC 6265 §4.1.1 forbids white space inside. Some servers use spaces there; none use tabs.
        guard !name.utf8.contains(ASCII.tab), !value.utf8.contains(ASCII.tab) else { return nil }
        self.name = name
        self.value = value
        for part in parts.dropFirst() {
            guard let (name, value) = Self.nameAndValue(part) else { continue }
            take(attribute: ASCII.lowercased(name), value ?? "", at: now)
        }
    }

    /// RFC 6265 §5.2.1 to §5.2.6; the last occurrence of an attribute wins.
    private mutating func take(attribute: String, _ value: String, at now: Int) {
        guard value.utf8.count <= Self.maximumAttributeBytes else { return }
        switch attribute {
        case "expires":
            if let seconds = CookieDate.seconds(parsing: value) { dateExpiry = seconds }
        case "max-age":
            if let expiry = Self.expiry(maximumAge: value, at: now) { maximumAgeExpiry = expiry }
        case "domain":
            let name = value.utf8.first == UInt8(ascii: ".") ? String(value.dropFirst()) : value
            // RFC 6265bis §5.6.3: an empty domain is ignored.
            domain = name.isEmpty ? nil : ASCII.lowercased(name)
        case "path":
            path = value.utf8.first == UInt8(ascii: "/") ? value : nil
        case "secure":
            isSecure = true
        case "httponly":
            isHTTPOnly = true
        default:
            break
        }
    }

    /// RFC 6265 §5.2.2: digits with an optional minus sign. An age of zero or less means the earliest possible time.
    private static func expiry(maximumAge text: String, at now: Int) -> Int? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = isNegative ? Substring(text.utf8.dropFirst()) : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy(ASCII.isDigit) else { return nil }
        // More digits than an Int can hold.
        let seconds = isNegative ? 0 : Int(digits) ?? .max
        guard seconds > 0 else { return .min }
        let (expiry, isTooLate) = now.addingReportingOverflow(seconds)
        return isTooLate ? .max : expiry
    }

    private static func nameAndValue(_ bytes: ArraySlice<UInt8>) -> (name: String, value: String?)? {
        let sign = bytes.firstIndex(of: UInt8(ascii: "="))
        let name = ASCII.trimmed(bytes[..<(sign ?? bytes.endIndex)])
        guard let sign else { return (String(decoding: name, as: UTF8.self), nil) }
        let value = ASCII.trimmed(bytes[(sign + 1)...])
        return (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    }
}
