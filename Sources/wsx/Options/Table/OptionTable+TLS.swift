extension OptionTable {
    /// TLS with a server.
    static let tls = [
        OptionSpecification(
            "ca", value: OptionValue("PATH", .file), group: .tls,
            summary: "Trust these authorities and no others",
            manual: """
                Trust the certificates in the PEM file *PATH*, or in the PEM files of the directory *PATH*, and not those \
                of the system. Where `openssl rehash` has been there, files are read as they are needed, and those \
                without a hash in their name are not. Holds for an `https` proxy, too.
                """,
            effect: .update(.client { arguments, value in arguments.tls.authorities = value })),
        OptionSpecification(
            "cert", value: OptionValue("FILE", .file), group: .tls,
            summary: "Show this certificate to the server",
            manual: """
                Show the server the certificate in the PEM file *FILE*, with those that lead from it to an authority \
                after it. Its private key is in the same file unless `--key` names another. A server on another host or \
                port, to which a redirect leads, is not shown it.
                """,
            effect: .update(.client { arguments, value in arguments.tls.certificate = value })),
        OptionSpecification(
            "key", value: OptionValue("FILE", .file), requires: ["cert"], group: .tls,
            summary: "The private key of --cert",
            manual: "Read the private key of `--cert` from the PEM file *FILE*.",
            effect: .update(.client { arguments, value in arguments.tls.key = value })),
        passphrase(requires: ["cert"], .update(.client { arguments, value in arguments.tls.passphrase = value })),
        OptionSpecification(
            "insecure", "k", group: .tls,
            summary: "Do not verify certificates",
            manual: """
                Accept any certificate, of the server and of an `https` proxy, which lets anybody in between read and \
                change everything. A warning says so. `--pin` still holds.
                """,
            effect: .update(.client { arguments, _ in arguments.tls.isInsecure = true })),
        OptionSpecification(
            "pin", value: OptionValue("PIN"), repeatable: true, group: .tls,
            summary: "Accept only this key: sha256//BASE64",
            manual: """
                Accept the server only if the SHA-256 of its public key is *PIN*, which is `sha256//` and the hash in \
                Base64, or one of several. Its certificate is verified besides, unless `--insecure` is given. `-v` \
                shows a server's pin.
                """,
            effect: .update(
                .client { arguments, value throws(ValueProblem) in
                    arguments.tls.pins.append(try PinValue.parse(value))
                })),
        OptionSpecification(
            "tls-server-name", value: OptionValue("NAME"), group: .tls,
            summary: "Expect this name in the certificate",
            manual: "Ask the server for the certificate of *NAME*, and verify that name in place of the URL's host.",
            effect: .update(.client { arguments, value in arguments.tls.serverName = value })),
        OptionSpecification(
            "tls-min", value: OptionValue("VERSION", .choices(of: TLSVersionChoice.self)), default: "1.2", group: .tls,
            summary: "Accept no older version: 1.2 or 1.3",
            manual: "Refuse to speak a version of TLS older than *VERSION*. Versions before 1.2 are never spoken.",
            effect: .update(
                .client { arguments, value throws(ValueProblem) in
                    arguments.tls.minimumVersion = try TLSVersionChoice.parse(value).version
                })),
    ]

    /// The option for the passphrase of `--key` and `--tls-key`.
    static func passphrase(
        conflicts: [OptionReference] = [], requires requirements: [OptionReference] = [], _ effect: OptionEffect
    ) -> OptionSpecification {
        OptionSpecification(
            "passphrase", value: OptionValue("TEXT"), conflicts: conflicts, requires: requirements, group: .tls,
            summary: "The passphrase of the private key",
            manual: """
                Decrypt the private key with this passphrase. Without this option, `wsx` asks for it on the terminal if the \
                key is encrypted.
                """, secrets,
            effect: effect)
    }
}
