/// The reason a request cannot be created.
package enum ClientRequestError: Error, Equatable, CustomStringConvertible {
    /// The name is not a token. A secret is masked.
    case invalidSubprotocol(String)
    /// The subprotocol is requested more than once. A secret is masked.
    case repeatedSubprotocol(String)
    /// The handshake itself sets this field.
    case reservedField(String)
    /// A request can contain this field only once.
    case repeatedField(String)
    /// The field is malformed.
    case invalidField(HeaderFieldError)

    /// The reason and the remedy.
    package var description: String {
        switch self {
        case .invalidSubprotocol(let name):
            "\(quoted(name)) is not a subprotocol; use letters, digits, and hyphens, without spaces"
        case .repeatedSubprotocol(let name):
            "the subprotocol \(quoted(name)) is repeated; name it once"
        case .reservedField(let name) where ASCII.areEqualIgnoringCase(name, ExtensionHeader.fieldName):
            "the handshake itself sets the header \(quoted(name)); use --compress"
        case .reservedField(let name):
            "the handshake itself sets the header \(quoted(name)); omit it"
        case .repeatedField(let name):
            "the header \(quoted(name)) is repeated; set it once"
        case .invalidField(let error):
            error.description
        }
    }
}
