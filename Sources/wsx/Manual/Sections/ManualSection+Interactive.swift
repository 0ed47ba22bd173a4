import CommandLine
import UserInterface
import WSCore

extension ManualSection {
    /// The commands of the prompts, each as a topic of the help.
    static let promptCommands = PromptCommandTable.all.map { entry in
        let command = entry.description
        return ManualSubtopic(
            name: "/" + command.name, summary: command.summary,
            blocks: [
                .definitions([(command.markedUsage, entry.explanation)])
            ])
    }

    /// The prompts.
    static let interactiveUse = ManualSection(
        "INTERACTIVE USE",
        .paragraph(
            """
            On a terminal, a line that starts with a slash is a command. To send a message that starts with a slash, \
            type two slashes.
            """),
        .definitions(PromptCommandTable.all.map { ($0.description.markedUsage, $0.explanation) }),
        .paragraph(
            """
            Each message is shown with its number. A message that fits is one line; longer JSON fills lines, and long \
            values are folded (`… 48 more`). `/N` shows message *N* in full. Above 200 messages per second, samples \
            and the number of other messages are shown; no message is lost: `/tail`, `/show`, `/find`, `/save`, and \
            recordings have all of them.
            """),
        .paragraph(
            """
            With `--request`, `--correlate`, or `--json-rpc`, a reply begins with the number of its request, the \
            round-trip time, and the error, if it reports one. Other messages are dimmed.
            """),
        .paragraph("A message can have several lines:"),
        .definitions([
            (
                "Pasted text",
                """
                One message with its newlines, if the terminal supports bracketed paste, as most do. If the line was \
                empty and each pasted line is complete by itself, or a JSON value that spans lines, the prompt asks: `l` \
                sends each as a message, and runs those that begin with a slash as commands, in order; `o` sends all as \
                one message; Enter edits them; Ctrl-C discards them. `--paste lines` or `--paste one` answers in advance.
                """
            ),
            (
                "Backslash at the end of a line",
                """
                The message continues on the next line, without the backslash. To end a message with a backslash, type \
                two.
                """
            ),
            ("`{` or `[` at the beginning", "The message continues until the JSON is complete."),
            (
                "Empty continuation line",
                "Enter sends the message without that line. Ctrl-C discards the message."
            ),
        ]),
        .paragraph("If a message is taller than the screen, the lines around the cursor are shown."),
        .paragraph(
            """
            GNU readline edits the line, with the key bindings of your `inputrc`. There, `$if wsx` begins a section \
            for this program only. These keys are bound by default:
            """),
        .definitions([
            ("Up, Down", "Recall earlier lines."),
            ("Ctrl-R", "Searches earlier lines, including those of earlier sessions."),
            (
                "Ctrl-F",
                """
                Searches messages while you type, including those that were not shown. The text is found as it is, and \
                as a regular expression like those of `/find`. The newest match comes first; Ctrl-F or Up shows the next \
                older one, Down the next newer one. Enter shows the message in full. Escape, Ctrl-C, or another control \
                key returns to the line. Without a text, Ctrl-F repeats the last search.
                """
            ),
            (
                "Tab",
                """
                Completes commands, their arguments, and words of recent messages. Without a word before the cursor, \
                it inserts a tab.
                """
            ),
            ("Ctrl-X Ctrl-E, `v` in vi mode", "Opens an editor, see `/edit`."),
            ("Ctrl-L", "Clears the screen."),
            ("Ctrl-C", "Discards the line. On an empty line, it leaves the prompt."),
            ("Ctrl-D", "Leaves the prompt, like `/quit`."),
        ]),
        .paragraph(
            """
            The history is saved in one file per host. `--history` names another file, and `--no-history` disables it. \
            Lines that may contain credentials can be recalled until the end of the run, but are not saved. These are \
            lines that start with a space, and lines that contain:
            """),
        .definitions([
            (
                "A name that suggests a secret",
                """
                Such as `password`, `accessKey`, or `X-Login`: a name with a part from the list below, in upper or lower \
                case, with or without `-` and `_`. Short ones count only as whole words, and `key` at the end of a word.
                """
            ),
            (
                "A secret of this run",
                """
                From `--auth`, `--bearer`, `--cookie`, `--passphrase`, `--param`, `--proxy`, `{{env:`*NAME*`}}`, a URL, \
                or a header field with such a name.
                """
            ),
            ("A URL with a secret", "Such as `ws://me:secret@host/` or `ws://host/?t=secret`."),
            ("A JSON Web Token, or a key in PEM form", "In any position."),
        ]),
        .listing([(SecretName.allWords + ["cookie"]).joined(separator: " ")]),
        .paragraph(
            """
            When the connection ends, the prompt stays open, and `/reconnect` opens a new connection. The exit status \
            is that of the last connection, or of the last attempt if there was none. With `--reconnect`, the prompt \
            opens even if the server does not run yet, and messages typed meanwhile are sent when the connection opens.
            """),
        .paragraph(
            """
            On a terminal, control characters in received data are shown as escapes and never take effect. Piped \
            output is byte-exact.
            """))

    /// The files that `wsx` and its prompts read and write.
    static let files = ManualSection(
        "FILES",
        .definitions([
            configurationFile, netrcFile,
            (
                "`$XDG_STATE_HOME/wsx/history/`*HOST*",
                """
                The prompt's history, in the format of bash's history with timestamps, and readable only by its owner. \
                *HOST* includes the port unless it is the default. For a Unix domain socket, it is `unix:` and the \
                path; for the built-in echo server, it is `echo`. `$XDG_STATE_HOME` defaults to `~/.local/state`.
                """
            ), recentURLs,
            ("`~/.inputrc`", "The key bindings of the prompt, see `readline`(3). `$INPUTRC` names another file."),
        ]))
}
