import CommandLine

extension ManualSection {
    /// The limits of `wsx listen`.
    static let listenLimits = ManualSection(
        "LIMITS",
        .table(
            headings: ["Limit", "Default", "Option"],
            rows: [
                ["size of a message", "16 MiB", "--max-message-size"],
                ["fragments of a message", "131,072", "--max-fragments"],
                ["size of a request head", "16 KiB", "fixed"],
                ["headers of a request", "100", "fixed"],
                ["upgrade", "10 s", "--handshake-timeout"],
                ["closing handshake", "5 s", "--close-timeout"],
                ["time without traffic", "none", "--idle-timeout"],
                ["missed heartbeats", "3", "--heartbeat-misses"],
                ["connections", "open files", "--max-connections"],
                ["threads", "1", "--threads"],
                ["output queued for a client", "16 MiB", "fixed"],
                ["messages delayed for a client", "16 MiB", "fixed"],
                ["programs", "256", "--max-processes"],
                ["time for a program to exit", "2 s", "--exec-grace"],
                ["unread input of a program", "1 MiB", "fixed"],
                ["line of program output", "16 MiB", "--max-message-size"],
                ["line of program stderr", "4 KiB", "fixed"],
                ["stall of an HTTP response", "30 s", "fixed"],
                ["entries of a directory listing", "5,000", "fixed"],
                ["unread output (stdout)", "1 MiB", "fixed"],
                ["unread log lines (stderr)", "1 MiB", "fixed"],
            ]),
        .paragraph("Beyond a limit:"),
        .definitions([
            (
                "Messages, fragments",
                "The client is closed with 1009 (too large) or 1008 (too many fragments)."
            ),
            (
                "Requests, upgrades",
                "Too large a head gets 431, and a slow upgrade 408."
            ),
            (
                "Connections",
                """
                The server stops accepting, with one notice. Further clients wait in the kernel's queue until others \
                leave. The limit on open files (`ulimit -n`), less a reserve, applies in any case.
                """
            ),
            (
                "Queued output",
                """
                The source of the messages pauses: standard input, the echoed client, the program, or with \
                `--broadcast` the sender. If other clients have to wait, a client that takes nothing for 1 second, or \
                less than half of its queue in 5 seconds, is closed with 1013. Each such close halves these times, \
                down to 50 ms, until 10 seconds pass without one.
                """
            ),
            ("Delayed messages", "Their source pauses: the client, its program, or the input."),
            (
                "Programs",
                """
                Upgrades get 503. Each program takes four of the open files, which may lower the limit. A program that \
                does not read pauses its client; too long a line of output closes the client with 1011. A longer line \
                on standard error continues as another line.
                """
            ),
            ("Responses, listings", "A client that takes nothing is disconnected. Further entries are omitted."),
            (
                "Standard output, standard error",
                "Clients pause until standard output is read. Log lines are dropped, and a later line reports how many."
            ),
        ]))

    /// The limits of `wsx bench`.
    static let benchLimits = ManualSection(
        "LIMITS",
        .table(
            headings: ["Limit", "Default", "Option", "At most"],
            rows: [
                ["connections", "10", "--connections", "1,000,000"],
                ["connections per second", "none", "--connect-rate", "1,000,000"],
                ["handshakes in parallel", "", "fixed", "256"],
                ["time to connect", "10 s", "--connect-timeout", ""],
                ["threads", "1", "--threads", "1,024"],
                ["publishers", "1", "--publishers", "10,000"],
                ["messages per second", "none", "--rate", "100,000,000"],
                ["messages in flight", "1", "--in-flight", "65,536"],
                ["time for a reply", "10 s", "--reply-timeout", ""],
                ["closing handshake", "5 s", "--close-timeout", ""],
                ["time of the whole run", "none", "--timeout", ""],
                ["generated message", "20 B", "--size", "1 GiB"],
                ["file of --file", "", "fixed", "1 GiB"],
                ["{{random N}}", "", "fixed", "16,777,216"],
                ["received message", "64 MiB", "--max-message-size", ""],
                ["fragments of a message", "131,072", "--max-fragments", ""],
                ["queue of a connection", "", "fixed", "256 KiB"],
                ["recorded latency", "", "fixed", "1 h"],
                ["file of --baseline", "", "fixed", "1 GiB"],
            ]),
        .paragraph(
            """
            The limit on open files (`ulimit -n`) and the number of local ports restrict the number of connections. \
            `--source-ip` adds addresses, each with its own ports. wsx checks both limits before it connects. There \
            are no more threads than connections, and fewer publishers than connections.
            """),
        .paragraph(
            """
            In `--mode send`, the queue of a connection holds 16 KiB. With `--rate`, a thread holds up to 1,048,576 \
            due messages that found a queue full, and schedules further ones when there is room.
            """))
}
