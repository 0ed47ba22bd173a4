import CommandLine
import UserInterface

/// The options that admit clients: origins, credentials, and limits.
package struct AccessArguments: Equatable, Sendable {
    /// Origins allowed in addition to the server's own and loopback origins; `*` allows all.
    package var origins: [String] = []
    /// As typed: `USER:PASSWORD`, `@FILE`, or `env:NAME`. Any one of them, or of ``tokens``, admits a client.
    package var credentials: [String] = []
    /// As typed: a token, `@FILE`, or `env:NAME`.
    package var tokens: [String] = []
    /// 1 or more; nil: as many as the limit on open files allows.
    package var maximumConnections: Int?
    /// In bytes; nil: 256 MiB, or four times the maximum message size if that is more.
    package var maximumHeldBytes: Int?
    /// More than 0; nil: no limit.
    package var idleTimeout: Duration?

    static let options: [OptionSpecification<AccessArguments>] = [
        OptionSpecification(
            "origin", "o", value: OptionValue("ORIGIN"), repetition: .adds, heading: .access,
            summary: "Allow pages from ORIGIN, or * for all",
            manual: """
                Allow pages from *ORIGIN*, such as `https://app.example`, to connect. Pages of the server's own and of \
                loopback origins may always connect; others get 403. `*` allows every origin. See ACCESS.
                """,
            example: "--origin https://app.example", seeAlso: ["auth", "client-ca"]
        ) { arguments, value throws(ValueProblem) in
            arguments.origins.append(try OriginValue.parse(value, allAllowed: true))
        },
        OptionSpecification(
            "auth", "a", value: OptionValue("USER:PASSWORD"), repetition: .adds,
            startsProgram: SecretReference.isProgram, heading: .access,
            summary: "Require basic authentication",
            manual: """
                Require HTTP basic authentication with *USER* and *PASSWORD* for every request on the port; others get \
                401. Without TLS, the password is sent in the clear.
                """, .secrets,
            example: "--auth env:WSX_LOGIN", seeAlso: ["bearer", "tls-cert"]
        ) { arguments, value in arguments.credentials.append(value) },
        OptionSpecification(
            "bearer", value: OptionValue("TOKEN"), repetition: .adds, startsProgram: SecretReference.isProgram,
            heading: .access,
            summary: "Require a bearer token",
            manual: """
                Require the bearer token *TOKEN* (RFC 6750) for every request on the port; others get 401. Without \
                TLS, the token is sent in the clear.
                """, .secrets,
            example: "--bearer @token.txt", seeAlso: ["auth"]
        ) { arguments, value in arguments.tokens.append(value) },
        OptionSpecification(
            "max-connections", value: OptionValue("N"), heading: .limits,
            summary: "Maximum number of concurrent clients",
            manual: """
                Serve at most *N* clients, including those that have not yet sent a request. Further clients wait until \
                a connection closes; HTTP/2 streams are refused. The default is what the limit on open files allows.
                """,
            example: "--echo --max-connections 1000", seeAlso: ["idle-timeout"]
        ) { arguments, value throws(ValueProblem) in
            arguments.maximumConnections = try CountValue.parse(value)
        },
        OptionSpecification(
            "max-memory", value: OptionValue("SIZE"), heading: .limits,
            summary: "Limit the memory of all clients [256M]",
            manual: """
                Limit what all clients together hold in incomplete messages and output that they have not read; see \
                LIMITS. The default is 256 MiB, or four times `--max-message-size` if that is more. Each of several \
                `--threads` has an equal share.
                """,
            example: "--echo --max-memory 1G", seeAlso: ["max-message-size"]
        ) { arguments, value throws(ValueProblem) in
            arguments.maximumHeldBytes = try SizeValue.parse(value)
        },
        OptionSpecification(
            "idle-timeout", value: OptionValue("DURATION"), heading: .limits,
            summary: "Close clients idle for DURATION",
            manual: """
                Close a client with 1001 and the reason `idle` after *DURATION*, or up to a quarter longer, without \
                traffic in either direction. Pings and pongs count as traffic. A client is not idle while `--delay` or \
                `--replay` holds back a message for it.
                """,
            example: "--idle-timeout 5m", seeAlso: ["heartbeat"]
        ) { arguments, value throws(ValueProblem) in
            arguments.idleTimeout = try DurationValue.parse(value, zeroAllowed: false)
        },
    ]
}
