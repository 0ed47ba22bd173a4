import CommandLine

extension ManualSection {
    /// The programs of `--exec`.
    static let programs = ManualSection(
        "PROGRAMS",
        blocks: [
            .paragraph(
                """
                `--exec` runs a program: `wsx connect` one for its connection, and `wsx listen` one for each client. \
                Messages become its input, and its output becomes messages.
                """),
            binaryPrograms, eventPrograms, bufferedPrograms, .heading("wsx connect"),
        ] + clientPrograms + [.heading("wsx listen")] + serverPrograms)

    /// The programs of `wsx connect --exec`.
    private static let clientPrograms: [ManualBlock] = [
        .paragraph(
            """
            `--exec` runs one process, which takes the place of the user. It starts when the connection is open. \
            Each received message is written to its standard input, followed by a newline. Each line of its \
            standard output is sent as a text message, including a last line without a newline. Lines that are not \
            UTF-8 are discarded, with one warning. A line longer than `--max-message-size` closes the connection \
            with 1011, and wsx exits with 1. So does a line that `--protocol`, `--json-rpc`, `--template`, or \
            `--encode` cannot convert to a message; the error names it. Other options, such as `--first-message`, `--ready`, `--request`, \
            `--heartbeat`, and `--record`, work as with standard input.
            """),
        .paragraph(
            """
            The program's standard error is copied to that of wsx line by line, prefixed with its name and a bar. \
            No shell is involved unless you start one: `--exec` *URL* `-- sh -c` *SCRIPT*.
            """),
        .definitions([
            (
                "The program exits",
                """
                The rest of its output is sent. The connection is then closed with 1000 (`--close-code`) if the \
                exit status is 0, or with 1011 and the status or signal as the reason. wsx reports a nonzero \
                status or a signal and exits with 1.
                """
            ),
            (
                "The connection ends",
                """
                The program reads the end of its input. If it is still running after `--exec-grace`, its process \
                group gets SIGTERM, and SIGKILL after another `--exec-grace`. A failure of the program that wsx \
                did not cause leads to status 1, unless the connection failed.
                """
            ),
            ("wsx is interrupted", "The program ends in the same way. A second SIGINT kills it at once."),
            (
                "The program cannot start",
                """
                A program that is missing or not executable is an error before wsx connects, with status 2. If the \
                process cannot be created later, the connection is closed with 1011, and wsx exits with 1.
                """
            ),
        ]),
        .paragraph(
            """
            A program inherits only `PATH`, `HOME`, `USER`, `LOGNAME`, `SHELL`, `TMPDIR`, `TZ`, `LANG`, \
            `LANGUAGE`, and the `LC_*` category variables. `WSX_URL` is the URL without secrets, and \
            `WSX_SUBPROTOCOL` the negotiated subprotocol, if any. To add others, use `--exec` *URL* `-- env` \
            *NAME*`=`*value* *program*. `--reconnect` is not available: a program could not tell what a new \
            connection has missed.
            """),
        .listing([
            "wsx connect --exec :8080 -- sed -u 's/^/you said: /'",
            "wsx connect --exec --exec-json wss://chat.example/room -- ./bot.py",
        ]),
    ]

    private static let binaryPrograms = ManualBlock.paragraph(
        """
        With `--binary`, the program receives the bytes of each message unchanged, and its output is sent in binary \
        messages as it arrives.
        """)

    private static let eventPrograms = ManualBlock.paragraph(
        """
        With `--exec-json`, the program reads and writes JSON EVENTS, one per line. It reads `open` first, then \
        `message`, `ping`, and `pong`, and finally `close`, followed by `error` if the connection failed. It can write \
        `message`, `ping`, `pong`, and `close`. Binary messages and messages with several lines arrive as they are. \
        Lines that are not events are discarded, with one warning.
        """)

    private static let bufferedPrograms = ManualBlock.paragraph(
        """
        Many programs buffer their output unless it goes to a terminal. For line-by-line output, use `stdbuf -oL`, \
        `grep --line-buffered`, `python3 -u`, `sed -u`, or `fflush()` in `awk`.
        """)

