import CommandLine
import Conversation

/// The live page of a run.
package struct PageArguments: Equatable, Sendable {
    /// As typed: `PORT` or `ADDRESS:PORT`; nil: no page.
    package var address: String?

    package init() {}

    /// The options.
    /// - Parameter conflicts: The options of the command that conflict with a page.
    @OptionTable<PageArguments> package static func options(
        conflicts: [OptionReference] = []
    ) -> [OptionSpecification<PageArguments>] {
        OptionSpecification(
            "page", value: OptionValue("[ADDRESS:]PORT"), conflicts: conflicts, heading: .display,
            summary: "Show the run on a live page at PORT",
            manual: """
                Show the run in a browser while it goes on, and send from there. The URL, with a secret token, is written to \
                standard error, also with `-q`. The default address is `127.0.0.1`; port 0 picks a free port. See LIVE PAGE in \
                **wsx-relay**(1).
                """,
            example: "--page 8081", seeAlso: ["record"]
        ) { arguments, value throws(ValueProblem) in
            arguments.address = try ListenAddressValue.parse(value)
        }
    }
}
