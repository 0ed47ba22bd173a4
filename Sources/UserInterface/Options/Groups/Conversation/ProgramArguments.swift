import CommandLine

/// The options for the programs of `--exec`.
package struct ProgramArguments: Equatable, Sendable {
    /// The maximum number of concurrent programs, 1 or more.
    package var maximumProcesses = 256
    /// The time a program has to exit after its peer left, and again after SIGTERM.
    package var programGrace = Duration.seconds(2)
    /// Whether programs exchange JSON events instead of lines.
    package var exchangesEvents = false

    package init() {}

    /// The options of `wsx listen`.
    package static let options = [maximum] + shared(heading: .server)

    private static let maximum = OptionSpecification<ProgramArguments>(
        "max-processes", value: OptionValue("N"), default: "256", requires: ["exec", "answer"], heading: .server,
        summary: "Maximum number of programs",
        manual: """
            Run at most *N* programs concurrently, or fewer if the limit on open files requires it. With `--exec`, \
            further upgrades get 503; with programs of `--answer`, further clients wait.
            """,
        example: "--exec --max-processes 32", seeAlso: ["exec", "max-connections"]
    ) { arguments, value throws(ValueProblem) in
        arguments.maximumProcesses = try CountValue.parse(value)
    }

    /// The options that `wsx connect` has, too.
    package static func shared(heading: OptionHeading) -> [OptionSpecification<ProgramArguments>] {
        [grace(heading: heading), json(heading: heading)]
    }

    private static func grace(heading: OptionHeading) -> OptionSpecification<ProgramArguments> {
        OptionSpecification(
            "exec-grace", value: OptionValue("DURATION"), default: "2s", requires: ["exec"], heading: heading,
            summary: "Time for a program to exit",
            manual: """
                Send SIGTERM to a program that is still running *DURATION* after its connection ended, and SIGKILL after \
                another *DURATION*.
                """,
            example: "--exec --exec-grace 10s", seeAlso: ["exec"]
        ) { arguments, value throws(ValueProblem) in
            arguments.programGrace = try DurationValue.parse(value)
        }
    }

    private static func json(heading: OptionHeading) -> OptionSpecification<ProgramArguments> {
        OptionSpecification(
            "exec-json", excludes: .kind, requires: ["exec"], heading: heading,
            summary: "Exchange JSON events with the program",
            manual: """
                Exchange JSON events with the program, one per line: also for binary messages, messages of several \
                lines, pings, pongs, and close frames. See PROGRAMS.
                """,
            seeAlso: ["exec"]
        ) { arguments, _ in arguments.exchangesEvents = true }
    }
}