    /// The programs of `wsx listen --exec`.
    private static let serverPrograms: [ManualBlock] = [
        .paragraph(
            """
            `--exec` starts one process per client. Each message is written to the program's standard input, \
            followed by a newline. Each line of its standard output is sent as a text message, including a last \
            line without a newline. Lines that are not UTF-8 are discarded, with one warning per client. A line \
            longer than `--max-message-size` ends the program and closes the client with 1011.
            """),
        .paragraph(
            """
            The program's standard error is copied to that of wsx line by line, prefixed with the client's number \
            and a bar. No shell is involved unless you start one: `--exec 8080 -- sh -c` *SCRIPT*. No part of a \
            request ever becomes an argument.
            """),
        .definitions(programEnds),
        .paragraph(
            """
            Backpressure works both ways: a program that does not read pauses its client, and a client that does \
            not read pauses its program. While a program takes no input, its client is pinged every 2 seconds to \
            detect whether it is gone.
            """),
        .paragraph(
            """
            A program inherits only `PATH`, `HOME`, `USER`, `LOGNAME`, `SHELL`, `TMPDIR`, `TZ`, `LANG`, \
            `LANGUAGE`, and the `LC_*` category variables from the environment of wsx. To add others, use `--exec \
            8080 -- env` *NAME*`=`*value* *program*. It inherits no file descriptors except the standard ones. CGI \
            variables (RFC 3875) describe the request:
            """),
        .definitions(programVariables),
        .paragraph(
            """
            A variable is omitted if its value has control characters, is not text, or starts with `() {`, which \
            old shells executed. The values come from the client: trust them no more than its messages.
            """),
    ]

    private static let programEnds: [(term: MarkedText, text: MarkedText)] = [
        (
            "The program exits",
            """
            The client receives the rest of the output. It is then closed with 1000 if the exit status is 0, or with \
            1011 and the status or signal as the reason. Other processes left in the program's process group get \
            SIGTERM, and SIGKILL after `--exec-grace`. With `--once`, wsx reports a nonzero status or a signal and \
            exits with 1, even if the client left first.
            """
        ),
        (
            "The client leaves",
            """
            The program reads the end of its input. If it is still running after `--exec-grace`, its process group \
            gets SIGTERM, and SIGKILL after another `--exec-grace`.
            """
        ),
        (
            "The server ends",
            """
            All programs end the same way. A second SIGINT or SIGTERM kills them at once. A process that left its \
            process group (`setsid`) is not ended.
            """
        ),
        (
            "The program cannot start",
            """
            A program that is missing or not executable is an error at startup. If a process cannot be created later, \
            the client is closed with 1011. Beyond `--max-processes`, upgrades get 503 with `Retry-After`.
            """
        ),
    ]

    private static let programVariables: [(term: MarkedText, text: MarkedText)] = [
        ("`WSX_CLIENT`", "The client's number, as in the log."),
        ("`WSX_SUBPROTOCOL`", "The negotiated subprotocol, if any."),
        ("`REQUEST_URI`", "The path and query as sent."),
        ("`PATH_INFO`", "The decoded path. It may contain `..`, and `%2F` is decoded to a slash."),
        ("`QUERY_STRING`", "The query as sent, without the question mark; may be empty."),
        (
            "`AUTH_TYPE`, `REMOTE_USER`",
            "With `--auth` or `--bearer`: `Basic` and the user, or only `Bearer`. No request header can set them."
        ),
        (
            "`REMOTE_ADDR`, `REMOTE_HOST`, `REMOTE_PORT`",
            "The client's IP address (in both), and its port. Not set on a Unix domain socket."
        ),
        ("`SERVER_NAME`, `SERVER_PORT`", "The requested host, and the listening port."),
        ("`HTTPS`", "`on` with TLS."),
        ("`SSL_CLIENT_S_DN`", "With `--client-ca`, the subject of the client's certificate."),
        (
            "`HTTP_`*NAME*",
            """
            A request header, in capitals, with `_` for `-`: `HTTP_COOKIE`, `HTTP_ORIGIN`, and so on. \
            `HTTP_SEC_WEBSOCKET_PROTOCOL` has the offered subprotocols. Headers of the same name are joined to one \
            list. Headers with other characters in their names are omitted, because two could map to one variable; so \
            are Proxy, Authorization, and Proxy-Authorization. Invalid UTF-8 is passed through unchanged, here and in \
            `PATH_INFO`.
            """
        ),
        (
            "`GATEWAY_INTERFACE`, `SERVER_SOFTWARE`, `SERVER_PROTOCOL`, `REQUEST_METHOD`, `SCRIPT_NAME`",
            "`CGI/1.1`, `wsx/`*VERSION*, `HTTP/1.1`, `GET`, and an empty string."
        ),
    ]
}
