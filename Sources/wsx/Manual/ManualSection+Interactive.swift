import CommandLine

extension ManualSection {
    /// The prompt of `wsx connect`.
    static let interactiveUse = ManualSection(
        "INTERACTIVE USE",
        .paragraph(
            """
            On a terminal a line that starts with a slash is a command. A line that starts with two slashes is sent \
            as a message that starts with one.
            """),
        .definitions(PromptCommandTable.connect.map { ($0.description.markedUsage, $0.description.explanation) }),
        .paragraph(
            """
            A message can have several lines. What is pasted is one message, with its newlines, where the terminal marks \
            it as pasted, as most do. A backslash at the end of a line goes on with the message on the next, and is \
            not part of it; to end a message with a backslash, type two. A message that begins with `{` or `[` goes on \
            while it is the beginning of JSON. Enter on an empty continuation line sends what there is, without that \
            line, and Ctrl-C throws it away. Of a text that is higher than the screen the lines around the cursor are shown.
            """),
        .paragraph(
            """
            Lines are edited by GNU readline, with the keys of the user's `inputrc`, where `$if wsx` begins what is for \
            this program alone. Up and Down call earlier lines back, Ctrl-R searches them, also those of earlier \
            sessions. Tab completes commands, paths after commands that take a file, and the words of the latest \
            messages; where there is no word before the cursor, it is a tab. Ctrl-X Ctrl-E opens an editor, see \
            `/edit`; in vi mode `v` does.
            """),
        .paragraph(
            """
            The history is kept in a file for each host, of which the last 1,000 lines are read. Lines that may carry \
            credentials are not written to it, though they can be called back until the end: those that begin with a \
            space; those that have one of the words below in them, in any case, and with or without `-` and `_`; those \
            that have a secret of this run in them, from `--auth`, `--bearer`, `--cookie`, `--passphrase`, a URL, or a \
            header field that may give access to something (see `--location`); those with a user name or password in a URL; and \
            those with a JSON Web Token. `--history` names another file, `--no-history` none.
            """),
        .listing([HistoryPolicy.words.joined(separator: " ")]),
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

    /// What the prompt of `wsx connect` reads and writes.
    static let files = ManualSection(
        "FILES",
        .definitions([
            (
                "`$XDG_STATE_HOME/wsx/history/`*HOST*",
                """
                The history of the prompt, for its owner alone, in the form of bash's with timestamps. *HOST* has the \
                port with it where that is not the usual one; it is `unix:` and the path for a Unix domain socket, and \
                `echo` for the embedded server. `$XDG_STATE_HOME` is `~/.local/state` unless it is set.
                """
            ),
            ("`~/.inputrc`", "The keys of the prompt, see `readline`(3); `$INPUTRC` names another file."),
        ]))
}
