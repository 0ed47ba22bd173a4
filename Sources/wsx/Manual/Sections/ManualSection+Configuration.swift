import CommandLine

extension ManualSection {
    /// Default options and profiles.
    static let configuration = ManualSection(
        "CONFIGURATION", aliases: ["profiles", "config"],
        blocks: [
            .paragraph(
                """
                The file `~/.config/wsx/config` contains default options and named profiles. `wsx @`*NAME* uses a profile \
                in place of a URL, and so do the commands `connect`, `bench`, `listen`, and `relay`.
                """),
            .listing([
                "# Defaults for all commands",
                "connect-timeout = 5s",
                "",
                "[prod]",
                "url = wss://api.example/socket",
                "bearer = env:API_TOKEN",
                "header = X-Team: search",
                "location",
                #"define = sub={"op":"subscribe","channel":{{json:channel}}}"#,
                "",
                "[local]",
                "url = :8080",
                "address = 8080",
            ]),
            .paragraph(
                """
                With this file, `wsx @prod` *MESSAGE* connects to the URL of the profile, `wsx bench @prod` tests the same \
                server, `wsx relay 8080 @prod` shows its messages, and `wsx listen @local` listens on port 8080. \
                `wsx @prod sub channel=trades` sends the saved message, and so does `/call sub channel=trades` at the \
                prompt. Other arguments follow `@`*NAME* as usual. If a profile has no `url`, the URL follows `@`*NAME*.
                """),
            .definitions([
                (
                    "Options",
                    """
                    Each option has its own line, with its long name without hyphens. An option that takes no value stands \
                    alone, or is `true` or `false`; `false` withdraws a default. Options that may be repeated may have \
                    several lines.
                    """
                ),
                (
                    "Values",
                    """
                    A value ends with its line. Spaces at its ends are removed, unless the value is in double quotes; \
                    within these, `\\"` and `\\\\` stand for `"` and `\\`. At the beginning of a path, `~/` is the home \
                    directory. `env:`*NAME*, `@`*FILE*, and `exec:`*COMMAND* keep secrets out of the file.
                    """
                ),
                ("Comments", "Lines that begin with `#` or `;`."),
                (
                    "Precedence",
                    """
                    The command line overrides the profile, and the profile overrides the defaults, which stand before the \
                    first profile. An option on the command line also overrides conflicting options in the file. \
                    Repeatable options accumulate.
                    """
                ),
                (
                    "Commands",
                    """
                    An option applies to the commands that have it. An option that requires another one applies only \
                    together with it.
                    """
                ),
            ]),
            .paragraph(
                """
                If the file contains a password, token, or other secret, also in the query of a URL or in a message, other \
                users must not have access to it: `chmod 600 ~/.config/wsx/config`. Errors name the file and the line. \
                Completion scripts offer the profiles, and the URLs to which a prompt was connected.
                """),
        ])

    /// The variable that selects the configuration file.
    static let configurationVariable: (term: MarkedText, text: MarkedText) = (
        "`WSX_CONFIG`",
        """
        The configuration file, instead of `$XDG_CONFIG_HOME/wsx/config`. An empty value disables \
        the configuration; use it in scripts.
        """
    )

    /// The configuration file.
    static let configurationFile: (term: MarkedText, text: MarkedText) = (
        "`$XDG_CONFIG_HOME/wsx/config`",
        """
        Default options and profiles, see CONFIGURATION. `$XDG_CONFIG_HOME` defaults to `~/.config`, and \
        `$WSX_CONFIG` names another file.
        """
    )

    /// The file that `--netrc` reads.
    static let netrcFile: (term: MarkedText, text: MarkedText) = (
        "`~/.netrc`", "Users and passwords for `--netrc`. `$NETRC` names another file."
    )

    /// The file with the URLs that completion offers.
    static let recentURLs: (term: MarkedText, text: MarkedText) = (
        "`$XDG_STATE_HOME/wsx/urls`",
        """
        The latest URLs to which a prompt was connected, for completion, and readable only by its owner. URLs that may \
        contain a secret, and runs with `--history` or `--no-history`, are left out.
        """
    )
}
