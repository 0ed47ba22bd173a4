import CommandLine

extension ManualSection {
    /// The rules for admitting clients.
    static let access = ManualSection(
        "ACCESS",
        .paragraph(
            """
            Every request on the port, for pages as well as WebSockets, is checked in this order: Host (403), which \
            prevents DNS rebinding; Authorization, if `--auth` or `--bearer` is given (401); and, for WebSockets, \
            Origin (403).
            """),
        .definitions([
            (
                "Host",
                """
                Allowed are IP addresses, `localhost`, names that end in `.localhost`, and hosts of origins that \
                `--origin` allows.
                """
            ),
            (
                "Authorization",
                """
                Any one of the credentials and tokens is sufficient. They are compared by SHA-256, which prevents \
                timing attacks, and never logged. A request with two Authorization headers gets 400.
                """
            ),
            (
                "Origin",
                """
                Allowed are the server's own origin (the host and port in Host), loopback origins with any port, and \
                origins that `--origin` allows. Programs other than browsers usually send no Origin, which is allowed.
                """
            ),
        ]))

    /// The log of a server.
    static let log = ManualSection(
        "LOG",
        .paragraph(
            """
            Unless `--quiet` is given, a line on standard error reports each client that connects and each connection \
            that ends, rejected ones included:
            """),
        .listing([
            "Client 3 disconnected: 1000, from 127.0.0.1:4711,",
            "  origin \"http://localhost:3000\", path \"/chat\", status 101,",
            "  12.3 s, 120 B in, 34.1 KiB out",
            "Answered GET: 200, from 127.0.0.1:4713, path \"/index.html\",",
            "  0.0 s, 81 B in, 1310 B out",
            "Rejected a request: 403, from 127.0.0.1:4712,",
            "  origin \"http://evil.example\", path \"/\", 0.0 s, 218 B in, 210 B out:",
            "  The origin ... is not allowed; allow it with --origin ...",
        ]),
        .paragraph(
            """
            Each entry is one line, broken here to fit the page. The close code is followed by the reason in quotes, \
            and by the server's reason to end the connection, if any: `idle for 30 s`, `missed 3 heartbeats`. \
            Byte counts cover frames on the wire or, for other requests, the request and the response.
            """),
        .paragraph(
            """
            Text from clients is quoted, and cut with `…` after 120 characters; queries of paths are omitted. Quotes \
            and backslashes are escaped with a backslash, and invisible characters as in `\\u{1B}`. No client can \
            forge a field or a line.
            """),
        .paragraph(
            """
            Logging never blocks the server. If standard error is read slowly, up to 1 MiB of lines are buffered; \
            further lines are dropped, and a line reports how many. Only the standard error of programs waits for its \
            reader.
            """))

    /// Sockets passed by the service manager.
    static let socketActivation = ManualSection(
        "SOCKET ACTIVATION",
        .paragraph(
            """
            systemd and compatible service managers can pass one or more listening sockets, TCP or Unix domain, to the \
            server (`LISTEN_FDS` and `LISTEN_PID`, see `sd_listen_fds(3)`). They override the address operand, which \
            is then optional. For a `wsx.socket` with `ListenStream=8080`, use this `wsx.service`:
            """),
        .listing(["[Service]", "ExecStart=/usr/bin/wsx listen --echo"]),
        .paragraph(
            """
            Clients that connect during a restart wait for the server. A descriptor that does not listen is an error; \
            therefore `Accept=yes` does not work. Programs of `--exec` inherit neither the sockets nor the variables.
            """))
}
