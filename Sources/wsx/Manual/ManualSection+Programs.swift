import CommandLine

extension ManualSection {
    /// What runs for each client.
    static let programs = ManualSection(
        "PROGRAMS",
        blocks: [
            .paragraph(
                """
                With `--exec` every client has a process of its own. Each of its messages is written to the standard input \
                of the program with a newline after it, and each line of the standard output is sent as a text message, \
                the last one also without a newline. A line that is not UTF-8 is left out, and said so once; one longer \
                than `--max-message-size` ends the program and closes the client with 1011. With `--binary` the bytes of \
                each message go to the program as they are, and what it writes is sent as it comes in binary messages.
                """),
            .paragraph(
                """
                Many programs keep their output back when it is no terminal. `stdbuf -oL`, `grep --line-buffered`, \
                `python3 -u`, `sed -u` and `awk` with `fflush()` have it sent line by line.
                """),
            .paragraph(
                """
                Standard error is passed on to that of wsx line by line, after the client's number and a bar. No shell is \
                involved, unless the program is one: `--exec 8080 -- sh -c` *SCRIPT*. Nothing of a request is ever an \
                argument.
                """),
            .definitions(programEnds),
            .paragraph(
                """
                A program that does not read pauses its client, and a client that does not read pauses its program. While a \
                client waits for a program that takes nothing, it is pinged every 2 seconds, to see whether it is still \
                there.
                """),
            .paragraph(
                """
                Of the environment of wsx a program has `PATH`, `HOME`, `USER`, `LOGNAME`, `SHELL`, `TMPDIR`, `TZ`, `LANG`, \
                `LANGUAGE` and the variables `LC_*` of the categories; `--exec 8080 -- env` *NAME*`=`*value* *program* \
                adds others. It inherits no descriptor but the standard ones. About the request it has these variables of \
                CGI (RFC 3875):
                """),
            .definitions(programVariables),
            .paragraph(
                """
                Variables whose values have control characters in them, are not text, or begin with `() {`, which old shells \
                ran, are left out. The values are the client's, and to be trusted no more than its messages.
                """),
        ])

    private static let programEnds: [(term: MarkedText, text: MarkedText)] = [
        (
            "The program ends",
            """
            The client gets all that it wrote, and is closed with 1000 when its status is 0, and with 1011 and the \
            status or signal as the reason otherwise. What it has started in its group of processes, and not ended, is \
            ended like this: SIGTERM, and SIGKILL after `--exec-grace`. With `--once`, a status other than 0 or a signal \
            has wsx exit with 1, also when the client has left before, and one line says which it was.
            """
        ),
        (
            "The client leaves",
            """
            Its program reads to the end of its input. If it is still there after `--exec-grace`, its whole group of \
            processes gets SIGTERM, and after as long again SIGKILL.
            """
        ),
        (
            "The server ends",
            """
            The same for all programs. Asked a second time, it kills them. A process that has left its group (`setsid`) \
            is beyond its reach.
            """
        ),
        (
            "The program cannot be started",
            """
            A program that is not found or not executable is an error at the start. When a process cannot be made later, \
            the client is closed with 1011. Beyond `--max-processes` requests are refused with 503 and a Retry-After.
            """
        ),
    ]

    private static let programVariables: [(term: MarkedText, text: MarkedText)] = [
        ("`WSX_CLIENT`", "The client's number, as in the log."),
        ("`WSX_SUBPROTOCOL`", "The subprotocol that was agreed on, if there is one."),
        ("`REQUEST_URI`", "The path and query as they came."),
        ("`PATH_INFO`", "The path, decoded. `..` in it is the client's, and `%2F` has become a slash."),
        ("`QUERY_STRING`", "What follows the question mark, as it came; empty where there is none."),
        (
            "`AUTH_TYPE`, `REMOTE_USER`",
            "With `--auth` or `--bearer`: `Basic` and the user, or `Bearer` alone. Nothing in a request can set them otherwise."
        ),
        (
            "`REMOTE_ADDR`, `REMOTE_HOST`, `REMOTE_PORT`",
            "The client's address, twice, and its port; not on a Unix-domain socket."
        ),
        (
            "`SERVER_NAME`, `SERVER_PORT`",
            "The host that the client asked for, and the port that is listened on."
        ),
        ("`HTTPS`", "`on` with TLS."),
        ("`SSL_CLIENT_S_DN`", "With `--client-ca`, whose certificate the client has shown."),
        (
            "`HTTP_`*NAME*",
            """
            A header field, its name in capitals and with `_` for `-`. Fields of the same name are one list. Those with \
            other characters in their names are left out, so that none can be taken for another, and so are Proxy, \
            Authorization and Proxy-Authorization. `HTTP_COOKIE`, `HTTP_ORIGIN` and `HTTP_SEC_WEBSOCKET_PROTOCOL`, the \
            subprotocols that are offered, are among them. What is not UTF-8 comes byte for byte, as it does in `PATH_INFO`.
            """
        ),
        (
            "`GATEWAY_INTERFACE`, `SERVER_SOFTWARE`, `SERVER_PROTOCOL`, `REQUEST_METHOD`, `SCRIPT_NAME`",
            "`CGI/1.1`, `wsx/`*VERSION*, `HTTP/1.1`, `GET`, and an empty text."
        ),
    ]
}
