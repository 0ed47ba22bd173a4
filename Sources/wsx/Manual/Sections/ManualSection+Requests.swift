import CommandLine

extension ManualSection {
    /// How messages become requests, and how replies are matched to them.
    static let requests = ManualSection(
        "REQUESTS AND REPLIES",
        .paragraph(
            """
            With `--request`, `--correlate`, or `--json-rpc`, input messages are requests; for `--protocol`, see \
            PROTOCOLS. It does not matter whether they come from *MESSAGE* operands, `--execute`, `--file`, standard \
            input, or the prompt. Requests are numbered from 1, and each waits for its reply for at most \
            `--reply-timeout`. The connection is closed when the input has ended and every request is answered or \
            timed out. `--linger` adds a wait after the last reply.
            """),
        .definitions([
            (
                "`--request`",
                """
                The reply is the next message received, except greetings and answered messages, as with `--one`. Then the \
                next request is sent. If a reply does not arrive in time, the run ends, because later replies could not \
                be matched; the prompt continues.
                """
            ),
            (
                "`--correlate` *FIELD*",
                """
                Each input message is a request: JSON with a string or number in *FIELD*. Any other message is an \
                error and is not sent. The reply is the received message with the same value in *FIELD*, or in \
                *REPLY* with `--correlate` *REQUEST*`=`*REPLY*. Strings are compared after unescaping, and numbers by \
                their value. `null` counts as no value. If several requests have \
                the same value, the oldest is answered first. If a member occurs twice, the last one counts. In a \
                batch (a JSON array), each object needs the member *FIELD*; the replies to it have the value in the same \
                field. A field name cannot contain `=`. If a reply does not arrive in time, \
                the error is reported, and the run continues but ends with status 6. A reply that arrives later is \
                reported as late.
                """
            ),
            ("`--request --correlate` *FIELD*", "The same, with only one request in flight."),
            (
                "`--json-rpc`",
                """
                A line `method arg...` becomes a JSON-RPC 2.0 call with its number as the id, and `--correlate id` is \
                implied. A line that begins with a brace or a bracket is sent unchanged. It must be a call with an \
                `id`, a notification, which has a `method` and no reply, or a batch of these. The DevTools of browsers and \
                of Node.js expect calls without the member `jsonrpc`. It is omitted if the URL's path begins with \
                `/devtools/`, or with `--json-rpc=devtools`.
                """
            ),
        ]),
        .paragraph(
            """
            The arguments of a call are separated by blanks outside of quotes and brackets. An argument that is valid \
            JSON is sent as it is. Any other argument, and everything in single quotes, is sent as a string. Without \
            arguments, the call has no `params`. A single object or array becomes the `params`. Arguments that all \
            have the form *name*`=`*value* become an object, and other arguments an array:
            """),
        .listing([
            #"sum 1 2.50 'a b'   "method":"sum","params":[1,2.50,"a b"]"#,
            #"open at=h n='1'    "method":"open","params":{"at":"h","n":"1"}"#,
            #"set {"a":[1]}      "method":"set","params":{"a":[1]}"#,
        ]),
        .paragraph(
            """
            Messages that are not replies are also written to standard output or, with `--quiet`, to standard error in \
            the same format. With `--output json`, a reply has the members `request`, the \
            number of its request, and `rtt_us`, the microseconds since the request was sent. For a batch that answers \
            several requests, they refer to the first. The prompt shows both as well. A request that times out is an \
            `error` event with `request`.
            """),
        .paragraph(
            """
            With `--reconnect`, requests without a reply are sent again on the next connection, even if a pong has \
            confirmed them. They keep their numbers, and their time limit starts over. The *MESSAGE*s are sent first, \
            as on every connection, and keep their numbers as well. With `--template`, placeholders are replaced when a \
            request is sent for the first time, so `{{last:`*PATH*`}}` refers to the last reply, and a request that is \
            sent again is the same.
            """),
        .paragraph(
            """
            For example, this prints the title of a page in a Chromium that was started with \
            `--remote-debugging-port=9222`:
            """),
        .listing([
            "url=$(curl -s -X PUT localhost:9222/json/new?http://localhost/ |",
            "  jq -r .webSocketDebuggerUrl)",
            "wsx connect --json-rpc \"$url\" \\",
            "  'Runtime.evaluate expression=document.title' |",
            "  jq -r .result.result.value",
        ]))

