/// The reason a server's settings are invalid.
public enum ServerPolicyError: Error, Equatable, CustomStringConvertible {
    /// The name is not a token.
    case invalidSubprotocol(String)
    /// The subprotocol is given more than once.
    case repeatedSubprotocol(String)
    /// The path is not absolute, or contains a query, a fragment, a space, a control character, or a malformed escape.
    case invalidPath(String)
    /// The text is not an origin.
    case invalidOrigin(String)
    /// The origin contains an asterisk, so it would match no browser's origin.
    case originPattern(String)
    /// The handshake itself sets this response field.
    case reservedField(String)

    /// The reason and the remedy.
    public var description: String {
        switch self {
        case .invalidSubprotocol(let name):
            "\(quoted(name)) is not a subprotocol; use letters, digits, and hyphens, without spaces"
        case .repeatedSubprotocol(let name): "the subprotocol \(quoted(name)) is repeated; name it once"
        case .invalidPath(let path): "\(quoted(path)) is not a path; write one like /chat, without a query"
        case .invalidOrigin(let origin):
            "\(quoted(origin)) is not an origin; write https://HOST[:PORT] without a path, or *"
        case .originPattern(let origin):
            "\(quoted(origin)) would never match, because origins have no wildcards; list each origin, or use * for all"
        case .reservedField(let name): "the handshake itself sets the header \(quoted(name)); omit it"
        }
    }
}
