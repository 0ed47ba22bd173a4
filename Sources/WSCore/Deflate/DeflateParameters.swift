/// What both ends have agreed on for permessage-deflate (RFC 7692 §7.1).
public struct DeflateParameters: Equatable, Sendable {
    /// Whether the server compresses each message by itself, without reference to those before.
    public var serverNoContextTakeover: Bool
    /// Whether the client does.
    public var clientNoContextTakeover: Bool
    /// How far back the server refers at most, as a power of 2 in bytes, 8 through 15.
    public var serverMaxWindowBits: Int
    /// How far back the client refers at most, as a power of 2 in bytes, 8 through 15.
    public var clientMaxWindowBits: Int

    /// The registered name of the extension (RFC 7692 §8.1).
    public static let extensionName = "permessage-deflate"
    /// The window sizes that DEFLATE has, as powers of 2 in bytes (RFC 7692 §7.1.2).
    public static let windowBitsRange = 8...15

    /// Takes what was agreed on; the default is what stands without any parameter.
    public init(
        serverNoContextTakeover: Bool = false, clientNoContextTakeover: Bool = false, serverMaxWindowBits: Int = 15,
        clientMaxWindowBits: Int = 15
    ) {
        self.serverNoContextTakeover = serverNoContextTakeover
        self.clientNoContextTakeover = clientNoContextTakeover
        self.serverMaxWindowBits = serverMaxWindowBits
        self.clientMaxWindowBits = clientMaxWindowBits
    }

    /// What an end of `role` holds to when it compresses, and the peer when it decompresses.
    func direction(from role: Role) -> (windowBits: Int, keepsContext: Bool) {
        switch role {
        case .client: (clientMaxWindowBits, !clientNoContextTakeover)
        case .server: (serverMaxWindowBits, !serverNoContextTakeover)
        }
    }
}
