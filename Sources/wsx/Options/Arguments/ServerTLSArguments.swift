/// What was typed about TLS with clients.
struct ServerTLSArguments: Equatable, Sendable {
    /// The path of a file, and the next.
    var certificate: String?
    var key: String?
    /// As typed: the passphrase, `@FILE` or `env:NAME`.
    var passphrase: String?
    var isSelfSigned = false
    /// The path of a file or directory.
    var clientAuthorities: String?

    /// Whether TLS is used.
    var isUsed: Bool { certificate != nil || isSelfSigned }
}
