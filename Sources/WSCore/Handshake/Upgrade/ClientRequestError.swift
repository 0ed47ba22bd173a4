/// Why a client cannot make a request of what it was asked for.
public enum ClientRequestError: Error, Equatable, CustomStringConvertible {
    case invalidSubprotocol(String)
    case repeatedSubprotocol(String)
    /// A field that the handshake itself sets.
    case reservedField(String)
    /// A field that can stand in a request once.
    case repeatedField(String)
    case invalidField(HeaderFieldError)

    /// Why, and what to try.
    public var description: String {
        switch self {
        case .invalidSubprotocol(let name):
            "\(quoted(name)) is not a subprotocol; use letters, digits and hyphens, without spaces"
        case .repeatedSubprotocol(let name):
            "the subprotocol \(quoted(name)) is given twice; give it once"
        case .reservedField(let name) where ASCII.areEqualIgnoringCase(name, ExtensionHeader.fieldName):
            "the field \(quoted(name)) is set by the handshake; use --compress"
        case .reservedField(let name):
            "the field \(quoted(name)) is set by the handshake; leave it out"
        case .repeatedField(let name):
            "the field \(quoted(name)) is given twice; give it once"
        case .invalidField(let error):
            error.description
        }
    }
}
