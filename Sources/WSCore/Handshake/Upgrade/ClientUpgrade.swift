/// What a client and a server agreed on in the opening handshake.
public struct ClientUpgrade: Equatable, Sendable {
    /// The server's answer.
    public let response: ResponseHead
    /// The subprotocol that the server chose among those requested.
    public let subprotocol: String?
    /// The extensions that the server accepted among those offered; their parameters are the extension's to check.
    public let extensions: [ExtensionOffer]
}
