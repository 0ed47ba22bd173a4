/// One HTTP header field: a name and a value that are safe to write into a head.
public struct HeaderField: Equatable, Sendable {
    /// The name: a token, in the case in which it came.
    public let name: String
    /// The value: without white space around it and without control characters but HTAB. Where what came is not UTF-8,
    /// it has U+FFFD in it.
    public let value: String
    /// The value as it came where that is not UTF-8 (RFC 9110 §5.5: obs-text); nil: it is that of ``value``.
    private let opaqueValue: [UInt8]?

    /// Takes a name and a value, trimmed of white space, or throws ``HeaderFieldError``.
    public init(name: String, value: String) throws(HeaderFieldError) {
        // RFC 9110 §5.1: a field name is a token.
        guard ASCII.isToken(name) else { throw .invalidName(name) }
        // RFC 9110 §5.5: CR, LF and NUL in a value would end it, and other controls have no meaning in it.
        guard value.utf8.allSatisfy({ $0 == ASCII.tab || !ASCII.isControl($0) }) else {
            throw .controlCharacterInValue(name: name)
        }
        self.init(wellFormedName: name, value: ASCII.trimmed(value))
    }

    /// Takes a line of the form `Name: value`, as the option `-H` has it, or throws ``HeaderFieldError``.
    public init(parsing line: String) throws(HeaderFieldError) {
        guard let colon = line.utf8.firstIndex(of: ASCII.colon) else { throw .missingColon }
        try self.init(
            name: String(line[..<colon]),
            value: String(line[line.utf8.index(after: colon)...]))
    }

    /// Takes what is known to be a token and a trimmed value without control characters.
    public init(wellFormedName name: String, value: String) {
        self.name = name
        self.value = value
        opaqueValue = nil
    }

    /// Takes what came as a token and a trimmed value without control characters, which need not be UTF-8.
    init(wellFormedName name: String, bytes: [UInt8]) {
        self.name = name
        value = String(decoding: bytes, as: UTF8.self)
        opaqueValue = UTF8Validator.isValid(bytes.span.bytes) ? nil : bytes
    }

    /// The value byte for byte.
    public var valueBytes: [UInt8] { opaqueValue ?? Array(value.utf8) }

    /// Whether the field has this name, whatever the case of its letters.
    public func isNamed(_ name: String) -> Bool {
        ASCII.areEqualIgnoringCase(self.name, name)
    }

    /// The line of the head, with CRLF.
    var line: String { "\(name): \(value)\r\n" }
}

/// Why something is not a header field; without its value, which may be a secret.
public enum HeaderFieldError: Error, Equatable, CustomStringConvertible {
    case missingColon
    case invalidName(String)
    case controlCharacterInValue(name: String)

    /// Why, and what to try.
    public var description: String {
        switch self {
        case .missingColon:
            "there is no colon; write 'Name: value'"
        case .invalidName(let name):
            """
            \(quoted(Self.beginning(ofInvalidName: name))) is not a header field name; use letters, digits and hyphens, \
            and no space before the colon
            """
        case .controlCharacterInValue(let name):
            "the value of \(quoted(name)) contains a control character; remove line breaks and the like"
        }
    }

    /// Up to the first character that no name can have: of a line whose first colon is that of a secret, what follows
    /// is not to be shown.
    private static func beginning(ofInvalidName name: String) -> String {
        let length = name.unicodeScalars.prefix { ASCII.isToken(String($0)) }.count
        return String(String.UnicodeScalarView(name.unicodeScalars.prefix(length + 1)))
    }
}