    /// The ways in which a run ends, and their statuses.
    static let ends = ManualSection(
        "HOW A RUN ENDS",
        .table(
            headings: ["Event", "Condition", "Status"],
            rows: [
                ["Input ended, --linger passed", "", "0"],
                ["Input ended, --linger passed", "goal not met", "6"],
                ["Input ended, requests answered", "", "0"],
                ["--count messages received", "", "0"],
                ["One reply per message received", "with --one", "0"],
                ["A message matched --until", "", "0"],
                ["Reader of stdout went away", "", "0"],
                ["/quit, Ctrl-D, Ctrl-C (prompt)", "", "0"],
                ["Peer disconnected after our close", "", "0"],
                ["Peer closed (1000, 1001, no code)", "", "0"],
                ["Peer closed (1000, 1001, no code)", "goal not met", "7"],
                ["Peer closed (1000, 1001, no code)", "before --ready matched", "7"],
                ["Peer closed (1000, 1001, no code)", "requests not answered", "1"],
                ["Peer closed (1000, 1001, no code)", "messages not sent", "1"],
                ["Any of these with status 0", "a request timed out", "6"],
                ["Any of these with status 0", "unconfirmed lines", "6"],
                ["Any of these with status 0, 1, 6", "a refused line", "7"],
                ["Any of these with status 0", "an --expect not met", "7"],
                ["Any of these with status 0", "--one: no --pick value", "7"],
                ["Any of these with status 0", "--fail and an error reply", "7"],
                ["Peer closed with another code", "", "1"],
                ["Connection lost", "", "1"],
                ["A program of --decode ended", "", "1"],
                ["No answer to our close", "within --close-timeout", "6"],
                ["Peer silent", "for --heartbeat-misses", "6"],
                ["No match of --ready", "within --connect-timeout", "6"],
                ["Login of --protocol refused", "", "4"],
                ["Login of --protocol not confirmed", "within --connect-timeout", "6"],
                ["No reply within --reply-timeout", "--request alone", "6"],
                ["--timeout passed", "", "6"],
                ["--timeout passed", "an --expect not met", "7"],
                ["SIGINT (Ctrl-C) elsewhere", "", "130"],
                ["SIGTERM", "", "143"],
                ["SIGHUP", "", "129"],
                ["SIGQUIT (Ctrl-\\)", "", "131"],
            ]),
        .paragraph(
            """
            The goal of a run is `--count`, `--one`, or `--until`; meeting any of them is enough. After the last message \
            for it, received data no longer affects the status, but a missing answer to our close frame still leads to \
            6, because the peer may not have read every message. If a goal, `--expect`, or requests were met, and a reply \
            has arrived for each message sent, the status is 0 unless the system reports unsent bytes, and the wait is 1 \
            second unless `--close-timeout` is given. Without `--one`, requests, or ids, each message counts as a reply.
            """),
        .paragraph(
            """
            Messages are not sent if the peer closes the connection before: *MESSAGE*s, the input if nothing of it was \
            sent, and with `--reconnect` messages that wait. In protocols, a reply is only needed with `--one` or \
            `--request`.
            """),
        .paragraph(
            """
            An unmet `--expect` replaces status 0, and status 6 if `--timeout` ended the run. All other statuses take \
            precedence. `--expect` considers all messages written and is evaluated at the end. If the reader of \
            standard output goes away early, the status is 7 unless every `--expect` has matched before.
            """),
        .paragraph(
            """
            If the reader of standard output goes away or the user leaves the prompt, the status is 0 even if the goal \
            is not met. At the prompt, timed-out requests and error replies are shown but do not affect the status.
            """),
        .paragraph(
            """
            When `wsx` closes the connection, it sends `--close-code` and `--close-reason`. With `--reconnect`, a lost \
            connection does not end the run if a retry can help; see STAYING CONNECTED.
            """))
}
