/// The parameters that client and server negotiated in the opening handshake.
public struct ClientUpgrade: Equatable, Sendable {
    /// The server's response.
    public let response: ResponseHead
    /// The subprotocol that the server selected, or `nil`.
    public let subprotocol: String?
    /// The extensions that the server accepted. Their parameters have not been checked.
    public let extensions: [ExtensionOffer]
}
