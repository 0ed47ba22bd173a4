import CommandLine

// The LIMITS of each command. A new bound needs a row here and in docs/ARCHITECTURE.md.
extension ManualSection {
    /// The limits of all commands.
    static let limits = ManualSection(
        "LIMITS",
        blocks: [.heading("wsx connect")] + connectLimits + [.heading("wsx listen")] + listenLimits
            + [.heading("wsx bench")] + benchLimits)

    /// The limits of `wsx connect`.
    private static let connectLimits = limitTables(
        adjustable: [
            ["Received message", "64 MiB", "--max-message-size", "close with 1009"],
            ["Message fragments", "131,072", "--max-fragments", "close with 1008"],
            ["Frame sent", "no limit", "--fragment-size", "fragmentation"],
            ["Time to connect", "10 s", "--connect-timeout", "status 6"],
            ["Redirects", "20", "--max-redirects", "status 4"],
            ["Wait for a reply", "30 s", "--reply-timeout", "status 6"],
            ["Wait after the input", "1 s", "--linger", "the run ends"],
            ["Closing handshake", "5 s", "--close-timeout", "status 6"],
            ["Duration of the run", "no limit", "--timeout", "status 6"],
            ["Missed heartbeats", "3", "--heartbeat-misses", "status 6"],
            ["Retries in a row", "no limit", "--reconnect=N", "the run ends"],
            ["Wait before a retry", "60 s", "--reconnect-delay", "retries earlier"],
        ],
        fixed: [
            ["Head of the response", "64 KiB", "status 5"],
            ["Header fields of the response", "128", "status 5"],
            ["Interim responses (1xx)", "8", "status 5"],
            ["Body of a rejection", "64 KiB", "the rest is not shown"],
            ["Cookies kept", "3,000", "an old one is dropped"],
            ["Cookies kept per domain", "50", "an old one is dropped"],
            ["Kept cookies in a request", "8,190 bytes", "the rest is not sent"],
            ["Wait for the pong after greetings", "1 s", "they are replies"],
            ["Messages held until that pong", "16 MiB", "they are replies"],
            ["Queued output", "16 MiB", "input pauses"],
            ["Unconfirmed messages", "16 MiB", "input pauses"],
            ["Connections that a message ends", "4", "status 1"],
            ["Wait for Retry-After", "5 min", "reconnects earlier"],
            ["Requests in flight", "65,536", "input pauses"],
            ["The same, with --reconnect", "16 MiB", "input pauses"],
            ["Remembered timed-out requests", "65,536", "oldest are forgotten"],
            ["Lines waiting for subscriptions", "1 MiB", "input pauses"],
            ["Waiting for --decode exec:", "1 MiB", "receiving pauses"],
            ["Steps of a REGEX search", "10 million", "no match, reported"],
            ["Message compared by --diff", "256 KiB", "shown as a whole"],
            ["Kinds kept for --diff", "1,000", "oldest are forgotten"],
            ["Data waiting for stdout", "1 MiB", "receiving pauses"],
            ["Data waiting for --record", "1 MiB", "both pause"],
            ["Frames waiting for -vv", "512 KiB", "both pause"],
            ["Lines waiting for stderr", "1 MiB", "lines are dropped"],
            ["Closing after a signal", "0.5 s", "connection is dropped"],
            ["File named by an option", "1 GiB", "rejected"],
            ["Cookie file", "16 MiB", "rejected"],
        ],
        prompt: [
            ["Payload shown by -vv", "256 bytes", "the rest is not shown"],
            ["JSON indented in a pipe", "1 MiB", "not indented"],
            ["Message shown at the prompt", "10 lines", "/show shows it"],
            ["The same, with /pretty full", "24 lines", "/show shows it"],
            ["The same, in bytes", "16 KiB", "/show shows it"],
            ["Messages shown per second", "200", "samples and a count"],
            ["Message shown by /show", "1 MiB", "the rest is not shown"],
            ["Messages kept for /show", "100,000", "oldest are dropped"],
            ["The same, in bytes", "64 MiB", "oldest are dropped"],
            ["Messages listed by /find", "100", "oldest are not listed"],
            ["Search by /find", "2 s", "the search ends"],
            ["File sent by /file", "1 GiB", "not sent"],
            ["Text written in /edit", "1 MiB", "rejected"],
            ["Lines of the history", "1,000", "oldest are dropped"],
            ["Saved line of the history", "1 MiB", "not saved"],
        ],
        notes: [
            .paragraph(
                """
                "Input pauses" means that standard input is not read until there is room, and "receiving pauses" the \
                same for the connection. A queue that has room takes a message of any size. Unconfirmed messages are \
                those that `--reconnect` may have to send again; see STAYING CONNECTED. Input messages have no size \
                limit, but each is held in memory as a whole.
                """)
        ])

    /// The limits of a command.
    ///
    /// A manual page is 71 columns wide, and a table separates its columns by 3: the widest texts of the columns add up
    /// to at most 62 characters in `adjustable` and 65 in `fixed`.
    /// - Parameters:
    ///   - adjustable: The limits with an option: the limit, its default, the option, and the effect of exceeding it.
    ///   - fixed: The other limits: the limit, its value, and the effect of exceeding it.
    ///   - prompt: The limits of the prompt, with the columns of `fixed`.
    ///   - notes: The text after the tables.
    static func limitTables(
        adjustable: [[String]], fixed: [[String]], prompt: [[String]] = [], notes: [ManualBlock] = []
    ) -> [ManualBlock] {
        let tables: [ManualBlock] = [
            .paragraph("Options change these limits:"),
            .table(headings: ["Limit", "Default", "Option", "If exceeded"], rows: adjustable),
            .paragraph("These limits are fixed:"),
            .table(headings: ["Limit", "Value", "If exceeded"], rows: fixed),
        ]
        let promptTables: [ManualBlock] = [
            .paragraph("These limits apply to messages shown and to the prompt:"),
            .table(headings: ["Limit", "Value", "If exceeded"], rows: prompt),
        ]
        return tables + (prompt.isEmpty ? [] : promptTables) + notes
    }
}
