/// What a Set-Cookie field says (RFC 6265 §5.2).
struct SetCookie: Equatable {
    /// The bytes that name and value may have together (RFC 6265bis §5.6).
    static let maximumBytes = 4096
    /// The bytes that the value of an attribute may have (RFC 6265bis §5.6).
    static let maximumAttributeBytes = 1024

    let name: String
    let value: String
    /// The domain in lower case without a dot in front, if there is one.
    private(set) var domain: String?
    /// The path, if it begins with a slash.
    private(set) var path: String?
    private(set) var isSecure = false
    /// Seconds since the beginning of 1970, by Max-Age or else Expires.
    var expiry: Int? { maximumAgeExpiry ?? dateExpiry }

    private var maximumAgeExpiry: Int?
    private var dateExpiry: Int?

    /// Reads the field's value; nil when a browser would take no cookie from it. `now` is in seconds since 1970.
    init?(parsing field: String, at now: Int) {
        // RFC 6265bis §5.6: a cookie with a control character is dropped as a whole.
        guard !field.utf8.contains(where: { ASCII.isControl($0) && $0 != ASCII.tab }) else { return nil }
        let parts = Array(field.utf8).split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        // RFC 6265 §5.2: a pair without "=", or with an empty name, sets nothing.
        guard let pair = parts.first, let (name, value) = Self.nameAndValue(pair), let value, !name.isEmpty else {
            return nil
        }
        guard name.utf8.count + value.utf8.count <= Self.maximumBytes else { return nil }
        // RFC 6265 §4.1.1: no white space but around them. Spaces inside are known to be used; tabs are not.
        guard !name.utf8.contains(ASCII.tab), !value.utf8.contains(ASCII.tab) else { return nil }
        self.name = name
        self.value = value
        for part in parts.dropFirst() {
            guard let (name, value) = Self.nameAndValue(part) else { continue }
            take(attribute: ASCII.lowercased(name), value ?? "", at: now)
        }
    }

    /// RFC 6265 §5.2.1 to §5.2.6; of attributes that are repeated the last one counts.
    private mutating func take(attribute: String, _ value: String, at now: Int) {
        guard value.utf8.count <= Self.maximumAttributeBytes else { return }
        switch attribute {
        case "expires":
            if let seconds = CookieDate.seconds(parsing: value) { dateExpiry = seconds }
        case "max-age":
            if let expiry = Self.expiry(maximumAge: value, at: now) { maximumAgeExpiry = expiry }
        case "domain":
            let name = value.utf8.first == UInt8(ascii: ".") ? String(value.dropFirst()) : value
            // RFC 6265bis §5.6.3: an empty one is none.
            domain = name.isEmpty ? nil : ASCII.lowercased(name)
        case "path":
            path = value.utf8.first == UInt8(ascii: "/") ? value : nil
        case "secure":
            isSecure = true
        default:
            break
        }
    }

    /// RFC 6265 §5.2.2: digits, perhaps after a minus sign; no age at all is the distant past.
    private static func expiry(maximumAge text: String, at now: Int) -> Int? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = isNegative ? Substring(text.utf8.dropFirst()) : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy(ASCII.isDigit) else { return nil }
        // Of digits alone that are no Int there are too many.
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
