extension OptionTable {
    /// TLS with clients.
    static let serverTLS = [
        OptionSpecification(
            "tls-cert", value: OptionValue("FILE", .file), singular: true, conflicts: ["tls-self-signed"], group: .tls,
            summary: "Serve wss:// with this certificate",
            manual: """
                Serve `wss://` with the certificate in the PEM file *FILE*, with those that lead from it to an \
                authority after it. Its private key is in the same file unless `--tls-key` names another.
                """,
            effect: .update(.listen { arguments, value in arguments.tls.certificate = value })),
        OptionSpecification(
            "tls-key", value: OptionValue("FILE", .file), singular: true, conflicts: ["tls-self-signed"],
            requires: ["tls-cert"], group: .tls,
            summary: "The private key of --tls-cert",
            manual: "Read the private key of `--tls-cert` from the PEM file *FILE*.",
            effect: .update(.listen { arguments, value in arguments.tls.key = value })),
        passphrase(
            conflicts: ["tls-self-signed"], requires: ["tls-cert"],
            .update(.listen { arguments, value in arguments.tls.passphrase = value })),
        OptionSpecification(
            "tls-self-signed", conflicts: ["tls-cert"], group: .tls,
            summary: "Serve wss:// with a certificate of its own",
            manual: """
                Serve `wss://` with a certificate for `localhost` and the address that is listened on, which is made \
                in memory and good for 30 days. Its pin is printed: `wsx connect --insecure --pin` *PIN* accepts it \
                and no other.
                """,
            effect: .update(.listen { arguments, _ in arguments.tls.isSelfSigned = true })),
        OptionSpecification(
            "client-ca", value: OptionValue("PATH", .file), singular: true, requires: ["tls-cert", "tls-self-signed"],
            group: .tls,
            summary: "Let in only clients with its certificates",
            manual: """
                Demand a certificate of each client, signed by an authority in the PEM file *PATH*, or in the PEM files \
                of the directory *PATH*. Where `openssl rehash` has been there, files without a hash in their name are \
                not read.
                """,
            effect: .update(.listen { arguments, value in arguments.tls.clientAuthorities = value })),
    ]
}
