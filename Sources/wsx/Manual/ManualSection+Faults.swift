import CommandLine

extension ManualSection {
    /// What goes wrong on purpose, and what can be tried with it.
    static let tryingClients = ManualSection(
        "TRYING CLIENTS",
        .paragraph(
            """
            With the options of fault injection the server does what networks and servers do at bad moments, so that \
            reconnects, time limits and heartbeats of a client can be tried. They go with each other and with every \
            way of serving.
            """),
        .definitions([
            (
                "`--delay`, `--drop-rate`",
                """
                Concern all messages to a client: echoes, broadcasts, input, programs, replays. Order is kept, also by pings and \
                close frames that are asked for, which wait behind the messages before them and for no more; the close \
                with 1001 at the end of the server waits for nothing. A client that closes the connection does not get \
                what still waits. With 16 MiB waiting for one client, the client is not read, or where its own \
                messages are not the source, its program or the input is not.
                """
            ),
            (
                "`--close-after`",
                """
                The close frame follows the answer to the last message. Messages behind it are neither shown nor \
                answered, and pings get no pong. A client that repeats what was not confirmed, and sends more at a \
                time than it may, comes no further: one request at a time does. A program of `--exec` may not have \
                answered the last message by then.
                """
            ),
            (
                "`--throttle`",
                """
                A tenth of a second's worth may pass at once. What has been written and not passed yet counts as \
                queued. A client that reads is not closed with 1013 because it is throttled.
                """
            ),
            (
                "`--replay`",
                """
                The answer to a message is what the server of the recording sent between an equal message and the \
                next one: the next equal message of the recording, or else one that was passed over. A message that \
                has no equal gets the answer to the next one in order. What came before the first message is sent \
                when a client connects. Each answer is given once; after the last there is silence. A close frame of \
                the server is sent as well, and so are its pings, and not its pongs. So that answers can be told \
                apart, record with `--request`, or at a human pace.
                """
            ),
        ]),
        .paragraph(
            """
            A recording of `wsx connect --record` has a conversation for each connection that it made; where events \
            have a `client`, as a server writes them, there is one for each client, and `out` is what the server \
            said. The first client gets the first conversation, and so on, and then they begin again. The whole \
            recording is kept in memory.
            """),
        .listing([
            "wsx listen --echo --reject 503x3 -H 'Retry-After: 1' 8080  # tries again?",
            "wsx listen --echo --close-after 30s 8080                   # reconnects?",
            "wsx listen --echo --close-after 9 --close-code 1008 8080   # gives up?",
            "wsx listen --echo --drop-rate 5% --seed 1 8080             # misses replies?",
            "wsx listen --echo --delay 100ms-3s 8080                    # bears waiting?",
            "wsx listen --echo --no-pong 8080                           # heartbeats?",
            "wsx listen --echo --throttle 16k --delay 300ms 8080        # slow network?",
            "wsx listen --replay log.jsonl --replay-speed 1 8080        # as recorded",
        ]))
}
