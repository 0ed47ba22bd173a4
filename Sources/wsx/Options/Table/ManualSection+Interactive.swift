extension ManualSection {
    /// The prompt of `wsx connect`.
    static let interactiveUse = ManualSection(
        "INTERACTIVE USE",
        .paragraph(
            """
            On a terminal a line that starts with a slash is a command. A line that starts with two slashes is sent \
            as a message that starts with one.
            """),
        .definitions(ReplCommand.all.map { ($0.markedUsage, $0.explanation) }),
        .paragraph(
            """
            When the connection ends, the prompt stays: `/reconnect` opens another. Ctrl-D, `/quit`, or Ctrl-C on an \
            empty line leave, with the status of the last connection.
            """),
        .paragraph(
            """
            Control characters in what the peer sends are shown, never passed on to the terminal. \
            This holds for terminals only: piped output is byte-exact.
            """))
}
