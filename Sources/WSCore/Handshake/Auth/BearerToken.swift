/// A token that lets its bearer in (RFC 6750).
public struct BearerToken: Equatable, Sendable {
    /// The token: visible ASCII.
    public let text: String

    /// Takes a token, or throws ``BearerTokenError``.
    public init(_ text: String) throws(BearerTokenError) {
        // RFC 6750 §2.1: letters, digits and a few signs; servers are known to use others, but none a space.
        guard !text.isEmpty, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { throw .notVisibleASCII }
        self.text = text
    }

    /// The value of the Authorization field.
    public var authorization: String { "Bearer " + text }
}

/// Why a text cannot be a bearer token.
public enum BearerTokenError: Error, Equatable, CustomStringConvertible {
    /// It is empty, or has a space or another character that is not visible ASCII.
    case notVisibleASCII

    /// Why.
    public var description: String { "a token is not empty and consists of visible ASCII characters" }
}
