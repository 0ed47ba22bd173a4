import CommandLine
import WSCore

/// The options for TLS with a server.
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

    static let options: [OptionSpecification<TLSArguments>] = [
        OptionSpecification(
            "ca", value: OptionValue("PATH", .file), heading: .tls,
            summary: "Trust these authorities and no others",
            manual: """
                Trust the certificates in the PEM file *PATH*, or in the PEM files of the directory *PATH*, and not those \
                of the system. Where `openssl rehash` has been there, files are read as they are needed, and those \
                without a hash in their name are not. Holds for an `https` proxy, too.
                """
        ) { arguments, value in arguments.authorities = value },
        OptionSpecification(
            "cert", value: OptionValue("FILE", .file), heading: .tls,
            summary: "Show this certificate to the server",
            manual: """
                Show the server the certificate in the PEM file *FILE*, with those that lead from it to an authority \
                after it. Its private key is in the same file unless `--key` names another. A server on another host or \
                port, to which a redirect leads, is not shown it.
                """
        ) { arguments, value in arguments.certificate = value },
        OptionSpecification(
            "key", value: OptionValue("FILE", .file), requires: ["cert"], heading: .tls,
            summary: "The private key of --cert",
            manual: "Read the private key of `--cert` from the PEM file *FILE*."
        ) { arguments, value in arguments.key = value },
        .passphrase(\.passphrase, requires: ["cert"]),
        OptionSpecification(
            "insecure", "k", heading: .tls,
            summary: "Do not verify certificates",
            manual: """
                Accept any certificate, of the server and of an `https` proxy, which lets anybody in between read and \
                change everything. A warning says so. `--pin` still holds.
                """
        ) { arguments, _ in arguments.isInsecure = true },
        OptionSpecification(
            "pin", value: OptionValue("PIN"), repeatable: true, heading: .tls,
            summary: "Accept only this key: sha256//BASE64",
            manual: """
                Accept the server only if the SHA-256 of its public key is *PIN*, which is `sha256//` and the hash in \
                Base64, or one of several. Its certificate is verified besides, unless `--insecure` is given. `-v` \
                shows a server's pin.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.pins.append(try PinValue.parse(value))
        },
        OptionSpecification(
            "tls-server-name", value: OptionValue("NAME"), heading: .tls,
            summary: "Expect this name in the certificate",
            manual: "Ask the server for the certificate of *NAME*, and verify that name in place of the URL's host."
        ) { arguments, value in arguments.serverName = value },
        OptionSpecification(
            "tls-min", value: OptionValue("VERSION", .choices(of: TLSVersionChoice.self)), default: "1.2",
            heading: .tls,
            summary: "Accept no older version: 1.2 or 1.3",
            manual: "Refuse to speak a version of TLS older than *VERSION*. Versions before 1.2 are never spoken."
        ) { arguments, value throws(ValueProblem) in
            arguments.minimumVersion = try TLSVersionChoice.parse(value).version
        },
    ]
}

/// The options for TLS with clients.
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

    static let options: [OptionSpecification<ServerTLSArguments>] = [
        OptionSpecification(
            "tls-cert", value: OptionValue("FILE", .file), singular: true, conflicts: ["tls-self-signed"],
            heading: .tls,
            summary: "Serve wss:// with this certificate",
            manual: """
                Serve `wss://` with the certificate in the PEM file *FILE*, with those that lead from it to an \
                authority after it. Its private key is in the same file unless `--tls-key` names another.
                """
        ) { arguments, value in arguments.certificate = value },
        OptionSpecification(
            "tls-key", value: OptionValue("FILE", .file), singular: true, conflicts: ["tls-self-signed"],
            requires: ["tls-cert"], heading: .tls,
            summary: "The private key of --tls-cert",
            manual: "Read the private key of `--tls-cert` from the PEM file *FILE*."
        ) { arguments, value in arguments.key = value },
        .passphrase(\.passphrase, conflicts: ["tls-self-signed"], requires: ["tls-cert"]),
        OptionSpecification(
            "tls-self-signed", conflicts: ["tls-cert"], heading: .tls,
            summary: "Serve wss:// with a certificate of its own",
            manual: """
                Serve `wss://` with a certificate for `localhost` and the address that is listened on, which is made \
                in memory and good for 30 days. Its pin is printed: `wsx connect --insecure --pin` *PIN* accepts it \
                and no other.
                """
        ) { arguments, _ in arguments.isSelfSigned = true },
        OptionSpecification(
            "client-ca", value: OptionValue("PATH", .file), singular: true, requires: ["tls-cert", "tls-self-signed"],
            heading: .tls,
            summary: "Let in only clients with its certificates",
            manual: """
                Demand a certificate of each client, signed by an authority in the PEM file *PATH*, or in the PEM files \
                of the directory *PATH*. Where `openssl rehash` has been there, files without a hash in their name are \
                not read.
                """
        ) { arguments, value in arguments.clientAuthorities = value },
    ]
}

/// The versions of TLS that one can insist on.
enum TLSVersionChoice: String, CaseIterable, OptionChoice {
    case tls12 = "1.2"
    case tls13 = "1.3"

    var summary: String {
        switch self {
        case .tls12: "TLS 1.2 and 1.3"
        case .tls13: "TLS 1.3 alone"
        }
    }

    /// The version.
    var version: TLSVersion {
        switch self {
        case .tls12: .tls12
        case .tls13: .tls13
        }
    }
}

extension OptionSpecification {
    /// The option for the passphrase of `--key` and `--tls-key`.
    fileprivate static func passphrase(
        _ path: WritableKeyPath<Arguments, String?> & Sendable, conflicts: [OptionReference] = [],
        requires requirements: [OptionReference]
    ) -> OptionSpecification {
        OptionSpecification(
            "passphrase", value: OptionValue("TEXT"), conflicts: conflicts, requires: requirements, heading: .tls,
            summary: "The passphrase of the private key",
            manual: """
                Decrypt the private key with this passphrase. Without this option, `wsx` asks for it on the terminal if the \
                key is encrypted.
                """, .secrets
        ) { arguments, value in arguments[keyPath: path] = value }
    }
}
