import CommandLine

/// The manual of `wsx convert`, without operands and options.
enum ConvertManual {
    static let manual = Manual(
        description: [
            .paragraph(
                """
                Converts between recordings of `--record` and HAR 1.2 files with WebSocket messages, which Chromium, \
                Playwright, and mitmproxy write. A recording from a browser can be played by `wsx listen --replay` and \
                `--scenario`. A HAR file can be opened in the network panel of Chromium. Both can become a page that \
                shows the session in any browser.
                """)
        ],
        sections: [
            ManualSection(
                "HAR FILES",
                .definitions([
                    (
                        "Chromium",
                        "Choose \"Save all as HAR with content\" or \"Export HAR\" in the network panel."
                    ),
                    ("Playwright", "Use `recordHar` with `content: 'embed'`."),
                    ("mitmproxy", "Use the command `save.har`, or `--set hardump=`*FILE*."),
                    ("Firefox", "Its HAR files have no WebSocket messages, and cannot be converted."),
                ]),
                .paragraph(
                    """
                    Requests for pages are ignored. The recording contains the URL, the status, and the header fields of \
                    the response, and all text and binary messages with their times. Messages without a time get that of \
                    the message before.
                    """),
                .paragraph(
                    """
                    A HAR file has an entry for each connection of a recording. Connections of a recording of \
                    `wsx listen` or `wsx relay` are written as their clients saw them. HAR has no pings, pongs, and \
                    close codes: a notice says how many are omitted. If a recording began when the connection was open \
                    already, the URL is `ws://unknown.invalid/`.
                    """),
                .paragraph(
                    """
                    Secrets in URLs and in header fields, such as cookies, are replaced with `•••` in both directions; \
                    see SECRETS in *wsx*(1). Request header fields are not converted. Messages are not changed: look for \
                    secrets in them before you share a file.
                    """),
                .paragraph(
                    """
                    A file of any size can be converted: only one message is in memory, of at most 64 MiB. Input from a \
                    pipe is first copied to a file without a name in `$TMPDIR`, or in /tmp.
                    """)),
            ManualSection(
                "SESSION PAGES",
                .paragraph(
                    """
                    A page is one file, which a browser opens without a server. It contains all messages of all \
                    connections, and loads nothing: its policy forbids every request. A timeline shows when messages \
                    were sent (above) and received (below); the heights are square roots of their numbers. The list can \
                    be searched and filtered by time, direction, and kind. `?` shows the keys.
                    """),
                .paragraph(
                    """
                    A received message is a reply if its member `id` equals that of a sent message before it, and it has \
                    no member `method`; the first one counts. Its latency is the time between the two. A message is \
                    compared with the previous one of its kind, as by `--diff`: that of the same direction with equal \
                    values of `type`, `event`, `op`, `method`, `channel`, `topic`, `stream`, and `symbol`. Messages \
                    above 256 KiB have neither.
                    """),
                .paragraph(
                    """
                    A page of 100,000 messages opens at once. Messages of any size are whole in the file, and are shown up \
                    to 1 MiB. At the prompt, `/save` *FILE*`.html` writes the same page.
                    """)),
            ManualSection(
                "EXIT STATUS",
                .definitions([
                    ("0", "Success."), ("1", "The output could not be written."),
                    ("2", "Bad usage, an invalid file, or a choice of several connections. No output file is left."),
                ])),
        ],
        examples: [
            CommandExample(
                purpose: "Answer clients as a server did in the browser",
                line: "wsx convert session.har room.jsonl && wsx listen --replay room.jsonl 8080"),
            CommandExample(purpose: "List the WebSocket connections of a page", line: "wsx convert --list session.har"),
            CommandExample(purpose: "Show a session in a browser", line: "wsx convert session.jsonl session.html"),
            CommandExample(
                purpose: "Show a recording in the network panel of Chromium",
                line: "wsx convert session.jsonl session.har"),
        ])
}
