import CommandLine

// A new bound needs a row here and in docs/ARCHITECTURE.md. A manual page is 71 columns wide, and a table separates its
// columns by 3: the widest texts of four columns add up to at most 62 characters, and those of three to 65.
extension ManualSection {
    /// The limits of `wsx listen`.
    static let listenLimits = ManualSection(
        "LIMITS",
        .paragraph("Options change these limits:"),
        .table(
            headings: ["Limit", "Default", "Option", "If exceeded"],
            rows: [
                ["Received message", "16 MiB", "--max-message-size", "close with 1009"],
                ["Message fragments", "131,072", "--max-fragments", "close with 1008"],
                ["Frame sent", "no limit", "--fragment-size", "fragmentation"],
                ["Upgrade", "10 s", "--handshake-timeout", "status 408"],
                ["Closing handshake", "5 s", "--close-timeout", "disconnection"],
                ["Time without data", "no limit", "--idle-timeout", "close with 1001"],
                ["Silent heartbeats", "3", "--heartbeat-misses", "disconnection"],
                ["Clients", "ulimit -n", "--max-connections", "clients wait"],
                ["Programs", "256", "--max-processes", "status 503"],
                ["Program exit", "2 s", "--exec-grace", "a signal"],
                ["Line of a program", "16 MiB", "--max-message-size", "close with 1011"],
            ]),
        .paragraph("These limits are fixed:"),
        .table(
            headings: ["Limit", "Value", "If exceeded"],
            rows: [
                ["Head of a request", "16 KiB", "status 431"],
                ["Fields of a request", "100", "status 431"],
                ["Queued output of a client", "16 MiB", "its source pauses"],
                ["Messages held back", "16 MiB", "their source pauses"],
                ["Client that blocks others", "1 s", "close with 1013"],
                ["Input unread by a program", "1 MiB", "its client pauses"],
                ["Error lines of a program", "512 KiB", "it pauses"],
                ["Error line of a program", "4 KiB", "it continues as another line"],
                ["Stalled HTTP response", "30 s", "disconnection"],
                ["Directory listing", "5,000 names", "the rest is omitted"],
                ["Data waiting for stdout", "1 MiB", "clients pause"],
                ["Lines waiting for stderr", "1 MiB", "lines are dropped"],
                ["Value of --threads", "256", "status 2"],
            ]),
        .definitions([
            (
                "Clients",
                """
                At the limit, the server prints one notice and stops accepting. Further clients wait in the kernel's \
                queue until others leave. The limit on open files applies even with `--max-connections`. Each program \
                uses four open files, which may lower the limit on programs.
                """
            ),
            (
                "Sources",
                """
                The source of a client's output is standard input, its own messages (`--echo`, `--replay`), its \
                program, or with `--broadcast` the sender.
                """
            ),
            (
                "Clients that block others",
                """
                While others wait for it, a client is closed with 1013 if it reads nothing for 1 second, or less than \
                half of its queue in 5 seconds. Each such close halves these times, down to 50 ms, until 10 seconds \
                pass without one.
                """
            ),
        ]))

    /// The limits of `wsx bench`.
    static let benchLimits = ManualSection(
        "LIMITS",
        .paragraph("Options change these limits:"),
        .table(
            headings: ["Limit", "Default", "Option", "If exceeded"],
            rows: [
                ["Time to connect", "10 s", "--connect-timeout", "status 6"],
                ["Wait for a reply", "10 s", "--reply-timeout", "status 6"],
                ["Closing handshake", "5 s", "--close-timeout", "status 6"],
                ["Duration of the run", "no limit", "--timeout", "status 6"],
                ["Redirects", "20", "--max-redirects", "status 4"],
                ["Received message", "64 MiB", "--max-message-size", "close with 1009"],
                ["Message fragments", "131,072", "--max-fragments", "close with 1008"],
                ["Frame sent", "no limit", "--fragment-size", "fragmentation"],
            ]),
        .paragraph("These options have a maximum:"),
        .table(
            headings: ["Option", "Default", "Maximum"],
            rows: [
                ["--connections", "10", "1,000,000"],
                ["--connect-rate", "no limit", "1,000,000"],
                ["--threads", "1", "1,024, and one per connection"],
                ["--publishers", "1", "10,000, and at least one reader"],
                ["--rate", "no rate", "100,000,000"],
                ["--in-flight", "1", "65,536"],
                ["--size", "20 bytes", "1 GiB"],
                ["--file", "", "1 GiB"],
                ["{{random N}}", "", "16,777,216"],
                ["--baseline", "", "1 GiB"],
            ]),
        .paragraph("These limits are fixed:"),
        .table(
            headings: ["Limit", "Value", "If exceeded"],
            rows: [
                ["Handshakes in parallel", "256", "others wait"],
                ["Queue of a connection", "256 KiB", "messages wait"],
                ["The same, --mode send", "16 KiB", "messages wait"],
                ["Due messages of a thread", "1,048,576", "the schedule waits"],
                ["Overtaken messages", "8,192 per connection", "oldest count as lost"],
                ["Missing deliveries", "4,096 per publisher", "late ones: duplicates"],
                ["Recorded latency", "1 h", "1 h is recorded"],
            ]),
        .paragraph(
            """
            The limit on open files (`ulimit -n`) and the number of local ports also restrict `--connections`, which \
            wsx checks before it connects. `--source-ip` adds addresses, each with its own ports.
            """))
}
