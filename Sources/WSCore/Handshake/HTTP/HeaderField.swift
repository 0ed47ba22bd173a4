/// An HTTP header field with a name and value that are safe to write into a head.
package struct HeaderField: Equatable, Sendable {
    /// The name: a token in its original case.
    package let name: String
    /// The value, without surrounding white space and without control characters except HTAB. Invalid UTF-8 is replaced
    /// with U+FFFD.
    package let value: String
    /// The original bytes of a value that is not UTF-8 (RFC 9110 §5.5: obs-text), or `nil` for other values.
    private let opaqueValue: [UInt8]?

    /// Creates a field. Trims white space around the value.
    /// - Throws: ``HeaderFieldError`` if the name is not a token or the value contains control characters.
    package init(name: String, value: String) throws(HeaderFieldError) {
        // RFC 9110 §5.1: a field name is a token.
        guard ASCII.isToken(name) else { throw .invalidName(name) }
        // RFC 9110 §5.5: CR, LF, and NUL would end the value, and other control characters have no meaning in it.
        guard value.utf8.allSatisfy({ $0 == ASCII.tab || !ASCII.isControl($0) }) else {
            throw .controlCharacterInValue(name: name)
        }
        self.init(wellFormedName: name, value: ASCII.trimmed(value))
    }

    /// Parses a line of the form `Name: value`, as used with the option `-H`.
    /// - Throws: ``HeaderFieldError``.
    package init(parsing line: String) throws(HeaderFieldError) {
        guard let colon = line.utf8.firstIndex(of: ASCII.colon) else { throw .missingColon }
        try self.init(
            name: String(line[..<colon]),
            value: String(line[line.utf8.index(after: colon)...]))
    }

    /// Creates a field without checks. The name must be a token, and the value trimmed and free of control characters.
    package init(wellFormedName name: String, value: String) {
        self.name = name
        self.value = value
        opaqueValue = nil
    }

    /// Creates a received field without checks. The value must be trimmed and free of control characters, but need not
    /// be UTF-8.
    init(wellFormedName name: String, bytes: [UInt8]) {
        self.name = name
        value = String(decoding: bytes, as: UTF8.self)
        opaqueValue = UTF8Validator.isValid(bytes.span.bytes) ? nil : bytes
    }

    /// The original bytes of the value.
    package var valueBytes: [UInt8] { opaqueValue ?? Array(value.utf8) }

    /// Appends the original bytes of the value.
    func appendValue(to bytes: inout [UInt8]) {
        if let opaqueValue { bytes += opaqueValue } else { bytes.append(value) }
    }

    /// Whether the field has this name, ignoring case.
    package func isNamed(_ name: String) -> Bool {
        ASCII.areEqualIgnoringCase(self.name, name)
    }

    /// The field with its name in lower case, as HTTP/2 requires (RFC 9113 §8.2).
    var lowercased: HeaderField { HeaderField(wellFormedName: ASCII.lowercased(name), bytes: valueBytes) }

    /// The field's line in a head, including CRLF.
    var line: String { name + ": " + value + "\r\n" }
}

/// The reason a text is not a header field. Does not include the value, which may be a secret.
package enum HeaderFieldError: Error, Equatable, CustomStringConvertible {
    /// The line has no colon.
    case missingColon
    /// The name is not a token.
    case invalidName(String)
    /// The value contains a control character other than HTAB.
    case controlCharacterInValue(name: String)

    /// The reason and the remedy.
    package var description: String {
        switch self {
        case .missingColon:
            "there is no colon; write 'Name: value'"
        case .invalidName(let name):
            """
            \(quoted(Self.beginning(ofInvalidName: name))) is not a header name; use letters, digits, and hyphens, \
            without a space before the colon
            """
        case .controlCharacterInValue(let name):
            "the value of \(quoted(name)) contains a control character; remove line breaks and the like"
        }
    }

    /// The name up to its first invalid character. The rest must not be shown: the first colon of the line may belong to
    /// a secret.
    private static func beginning(ofInvalidName name: String) -> String {
        let length = name.unicodeScalars.prefix { ASCII.isToken(String($0)) }.count
        return String(String.UnicodeScalarView(name.unicodeScalars.prefix(length + 1)))
    }
}
