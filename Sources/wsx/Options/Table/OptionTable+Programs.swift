extension OptionTable {
    /// A program for each client.
    static let programs = [
        OptionSpecification(
            "exec", conflicts: ["echo", "broadcast"] + inputOptions + messageOutputs, group: .server,
            summary: "Run -- PROGRAM [ARG...] for each client",
            manual: """
                Run the program after `--` once for each client: what the client sends is its standard input, and what it \
                writes to standard output is sent to the client. See PROGRAMS. Standard input is then not read.
                """,
            effect: .update(.listen { arguments, _ in arguments.mode = .exec([]) })),
        OptionSpecification(
            "max-processes", value: OptionValue("N"), default: "256", requires: ["exec"], group: .server,
            summary: "Most programs at a time, then 503",
            manual: """
                Run at most *N* programs at a time, and fewer where the limit of open files leaves no room for them. \
                Further requests are refused with 503.
                """,
            effect: .update(
                .listen { arguments, value throws(ValueProblem) in
                    arguments.maximumProcesses = try CountValue.parse(value)
                })),
        OptionSpecification(
            "exec-grace", value: OptionValue("DURATION"), default: "2s", requires: ["exec"], group: .server,
            summary: "Time for a program to end",
            manual: """
                When its client has left, give a program *DURATION* to end by itself before it gets SIGTERM, and as long \
                again before SIGKILL ends it.
                """,
            effect: .update(
                .listen { arguments, value throws(ValueProblem) in
                    arguments.programGrace = try DurationValue.parse(value)
                })),
    ]
}
