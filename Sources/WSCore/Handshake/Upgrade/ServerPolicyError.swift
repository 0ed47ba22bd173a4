/// Why a server cannot work as it was asked to.
public enum ServerPolicyError: Error, Equatable, CustomStringConvertible {
    case invalidSubprotocol(String)
    case repeatedSubprotocol(String)
    case invalidPath(String)
    case invalidOrigin(String)
    /// An origin with an asterisk in it, which no browser's would match.
    case originPattern(String)
    /// A response field that the handshake itself sets.
    case reservedField(String)

    /// Why, and what to try.
    public var description: String {
        switch self {
        case .invalidSubprotocol(let name):
            "\(quoted(name)) is not a subprotocol; use letters, digits and hyphens, without spaces"
        case .repeatedSubprotocol(let name): "the subprotocol \(quoted(name)) is given twice; give it once"
        case .invalidPath(let path): "\(quoted(path)) is not a path; write one like /chat, without a query"
        case .invalidOrigin(let origin):
            "\(quoted(origin)) is not an origin; write https://HOST[:PORT] without a path, or *"
        case .originPattern(let origin):
            "\(quoted(origin)) is no pattern that would match; name each origin whole, or * for all of them"
        case .reservedField(let name): "the field \(quoted(name)) is set by the handshake; leave it out"
        }
    }
}
