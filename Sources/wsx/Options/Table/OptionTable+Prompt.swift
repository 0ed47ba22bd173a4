extension OptionTable {
    /// What the prompt remembers.
    static let prompt = [
        OptionSpecification(
            "history", value: OptionValue("FILE", .file), group: .display,
            summary: "Keep the prompt's history in FILE",
            manual: """
                Keep the lines that are typed at the prompt in *FILE*, in place of one for each host, see FILES. Of \
                `--history` and `--no-history` the last one counts.
                """,
            effect: .update(
                .connect { arguments, value throws(ValueProblem) in
                    guard !value.isEmpty else { throw .empty }
                    arguments.history = .file(value)
                })),
        OptionSpecification(
            "no-history", group: .display,
            summary: "Keep no history of the prompt in a file",
            manual: "Neither read nor keep lines that are typed at the prompt, beyond the end of the run.",
            effect: .update(.connect { arguments, _ in arguments.history = .none })),
    ]
}
