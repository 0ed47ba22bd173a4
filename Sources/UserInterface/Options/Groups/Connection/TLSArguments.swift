import CommandLine
import WSCore

/// The options of a client for TLS.
package struct TLSArguments: Equatable, Sendable {
    /// The path of a file or directory.
    package var authorities: String?
    /// The path of a PEM or PKCS #12 file.
    package var certificate: String?
    /// The path of a PEM file.
    package var key: String?
    /// As typed: the passphrase, `@FILE`, or `env:NAME`.
    package var passphrase: String?
    package var isInsecure = false
    package var pins: [TLSPin] = []
    package var serverName: String?
    package var minimumVersion = TLSVersion.tls12

    /// Whether any of the options was given.
    package var areGiven: Bool { self != TLSArguments() }

    package static let options: [OptionSpecification<TLSArguments>] = [
        OptionSpecification(
            "ca", value: OptionValue("PATH", .file), heading: .tls,
            summary: "Trust only these CA certificates",
            manual: """
                Trust the CA certificates in *PATH*, a PEM file or a directory of PEM files, instead of the system's. \
                The option also applies to an `https` proxy. If files in the directory have hash names, as `openssl \
                rehash` creates them, only those are read.
                """,
            example: "--ca internal-ca.pem", seeAlso: ["pin", "insecure"], aliases: ["cacert"]
        ) { arguments, value in arguments.authorities = value },
        OptionSpecification(
            "cert", value: OptionValue("FILE", .file), heading: .tls,
            summary: "Use this client certificate",
            manual: """
                Authenticate to the server with the client certificate in *FILE*: a PEM file with the certificate \
                first, followed by any intermediate certificates, or a PKCS #12 file (`.p12`, `.pfx`). The private \
                key is in the same file unless `--key` names another. The certificate is sent when the server \
                requests it, with TLS 1.3 also after the handshake, but not after a redirect to another host or port.
                """,
            example: "--cert client.pem", seeAlso: ["key", "passphrase"]
        ) { arguments, value in arguments.certificate = value },
        OptionSpecification(
            "key", value: OptionValue("FILE", .file), requires: ["cert"], heading: .tls,
            summary: "Read the private key for --cert from FILE",
            manual: """
                Read the private key for `--cert` from the PEM file *FILE*. A PKCS #12 file contains the key itself.
                """,
            example: "--cert client.pem --key client.key", seeAlso: ["cert"]
        ) { arguments, value in arguments.key = value },
        .passphrase(\.passphrase, requires: ["cert"], example: "--cert client.p12 --passphrase env:P12_PASSPHRASE"),
        OptionSpecification(
            "insecure", "k", heading: .tls,
            summary: "Do not verify certificates",
            manual: """
                Accept any certificate from the server and from an `https` proxy, and print a warning: anyone on the \
                path can then read and change the traffic. `--pin` is still enforced.
                """,
            seeAlso: ["pin"],
            aliases: ["no-check"]
        ) { arguments, _ in arguments.isInsecure = true },
        OptionSpecification(
            "pin", value: OptionValue("PIN"), repetition: .adds, heading: .tls,
            summary: "Require this public key: sha256//BASE64",
            manual: """
                Accept the server only if its public key matches *PIN*: `sha256//` and the SHA-256 hash of the key in \
                Base64. If the option is repeated, one match is enough. The certificate is also verified, unless \
                `--insecure` is given. `wsx connect -v` shows a server's pin.
                """,
            example: "--pin sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", seeAlso: ["insecure"]
        ) { arguments, value throws(ValueProblem) in
            arguments.pins.append(try PinValue.parse(value))
        },
        OptionSpecification(
            "tls-server-name", value: OptionValue("NAME"), heading: .tls,
            summary: "Expect this name in the certificate",
            manual: """
                Send *NAME* to the server as the TLS server name (SNI), and verify the certificate for *NAME* instead \
                of the URL's host.
                """,
            example: "--tls-server-name api.example", seeAlso: ["host"]
        ) { arguments, value in arguments.serverName = value },
        OptionSpecification(
            "tls-min", value: OptionValue("VERSION", .choices(of: TLSVersionChoice.self)), default: "1.2",
            heading: .tls,
            summary: "Require at least this TLS version",
            manual: "Reject TLS versions older than *VERSION*. Versions before 1.2 are never used.",
            example: "--tls-min 1.3"
        ) { arguments, value throws(ValueProblem) in
            arguments.minimumVersion = try TLSVersionChoice.parse(value).version
        },
    ]
}

