import CommandLine

extension ManualSection {
    /// Who may come in to a server.
    static let access = ManualSection(
        "ACCESS",
        .paragraph(
            """
            Every request on the port is checked, those for pages as well as those for WebSockets: first Host, against DNS \
            rebinding (403), then Authorization (`--auth`, `--bearer`; 401), and for WebSockets Origin (403).
            """),
        .definitions([
            (
                "Host",
                """
                An IP address, `localhost`, a name that ends in `.localhost`, or the host of an origin that `--origin` \
                allows.
                """
            ),
            (
                "Authorization",
                """
                Any one of the credentials and tokens that are given. What is presented is compared by its SHA-256, so \
                that the time it takes tells nothing of them. More than one field is 400. What was presented is never \
                logged.
                """
            ),
            (
                "Origin",
                """
                The server's own, which has the host and port of Host; one of this machine, with any port; or one that \
                `--origin` allows. Programs other than browsers send none, and are let in.
                """
            ),
        ]))

    /// What a server logs.
    static let log = ManualSection(
        "LOG",
        .paragraph(
            """
            On standard error there is a line when a client is connected, and for every connection, also one that was \
            refused, a line when it is over, unless `--quiet` is given:
            """),
        .listing([
            "Client 3 disconnected: 1000, from 127.0.0.1:4711,",
            "  origin \"http://localhost:3000\", path \"/chat\", status 101,",
            "  12.3 s, 120 B in, 34.1 KiB out",
            "Answered GET: 200, from 127.0.0.1:4713, path \"/index.html\",",
            "  0.0 s, 81 B in, 1310 B out",
            "Refused a request: 403, from 127.0.0.1:4712,",
            "  origin \"http://evil.example\", path \"/\", 0.0 s, 218 B in, 210 B out:",
            "  The origin ... is not allowed; allow it with --origin ...",
        ]),
        .paragraph(
            """
            Each is one line, broken here to fit the page. After the close code, its reason in quotes and why the server \
            left the client, if it did: `idle for 30 s`, `no answer to 3 heartbeats`. The bytes are those of frames, as \
            they travelled; of other requests, those of request and answer. What a client chose itself stands in \
            quotes, without the query of its path, after 120 characters cut with `…`. Quotes and backslashes in it have a \
            backslash before them, and what is invisible is written as `\\u{1B}`, so that no client can forge a field or \
            a line.
            """),
        .paragraph(
            """
            Nobody waits for standard error to be read, but the standard error of programs, while it is read slowly. \
            1 MiB of lines can wait there; further ones are dropped, and a line in their place says how many.
            """))

    /// How a server is given its sockets.
    static let socketActivation = ManualSection(
        "SOCKET ACTIVATION",
        .paragraph(
            """
            systemd, or a program like it, can hand over the sockets to listen on (`LISTEN_FDS` and `LISTEN_PID`, \
            `sd_listen_fds(3)`): one or several, of TCP or Unix-domain. They take the place of an address, which may be \
            left out. With `ListenStream=8080` in `wsx.socket`, in `wsx.service`:
            """),
        .listing(["[Service]", "ExecStart=/usr/bin/wsx listen --echo"]),
        .paragraph(
            """
            Clients that come while the server is restarted wait. A descriptor that does not listen, and so a unit with \
            `Accept=yes`, is an error. Programs that the server starts get neither the sockets nor the variables.
            """))
}
