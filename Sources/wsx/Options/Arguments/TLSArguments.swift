import WSCore

/// What was typed about TLS with a server.
struct TLSArguments: Equatable, Sendable {
    /// The path of a file or directory.
    var authorities: String?
    /// The path of a file, and the next.
    var certificate: String?
    var key: String?
    /// As typed: the passphrase, `@FILE` or `env:NAME`.
    var passphrase: String?
    var isInsecure = false
    var pins: [TLSPin] = []
    var serverName: String?
    var minimumVersion = TLSVersion.tls12

    /// Whether anything was typed.
    var areGiven: Bool { self != TLSArguments() }
}
