import CommandLine

// A new bound needs a row here and in docs/ARCHITECTURE.md.
extension ManualSection {
    /// The limits of `wsx listen`.
    static let listenLimits = limitTables(
        adjustable: [
            ["Received message", "16 MiB", "--max-message-size", "close with 1009"],
            ["Message fragments", "131,072", "--max-fragments", "close with 1008"],
            ["Frame sent", "no limit", "--fragment-size", "fragmentation"],
            ["Upgrade", "10 s", "--handshake-timeout", "status 408"],
            ["Closing handshake", "5 s", "--close-timeout", "disconnection"],
            ["Time without data", "no limit", "--idle-timeout", "close with 1001"],
            ["Missed heartbeats", "3", "--heartbeat-misses", "disconnection"],
            ["Memory of clients", "256 MiB", "--max-memory", "close with 1013"],
            ["Clients", "ulimit -n", "--max-connections", "clients wait"],
            ["Programs", "256", "--max-processes", "status 503"],
            ["Program exit", "2 s", "--exec-grace", "a signal"],
            ["Line of a program", "16 MiB", "--max-message-size", "close with 1011"],
        ],
        fixed: [
            ["Head of a request", "16 KiB", "status 431"],
            ["Header fields of a request", "100", "status 431"],
            ["Queued output of a client", "16 MiB", "its source pauses"],
            ["Messages held back", "16 MiB", "their source pauses"],
            ["Client that blocks others", "1 s", "close with 1013"],
            ["Unread input of a program", "1 MiB", "its client pauses"],
            ["Unread errors of a program", "512 KiB", "the program pauses"],
            ["Error line of a program", "4 KiB", "continues on the next line"],
            ["Steps of a REGEX search", "10 million", "no match, reported"],
            ["Stalled HTTP response", "30 s", "disconnection"],
            ["Directory listing", "5,000 files", "the rest is omitted"],
            ["Data waiting for stdout", "1 MiB", "receiving pauses"],
            ["Data waiting for --record", "1 MiB", "receiving pauses"],
            ["Lines waiting for stderr", "1 MiB", "lines are dropped"],
            ["Value of --threads", "256", "status 2"],
        ],
        notes: [
            .definitions([
                (
                    "Clients",
                    """
                    At the limit, the server prints one notice and stops accepting. Further clients wait in the \
                    kernel's queue until others leave. The limit on open files applies even with `--max-connections`. \
                    An HTTP/2 connection has at most 1,000 streams, half of the clients of `--max-connections`, or a \
                    quarter of the limit on open files; further ones are refused. Each program takes four open files, \
                    which may lower the limit on programs.
                    """
                ),
                (
                    "Memory of clients",
                    """
                    Counts incomplete messages and unread output, also of clients that are closing, and of pages and \
                    files, but each broadcast and page only once, and without the first 64 KiB of each client. Of an \
                    HTTP/2 connection with many streams, only the first 4 KiB of each stream are left out. Messages \
                    that `--delay` holds back, and the input of programs, do not count. Beyond the limit, the server \
                    reads only one incomplete message at a time, that nearest its end, and output queues are full at \
                    64 KiB. Beyond 9/8 of the limit, unread output must go before the next message is read. A client \
                    that sends or takes less than 64 KiB within 5 seconds of such time, although the server would \
                    read more, is closed with 1013, the largest first, until the rest fits. A page or file for such a \
                    client is cut short.
                    """
                ),
                (
                    "Source of a client's output",
                    """
                    Standard input, the client's own messages (`--echo`, `--replay`), its program (`--exec`), or the \
                    sender (`--broadcast`). A source that pauses is not read until there is room.
                    """
                ),
                (
                    "Client that blocks others",
                    """
                    A client with a full queue is closed with 1013 if it takes nothing for 1 second, or less than 8 \
                    MiB in 5 seconds, while others wait: a client that has taken everything, and to which more is to \
                    be sent, or a client that sends. Other time does not count, nor do other clients. Standard input \
                    alone waits for as long as all clients do.
                    """
                ),
            ])
        ])

    /// The limits of `wsx bench`.
    static let benchLimits = limitTables(
        adjustable: [
            ["Time to connect", "10 s", "--connect-timeout", "status 6"],
            ["Wait for a reply", "10 s", "--reply-timeout", "status 6"],
            ["Closing handshake", "5 s", "--close-timeout", "status 6"],
            ["Duration of the run", "no limit", "--timeout", "status 6"],
            ["Redirects", "20", "--max-redirects", "status 4"],
            ["Received message", "64 MiB", "--max-message-size", "close with 1009"],
            ["Message fragments", "131,072", "--max-fragments", "close with 1008"],
            ["Frame sent", "no limit", "--fragment-size", "fragmentation"],
        ],
        fixed: [
            ["Handshakes in parallel", "256", "others wait"],
            ["Queue of a connection", "256 KiB", "messages wait"],
            ["The same, in --mode send", "16 KiB", "messages wait"],
            ["Due messages of a thread", "1,048,576", "the schedule waits"],
            ["Overtaken messages", "8,192 per connection", "oldest count as lost"],
            ["Missing deliveries", "4,096 per publisher", "late ones: duplicates"],
            ["Recorded latency", "1 h", "recorded as 1 h"],
        ],
        notes: [
            .paragraph("These options have a maximum:"),
            .table(
                headings: ["Option", "Default", "Maximum"],
                rows: [
                    ["--connections", "10", "1,000,000"],
                    ["--connect-rate", "no limit", "1,000,000"],
                    ["--threads", "1", "1,024, and one per connection"],
                    ["--publishers", "1", "10,000, and one reader must remain"],
                    ["--rate", "no rate", "100,000,000"],
                    ["--stages", "", "1,000,000, and 100 stages"],
                    ["--in-flight", "1", "65,536"],
                    ["--size", "20 bytes", "1 GiB"],
                    ["--file", "", "1 GiB"],
                    ["{{random N}}", "", "16,777,216"],
                    ["--baseline", "", "1 GiB"],
                ]),
            .paragraph(
                """
                The limit on open files (`ulimit -n`) and the number of local ports also restrict `--connections`. \
                Both are checked before the first connection. `--source-ip` adds addresses, each with its own ports.
                """),
        ])
}
