import CommandLine
import Peer
import UserInterface
import WSCore

extension HTTPProxyArguments {
    static let authorityOption = OptionSpecification<HTTPProxyArguments>(
        "proxy-ca", value: OptionValue("DIR", .directory), heading: .proxy,
        summary: "Directory of the proxy's authority",
        manual: """
            Keep the authority of the HTTP proxy in *DIR*, as `ca.pem` and `ca.key`, which are created if both are \
            missing. The default is `~/.local/state/wsx/ca`. See THE AUTHORITY.
            """,
        example: "wsx relay --proxy-ca ./ca 8080", seeAlso: ["print-ca", "intercept"]
    ) { arguments, value throws(ValueProblem) in
        guard !value.isEmpty else { throw .unusable(words: "it is empty; write a directory") }
        arguments.authorityDirectory = value
    }

    /// - Parameter others: The other options of the command.
    static func printingOption(
        besides others: [OptionSpecification<RelayArguments>]
    ) -> OptionSpecification<HTTPProxyArguments> {
        OptionSpecification(
            "print-ca",
            conflicts: others.map(\.description.long).filter { $0 != "proxy-ca" }.map { OptionReference($0) },
            heading: .proxy, summary: "Print the proxy's authority in PEM",
            manual: """
                Print the certificate of the HTTP proxy's authority in PEM, and start nothing. The authority is created if \
                there is none. No other option but `--proxy-ca` may be given. See THE AUTHORITY.
                """,
            example: "wsx relay --print-ca", seeAlso: ["proxy-ca"]
        ) { arguments, _ in arguments.printsAuthority = true }
    }
}

extension ListenArguments {
    /// The certificate of the proxy's authority, if only that is asked for.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package func printedAuthority(_ environment: (String) -> String?) throws(Failure) -> String? {
        guard case .relay(let relay) = mode, relay.proxy.printsAuthority else { return nil }
        try checkRelay(isLocal: true, hasPort: true)
        return String(decoding: try relay.proxy.authority(environment).certificate, as: UTF8.self)
    }
}

extension HTTPProxyArguments {
    /// Reads or creates the authority.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    func authority(_ environment: (String) -> String?) throws(Failure) -> CertificateAuthority {
        try AuthorityFiles(in: authorityDirectory, environment: environment).authority()
    }
}
