import CommandLine

extension ManualSection {
    /// Values of options from files, variables, and programs.
    static let secrets = secrets(
        programs: [
            .paragraph(
                """
                In `wsx connect`, the program runs before each connection, also those of `--reconnect`, and once more if the server \
                answers with status 401. So a token that expires is renewed. The program of `--passphrase` runs only \
                once. Options with the same command share one run. After `/connect` to another origin, only the program \
                of `--proxy` runs.
                """),
            .paragraph(
                """
                It must exit with 0 within `--connect-timeout`, which includes its time. Before the first connection, a \
                failure is an error with status 2. Later, it fails the attempt to connect, and `--reconnect` \
                tries again; otherwise, the status is 3.
                """),
            .paragraph(
                """
                In `wsx listen` and `wsx bench`, the program runs once, at the start, and must exit with 0 within 10 s (`wsx bench`: \
                `--connect-timeout`). A failure is an error with status 2.
                """),
        ])

    private static func secrets(programs: [ManualBlock]) -> ManualSection {
        ManualSection(
            "SECRETS",
            blocks: [
                .paragraph(
                    """
                    Other users of the machine can see the command line. Options for passwords, tokens, and the like \
                    therefore accept references:
                    """),
                .definitions([
                    ("`@`*FILE*", "The contents of the file, without a newline at its end."),
                    ("`env:`*NAME*", "The value of the environment variable."),
                    (
                        "`exec:`*COMMAND*",
                        """
                        The output of a program, without a newline at its end, at most 64 KiB. The words of *COMMAND* \
                        are separated by spaces; no shell is involved, so quotes have no meaning. `--header` takes one \
                        header field per line.
                        """
                    ),
                ]),
                .listing(["wsx --bearer 'exec:gcloud auth print-access-token' wss://api.example/"]),
            ] + programs + [
                .paragraph(
                    """
                    The program has an empty standard input, no terminal, and the environment of wsx. Its output is \
                    never shown or recorded. The last line of its standard error is part of the error if it fails. \
                    Values of `--data`, recordings, and messages never run programs. In a configuration file, \
                    `exec:` is an error if other users can write the file.
                    """)
            ])
    }
}
