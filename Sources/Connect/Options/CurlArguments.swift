import CommandLine
import UserInterface

/// What connects `wsx connect` with curl: options that print a curl command, and traces of one that was translated.
package struct CurlArguments: Equatable, Sendable {
    /// The options of a curl command that have no effect, by their names.
    package var ignoredOptions: [String] = []
    /// Whether to print the connection as a curl command instead of opening it.
    package var isPrinted = false
    package var showsSecrets = false

    static let options: [OptionSpecification<CurlArguments>] = [
        OptionSpecification(
            "print-curl", heading: .request,
            summary: "Print a curl command, and do not connect",
            manual: """
                Print a curl command for a POSIX shell that sends the same request, and exit. It has the header fields of \
                the handshake, so that curl itself asks for the upgrade; `wsx curl` accepts it, too. `•••` replaces \
                secrets. At the prompt, `/curl` prints the command for the current connection.
                """,
            seeAlso: ["show-secrets"]
        ) { arguments, _ in arguments.isPrinted = true },
        OptionSpecification(
            "show-secrets", requires: ["print-curl"], heading: .request,
            summary: "Print secrets with --print-curl",
            manual: "Print logins, cookies, tokens, and passphrases in the command of `--print-curl`.",
            seeAlso: ["print-curl"]
        ) { arguments, _ in arguments.showsSecrets = true },
    ]
}
