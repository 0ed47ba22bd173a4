/// A bearer token (RFC 6750).
package struct BearerToken: Equatable, Sendable {
    /// The token: nonempty visible ASCII.
    package let text: String

    /// Creates a token.
    /// - Throws: ``BearerTokenError`` if `text` is empty or contains characters other than visible ASCII.
    package init(_ text: String) throws(BearerTokenError) {
        // RFC 6750 §2.1 allows letters, digits, and `-._~+/=`. Some servers use other characters, but never spaces.
        guard !text.isEmpty, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { throw .notVisibleASCII }
        self.text = text
    }

    /// The value of the Authorization field.
    package var authorization: String { "Bearer " + text }
}

/// The reason a string is not a bearer token.
package enum BearerTokenError: Error, Equatable, CustomStringConvertible {
    /// The string is empty, or contains a space or another character that is not visible ASCII.
    case notVisibleASCII

    /// The rule that the token breaks.
    package var description: String { "a token must be one or more visible ASCII characters, without spaces" }
}
