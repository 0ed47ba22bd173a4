/// The negotiated parameters of permessage-deflate (RFC 7692 §7.1).
package struct DeflateParameters: Equatable, Sendable {
    /// Whether the server compresses each message without references to earlier ones.
    package var serverNoContextTakeover: Bool
    /// Whether the client compresses each message without references to earlier ones.
    package var clientNoContextTakeover: Bool
    /// The base-2 logarithm of the server's window size in bytes, 8 to 15.
    package var serverMaxWindowBits: Int
    /// The base-2 logarithm of the client's window size in bytes, 8 to 15.
    package var clientMaxWindowBits: Int

    /// The registered name of the extension (RFC 7692 §8.1).
    package static let extensionName = "permessage-deflate"
    /// The permitted base-2 logarithms of the window size in bytes (RFC 7692 §7.1.2).
    package static let windowBitsRange = 8...15

    /// Creates parameters. The defaults are those of an answer without parameters.
    package init(
        serverNoContextTakeover: Bool = false, clientNoContextTakeover: Bool = false, serverMaxWindowBits: Int = 15,
        clientMaxWindowBits: Int = 15
    ) {
        self.serverNoContextTakeover = serverNoContextTakeover
        self.clientNoContextTakeover = clientNoContextTakeover
        self.serverMaxWindowBits = serverMaxWindowBits
        self.clientMaxWindowBits = clientMaxWindowBits
    }

    /// The parameters for messages sent by `role`.
    func direction(from role: Role) -> (windowBits: Int, keepsContext: Bool) {
        switch role {
        case .client: (clientMaxWindowBits, !clientNoContextTakeover)
        case .server: (serverMaxWindowBits, !serverNoContextTakeover)
        }
    }
}
