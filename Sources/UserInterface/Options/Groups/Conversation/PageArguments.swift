import CommandLine
import Conversation

/// The live page of a run.
package struct PageArguments: Equatable, Sendable {
    /// As typed: `PORT` or `ADDRESS:PORT`; nil: no page.
    package var address: String?
    /// The messages that wait on the page.
    package var held: [ScopedCondition] = []

    package init() {}

    /// The options.
    /// - Parameters:
    ///   - conflicts: The options of the command that conflict with a page.
    ///   - prefixes: The prefixes that conditions of held messages may have.
    @OptionTable<PageArguments> package static func options(
        conflicts: [OptionReference] = [], conditionPrefixes prefixes: ScopedCondition.Prefixes = []
    ) -> [OptionSpecification<PageArguments>] {
        OptionSpecification(
            "page", value: OptionValue("[ADDRESS:]PORT"), conflicts: conflicts, heading: .display,
            summary: "Show the run on a live page at PORT",
            manual: """
                Show the run in a browser while it goes on, and send from there. The URL, with a secret token, is written to \
                standard error, also with `-q`. The default address is `127.0.0.1`; port 0 picks a free port. See LIVE PAGE.
                """,
            example: "--page 8081", seeAlso: ["record"]
        ) { arguments, value throws(ValueProblem) in
            arguments.address = try ListenAddressValue.parse(value)
        }
        OptionSpecification(
            "hold", value: OptionValue("REGEX"), repetition: .adds, requires: ["page"], heading: .display,
            summary: "Hold messages that match REGEX on the page",
            manual: """
                Let messages that match *REGEX*, or another condition, wait on the page of `--page`, where they are edited, \
                released, or dropped. What follows in the same direction waits, too. Nothing waits while no page is open. See \
                CONDITIONS and LIVE PAGE.
                """,
            example: "--page 8081 --hold '^order'", seeAlso: ["page", "drop"]
        ) { arguments, value throws(ValueProblem) in
            arguments.held.append(try ScopedConditionValue.parse(value, allowing: prefixes))
        }
    }
}
