import CommandLine

extension ManualSection {
    /// The scenarios of `wsx connect`.
    static let scenarios = ManualSection(
        "SCENARIOS",
        blocks: [
            .paragraph(
                """
                A scenario is a file with one JSON object per line, in the format of RECORDINGS. Each line is a step: \
                `"direction":"out"` sends, and `"direction":"in"` waits. A recorded session is therefore a test. Steps \
                wait up to 10 seconds, or for their `timeout`.
                """)
        ] + scenarioSteps + scenarioProtocols + [
            .heading("wsx connect"),
            .paragraph(
                """
                `wsx connect` writes one line per step to standard output. `--quiet` writes only the failed step. `-v` \
                shows messages and control frames on standard error. `--timeout` limits the whole run, and its error \
                names the step. A missing answer to a close frame leads to status 6. More than 1 MiB of messages that \
                arrive during a pause fail the step. `wsx listen --scenario` plays the opposite side of the same file.
                """),
            .listing([
                "wsx connect --record login.jsonl wss://chat.example/room",
                "wsx connect --scenario login.jsonl --ignore /time wss://chat.example/room",
            ]),
            .heading("wsx listen"),
        ] + serverScenarios + [.heading("wsx bench")] + BenchManual.scenarios)

    /// The scenarios of `wsx listen`.
    private static let serverScenarios: [ManualBlock] = [
        .paragraph(
            """
            A scenario describes a conversation from the client's side, in the format of RECORDINGS. `wsx listen \
            --scenario` plays the opposite side for each client: it waits for the messages with \
            `"direction":"out"`, and sends those with `"direction":"in"`. `wsx connect --scenario` plays the \
            client's side of the same file.
            """),
        .paragraph(
            """
            The server waits for its clients without a time limit. A `pause` delays the next message to the \
            client, and ends early when the client sends something. Every message of a client must be the expected \
            one: it equals `data` except for `--ignore`, or matches `match`, which suits values such as `{{time}}`. `set` \
            takes variables from it. An `optional` message is awaited up to its `timeout`, or 1 second, unless another \
            message arrives; an incoming one is sent if it has `data`. `{{seq}}` counts the client's messages, and \
            `{{connection}}` is the client's number.
            """),
        .paragraph(
            """
            After the last step, the server waits until the client closes the connection. With `repeat`, it \
            continues there, and the client may leave after any iteration. A client that deviates is closed with \
            1008 and the step as the reason. The client, the step, and the difference are reported on standard \
            error, and the server continues. When it ends, its exit status is 7 if any client has deviated, and 0 \
            otherwise.
            """),
        .listing([
            "wsx listen --scenario login.jsonl --once 8080",
            "wsx connect --scenario login.jsonl :8080",
        ]),
    ]

    /// The format of scenarios.
    static let scenarioSteps: [ManualBlock] = [
        .listing([
            #"{"type":"message","direction":"out","data":"{\"token\":\"{{env:TOKEN}}\"}"}"#,
            #"{"type":"message","direction":"in","data":"{\"sid\":\"s-1\"}","match":"sid","set":{"sid":"/sid"},"name":"login"}"#,
            #"{"type":"pause","for":"1s-3s"}"#,
            #"{"type":"message","direction":"out","data":"{\"sid\":\"{{sid}}\",\"id\":{{seq}}}"}"#,
            #"{"type":"message","direction":"in","data":"{\"id\":{{seq}}}","timeout":"2s"}"#,
        ]),
        .definitions([
            (
                "`message`",
                """
                `data` is the text of the message, with PLACEHOLDERS; `base64` contains the bytes of a binary message. \
                `opcode` is `text` or `binary`. An incoming message must equal `data` or `base64`, which `--decode` \
                decodes as it does received messages; JSON is compared by value. With `match`, a regular expression or \
                an object that maps JSON Pointers to values, it must match that instead, and only `wsx listen` needs \
                `data`. The values of the object may contain placeholders, but the regular expression may not. Other \
                messages are skipped, or fail the step with `"strict":true`. `expect`, in the form of `match`, checks \
                the message that `match` selects; a different one fails the step. `set` maps names of variables to \
                JSON Pointers in the message; later steps insert the values as `{{`*name*`}}`.
                """
            ),
            (
                "`replyEnd`",
                """
                In an incoming message, in the form of `match`: the step waits for a reply of several messages, up to the \
                first that matches, such as `"json:.type==\\"done\\""`. With `match`, other messages do not belong to the \
                reply. `expect` and `set` are about the last message, and the time limit is about the whole reply. Reports \
                have the times of the first message and of the longest gap, and the number of messages.
                """
            ),
            (
                "`optional`",
                """
                With `true`, the message may be missing: the step is skipped when a message for the next step arrives, \
                when the connection ends, or after its `timeout`.
                """
            ),
            (
                "`anyOrder`",
                """
                Waits for the messages of all `steps`, an array, in any order. The first step that matches takes a \
                message. `timeout` is the time limit of steps without their own. Outgoing messages are sent in the \
                given order.
                """
            ),
            ("`ping`, `pong`", "Outgoing: sends the frame with `data` or `base64`. Incoming: waits for one."),
            (
                "`close`",
                """
                Outgoing: closes the connection with `code` and `reason`; with 1006, drops it without a close frame. \
                Incoming: waits until the peer closes it, with `code` if given.
                """
            ),
            ("`pause`", "Waits for the duration in `for`, or a random one in a range such as `1s-3s`."),
            ("`repeat`", "Marks the first step that a load test or a server repeats. `wsx connect` ignores it."),
            ("`recording`, `open`, `listening`, `error`", "Ignored."),
        ]),
        .paragraph(
            """
            `name` appears in reports. A member that a step does not have is an error. In `data`, write `{{{{` for two \
            literal braces.
            """),
        .paragraph(
            """
            In a line with a `time`, as every recorded line has, `data` is literal, and an unknown \
            type is ignored; delete `time` to use placeholders. \
            Of a recording, only the first connection or client is played, or the one of `--connection`. Received pings and pongs are not awaited, \
            and the recorded close frame follows the last reply. The recorded subprotocol is offered, unless `-s` names \
            another, and a server accepts it.
            """),
        .paragraph(
            """
            If a step fails, its error shows the difference of the message that was closest to the expected one, or names \
            the earlier step that skipped a matching message.
            """),
    ]

    /// Scenarios with application protocols and codecs.
    static let scenarioProtocols: [ManualBlock] = [
        .paragraph(
            """
            With `--protocol`, `data` of an outgoing message is a line as it would be typed, such as `chat {"x":1}`. \
            Incoming messages are the server's events, replies, and refusals. A regular expression, or `data`, is \
            compared with the whole line: topic, name, and payload, as in `"match":"^chat "`. JSON Pointers refer to the \
            payload alone. Lines request a reply if the protocol has replies. The steps begin when the server has \
            confirmed the login, and keepalives and confirmations are not messages. Recordings contain the messages of \
            the protocol; play them without `--protocol`.
            """),
        .paragraph(
            """
            With `--decode`, steps receive decoded messages as text, and recorded messages are decoded in the same way \
            before they are compared. With `--encode`, text to send must be JSON. Messages without placeholders are \
            checked before connecting.
            """),
    ]
}