/// The options of a server for TLS.
package struct ServerTLSArguments: Equatable, Sendable {
    /// The path of a PEM or PKCS #12 file.
    package var certificate: String?
    /// The path of a PEM file.
    package var key: String?
    /// As typed: the passphrase, `@FILE`, or `env:NAME`.
    package var passphrase: String?
    package var isSelfSigned = false
    /// The path of a file or directory.
    package var clientAuthorities: String?

    package init() {}

    /// Whether TLS is used.
    package var isUsed: Bool { certificate != nil || isSelfSigned }

    package static let options: [OptionSpecification<ServerTLSArguments>] = [
        OptionSpecification(
            "tls-cert", value: OptionValue("FILE", .file), repetition: .mustAgree, conflicts: ["tls-self-signed"],
            heading: .tls,
            summary: "Serve wss:// with this certificate",
            manual: """
                Serve `wss://` with the certificate in *FILE*: a PEM file with the certificate first, followed by any \
                intermediate certificates, or a PKCS #12 file (`.p12`, `.pfx`). The private key is in the same file \
                unless `--tls-key` names another.
                """,
            example: "--tls-cert fullchain.pem --tls-key privkey.pem", seeAlso: ["tls-key", "tls-self-signed"]
        ) { arguments, value in arguments.certificate = value },
        OptionSpecification(
            "tls-key", value: OptionValue("FILE", .file), repetition: .mustAgree, conflicts: ["tls-self-signed"],
            requires: ["tls-cert"], heading: .tls,
            summary: "Read the key for --tls-cert from FILE",
            manual: "Read the private key for `--tls-cert` from the PEM file *FILE*.",
            example: "--tls-cert fullchain.pem --tls-key privkey.pem", seeAlso: ["tls-cert"]
        ) { arguments, value in arguments.key = value },
        .passphrase(
            \.passphrase, conflicts: ["tls-self-signed"], requires: ["tls-cert"],
            example: "--tls-cert server.pem --passphrase env:KEY_PASSPHRASE"),
        OptionSpecification(
            "tls-self-signed", conflicts: ["tls-cert"], heading: .tls,
            summary: "Serve wss:// with a self-signed certificate",
            manual: """
                Serve `wss://` with a self-signed certificate for `localhost` and the listening address. It exists \
                only in memory and is valid for 30 days. The server prints its pin: `wsx connect --insecure --pin` \
                *PIN* accepts only this certificate.
                """,
            example: "--echo --tls-self-signed", seeAlso: ["tls-cert"]
        ) { arguments, _ in arguments.isSelfSigned = true },
        OptionSpecification(
            "client-ca", value: OptionValue("PATH", .file), repetition: .mustAgree,
            requires: ["tls-cert", "tls-self-signed"],
            heading: .tls,
            summary: "Require client certificates from these CAs",
            manual: """
                Require each client to present a certificate signed by a CA in *PATH*, a file or directory as with \
                `--ca`.
                """,
            example: "--tls-cert server.pem --client-ca clients-ca.pem", seeAlso: ["tls-cert", "tls-self-signed"]
        ) { arguments, value in arguments.clientAuthorities = value },
    ]
}

/// The values of `--tls-min`.
package enum TLSVersionChoice: String, CaseIterable, OptionChoice {
    case tls12 = "1.2"
    case tls13 = "1.3"

    package var summary: String {
        switch self {
        case .tls12: "TLS 1.2 and 1.3"
        case .tls13: "only TLS 1.3"
        }
    }

    /// The oldest version to accept.
    package var version: TLSVersion {
        switch self {
        case .tls12: .tls12
        case .tls13: .tls13
        }
    }
}

extension OptionSpecification {
    /// The option for the passphrase of a private key.
    fileprivate static func passphrase(
        _ path: WritableKeyPath<Arguments, String?> & Sendable, conflicts: [OptionReference] = [],
        requires requirements: [OptionReference], example: String
    ) -> OptionSpecification {
        OptionSpecification(
            "passphrase", value: OptionValue("TEXT"), conflicts: conflicts, requires: requirements,
            startsProgram: SecretReference.isProgram, heading: .tls,
            summary: "Decrypt the private key with TEXT",
            manual: """
                Decrypt the private key or PKCS #12 file with the passphrase *TEXT*. By default, `wsx` prompts for it \
                on the terminal if it is needed.
                """, .secrets, example: example, seeAlso: requirements
        ) { arguments, value in arguments[keyPath: path] = value }
    }
}
