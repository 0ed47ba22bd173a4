import CommandLine

extension ManualSection {
    /// Application protocols in `wsx connect`.
    static let clientProtocols: [ManualBlock] = [
        .paragraph(
            """
            With `--protocol` *NAME*, each input message is a line in the notation of the protocol. This includes \
            *MESSAGE* operands, standard input, and the prompt. Lines are sent when the server has confirmed the \
            login. `wsx help protocol` *NAME* shows the notation. Binary messages bypass the protocol. At the prompt, \
            double a leading slash: `//admin chat "hi"`.
            """),
        .definitions([
            (
                "Events",
                """
                are written as they would be typed: topic, name, and payload. They count for `--count`, and `--until` \
                and `--expect` match the whole line. `--pick` and `/where` apply to the payload. A result of a GraphQL \
                subscription with `errors` is reported like an error reply.
                """
            ),
            (
                "Replies",
                """
                are written in the same way, without the request. At the prompt, a reply shows the number of its \
                request and the round trip. With `--request` or `--one`, each line is a request, and the protocol's \
                identifier finds its reply. The reply to a GraphQL subscription or a SignalR stream is its end. An \
                error reply is also reported on standard error; see `--fail`.
                """
            ),
            (
                "Confirmations",
                """
                such as that of a subscription are dimmed at the prompt, are `notice` events in JSON output, and \
                otherwise appear only with `-v`. The default wait after the end of the input lasts until all have \
                arrived, but not longer than `--connect-timeout`. If the protocol has a confirmation and it is \
                missing at the end, the run exits with 6, except at the prompt and after a goal such as `--count`.
                """
            ),
            (
                "Refusals",
                """
                of a subscription, channel, namespace, or topic, and a subscription that ends with an error, are \
                reported as errors. The run then exits with 7, also with `--request` or `--one`, where the refusal is \
                an error reply, and also if the server then closes the connection. Exceptions are the prompt, and a \
                goal such as `--count` that is met. Later lines for a refused subscription are not sent, until a line \
                asks for it again. An error of a call is only a reply; see `--fail`. So is an error of JSON-RPC without \
                an id: the server could not read the id of a call. A STOMP server ends the connection with its error; \
                if a line may be the cause, the status is 7 as well.
                """
            ),
            ("Hidden messages", "of the login and the keepalive are shown with `-v`."),
            (
                "Messages that are not understood",
                """
                are written unchanged, and a notice states the reason. Of a JSON-RPC batch, the messages that are \
                understood come first. If the connection ends within a frame or record of the protocol, a notice says \
                so.
                """
            ),
            (
                "Waiting lines",
                """
                are sent when the server has confirmed their subscription, channel, or namespace. Later lines for it, \
                such as `leave`, wait behind them. The prompt marks them with `…`. Beyond 1 MiB, the input pauses. If \
                the server does not confirm the subscription, their number is reported at the end of the run, which \
                then exits with 6, or with 7 if the server refuses or ends it. A refused line with a reply gets an \
                error reply instead.
                """
            ),
        ]),
        .paragraph(
            """
            With `--output json`, `data` or `base64` is the payload, and `protocol` is an object with these members:
            """),
        .table(
            headings: ["Member", "Value"],
            rows: [
                ["name", "the name of the protocol"],
                ["role", "event, reply, refusal, notice, or, with -v, hidden"],
                ["error", "true for an error, and otherwise absent"],
                ["event", "the name of the event, if it has one"],
                ["topic", "the topic, if the event has one"],
                ["id", "the identifier, if the event has one"],
                ["attributes", "further values, if the event has any"],
            ]),
        .paragraph(
            """
            `raw`, `hex`, and `base64` write only the payload. A recording contains the messages that were sent and \
            received, so `--input json` replays it without `--protocol`.
            """),
        .paragraph(
            """
            If the server refuses the login, wsx shows its reason and exits with 4. Without a confirmation within \
            `--connect-timeout`, it exits with 6. A silent server counts as a lost connection. The disconnect packet \
            of Socket.IO counts as a close with 1000. The close packet of Engine.IO, and a close message of SignalR that \
            permits reconnecting, count as one with 1001.
            """),
        .paragraph(
            """
            With `--reconnect`, a close of Socket.IO with 1000 also leads to a new connection, unless a disconnect \
            packet precedes it. The session then logs in again and renews its subscriptions, except refused ones. \
            Afterwards, lines that waited or are not confirmed are sent again. A line is confirmed by its reply if \
            there will be one, such as the result of a GraphQL mutation; by an acknowledgement, such as PUBACK of \
            MQTT, RECEIPT of STOMP, or phx_reply of Phoenix; or by a pong. Lines for a subscription are sent when it \
            is confirmed, so they may be behind lines for others.
            """),
        .paragraph(
            """
            An identifier in a reply must have the value that was sent, as the protocols require. For JSON-RPC and \
            protocols in files, the numbers `1` and `1.0` are equal, and the string `"1"` is another identifier.
            """),
        .listing([
            "wsx --protocol socket.io http://localhost:3000 -1 'chat \"hi\"'",
            "wsx --protocol graphql :4000/graphql '@query.graphql {\"x\":1}'",
        ]),
    ]
}
