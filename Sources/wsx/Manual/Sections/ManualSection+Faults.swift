import CommandLine

extension ManualSection {
    /// Fault injection and replay in detail.
    static let testingClients = ManualSection(
        "TESTING CLIENTS",
        .paragraph(
            """
            Fault injection imitates failing servers and bad networks. It tests how a client reconnects, times out, \
            and detects a dead server. The options combine with each other and with every mode, such as `--echo`.
            """),
        .definitions([
            (
                "`--delay`, `--drop-rate`",
                """
                These apply to all messages to a client: echoes, broadcasts, input, program output, and replies from a \
                recording. Order is kept: requested pings and close frames wait for the messages before them, but have \
                no delay themselves. Only the close with 1001 at the end of the server is sent at once. Messages still \
                held back when the client closes are discarded. If 16 MiB wait for one client, their source pauses: \
                the client itself, its program, or the input.
                """
            ),
            (
                "`--close-after`",
                """
                The close frame follows the reply to the last message. Later messages are neither shown nor answered, \
                and later pings get no pong. A program of `--exec` may not have replied to the last message by then. A \
                client that resends unconfirmed messages makes progress only if it sends at most *LIMIT* messages at \
                once; one request at a time always works.
                """
            ),
            (
                "`--throttle`",
                """
                The bytes of up to a tenth of a second may pass in one burst. Bytes that wait for the limit count as \
                queued output. A throttled client that keeps reading is not closed with 1013.
                """
            ),
            (
                "`--replay`",
                """
                The reply to a message is everything that the recorded server sent between an equal message and the \
                client message after it. Equal messages are used in recorded order; a skipped one can still be used \
                later. A message without an equal one gets the reply to the next recorded message. Anything recorded \
                before the first client message is sent when a client connects. Each reply is sent once; after the \
                last, the server is silent. Recorded close frames and pings are sent, too, but not pongs. To separate \
                replies clearly, record with `--request` or at a human pace.
                """
            ),
        ]),
        .paragraph(
            """
            A recording by `wsx connect --record` holds one conversation per connection. In a recording by a server, \
            each `client` is a conversation, and `out` marks the server's messages. The first client gets the first \
            conversation, the second the next, and so on; after the last, they start again. The whole recording is \
            kept in memory.
            """),
        .listing([
            "wsx listen --echo --reject 503x3 -H 'Retry-After: 1' 8080  # retries?",
            "wsx listen --echo --close-after 30s 8080                   # reconnects?",
            "wsx listen --echo --close-after 9 --close-code 1008 8080   # gives up?",
            "wsx listen --echo --drop-rate 5% --seed 1 8080             # notices losses?",
            "wsx listen --echo --delay 100ms-3s 8080                    # tolerates delay?",
            "wsx listen --echo --no-pong 8080                           # heartbeats?",
            "wsx listen --echo --throttle 16k --delay 300ms 8080        # slow network?",
            "wsx listen --replay log.jsonl --replay-speed 1 8080        # as recorded",
        ]))
}
