import CommandLine

extension ManualSection {
    /// Which messages are requests, and which their replies.
    static let requests = ManualSection(
        "REQUESTS AND REPLIES",
        .paragraph(
            """
            With `--request`, `--correlate` or `--json-rpc` the messages of the input are requests, whether they come as \
            *MESSAGE*, from `--execute`, `--file`, standard input or the prompt. They are numbered from 1, and each \
            waits for its reply, `--reply-timeout` at most. Once the input is over and all requests are answered or \
            given up, the connection is closed; `--linger` stays for so long after the last reply.
            """),
        .definitions([
            (
                "`--request`",
                """
                The next message that comes after a request is its reply, and the next request is sent after it. When no \
                reply comes in time the run ends, because the next message could be a reply to either; at the prompt it \
                goes on.
                """
            ),
            (
                "`--correlate` *FIELD*",
                """
                A message of the input that is JSON and has *FIELD* is a request, any other is sent and waited for no \
                more. The reply is the message whose *FIELD* has the same value: strings are compared by what they \
                stand for, numbers as they are written, and a null is no value. Of requests with the same value the \
                first is answered first. Of members with the same name the last one counts. Where a message is an array, \
                the member *FIELD* of each of its objects is looked at, so that batches are awaited and answered, too. A \
                request without a reply in time is given up, with an error; the run goes on and ends with status 6. Its \
                reply may still come: then that is said.
                """
            ),
            ("`--request --correlate` *FIELD*", "The same, but one request after the other."),
            (
                "`--json-rpc`",
                """
                A line `method arg...` becomes a JSON-RPC 2.0 call whose id is its number, and `--correlate id` is \
                implied. A line that begins with a brace or a bracket is sent as it is. The DevTools of browsers and \
                of Node.js want calls without the member `jsonrpc`: they get them where the path begins with \
                `/devtools/`, and elsewhere with `--json-rpc=devtools`.
                """
            ),
        ]),
        .paragraph(
            """
            The arguments of a call are separated by blanks outside of quotes and brackets. What reads as JSON is JSON, \
            anything else a string, and so is everything in single quotes. Without arguments there are no `params`; an \
            object or an array alone is the `params`; where all arguments have the form *name*`=`*value* they are an \
            object, otherwise an array:
            """),
        .listing([
            #"sum 1 2.50 'a b'   "method":"sum","params":[1,2.50,"a b"]"#,
            #"open at=h n='1'    "method":"open","params":{"at":"h","n":"1"}"#,
            #"set {"a":[1]}      "method":"set","params":{"a":[1]}"#,
        ]),
        .paragraph(
            """
            Messages that answer nothing are written to standard output like replies, or with `--quiet` to standard \
            error, in the same format. With `--output json` the events of replies have `request`, the number of what \
            they answer, and `rtt_us`, the microseconds since it was sent; of a batch that answers several requests the \
            first. The prompt shows both, too. A request that is given up is an `error` event with `request`.
            """),
        .paragraph(
            """
            With `--reconnect` a request that has no reply when the connection is lost is sent again on the next one, \
            whether or not a pong has covered it, with the same number and the whole of its time. The *MESSAGE*s come \
            first, as on every connection, and are requests with their old numbers.
            """),
        .paragraph(
            "For instance, the title of a page in a Chromium that was started with `--remote-debugging-port=9222`:"),
        .listing([
            "url=$(curl -s -X PUT localhost:9222/json/new?http://localhost/ |",
            "  jq -r .webSocketDebuggerUrl)",
            "wsx connect --json-rpc \"$url\" \\",
            "  'Runtime.evaluate expression=document.title' |",
            "  jq -r .result.result.value",
        ]))

    /// The ends of a run, and the statuses that they have.
    static let ends = ManualSection(
        "HOW A RUN ENDS",
        .table(
            headings: ["What ends it", "and", "Status"],
            rows: [
                ["stdin ended, then --linger passed", "", "0"],
                ["the same", "--count, --until not met", "6"],
                ["stdin ended, all is answered", "", "0"],
                ["--count messages were received", "", "0"],
                ["a message matched --until", "", "0"],
                ["the reader of stdout went away", "", "0"],
                ["/quit, Ctrl-D, Ctrl-C (prompt)", "", "0"],
                ["it was dropped after our close", "", "0"],
                ["the peer closed: 1000, 1001, none", "", "0"],
                ["the same", "--count, --until not met", "7"],
                ["the same", "requests not answered", "1"],
                ["any of these with 0", "a request without reply", "6"],
                ["any of these with 0", "an --expect is not met", "7"],
                ["any of these with 0", "--fail and an error reply", "7"],
                ["the peer closed with another code", "", "1"],
                ["the connection was lost", "", "1"],
                ["no answer to our close", "within --close-timeout", "6"],
                ["the peer was silent", "for --heartbeat-misses", "6"],
                ["no reply within --reply-timeout", "--request alone", "6"],
                ["--timeout passed", "", "6"],
                ["--timeout passed", "an --expect is not met", "7"],
                ["SIGINT (Ctrl-C) elsewhere", "", "130"],
                ["SIGTERM", "", "143"],
                ["SIGHUP", "", "129"],
                ["SIGQUIT (Ctrl-\\)", "", "131"],
            ]),
        .paragraph(
            """
            All other statuses stay, whether or not an `--expect` is met: they say more. After \
            the last message by `--count` or `--until` nothing that comes decides the status; only the wait for the answer \
            to our close can still end in 6. `--expect` looks at all messages that are written, and decides at the end, \
            so that a reader that goes away early ends in 7 unless each had matched before.
            """),
        .paragraph(
            """
            A reader of standard output that goes away and a user who leaves the prompt end the run with 0 even if `--count` \
            and `--until` are not met. \
            At the prompt, requests without a reply and error replies are shown and do not change the status.
            """),
        .paragraph(
            """
            An end from this side sends a close frame with `--close-code` and `--close-reason`. With `--reconnect` an \
            end that another connection can help ends nothing, see STAYING CONNECTED.
            """))
}
