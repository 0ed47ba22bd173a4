import CommandLine

/// The manual of `wsx check`, without operands and options.
enum CheckManual {
    static let manual = Manual(
        description: [
            .paragraph(
                """
                Checks whether a WebSocket server or client is right by the letter of RFC 6455, RFC 7692 (compression), and, with \
                `--http2`, RFC 8441. It plays more than a thousand cases, each on a connection of its own: messages of every length, \
                broken frames, invalid UTF-8, handshakes with something missing, closing in every order. The cases 1 to 13 \
                have the ids of the Autobahn TestSuite.
                """),
            .paragraph(
                """
                A server that echoes messages is checked with all cases. Any other is checked with those that need no echo; \
                the results count the rest as skipped. `wsx` finds out at the beginning, with one message.
                """),
        ],
        sections: [
            ManualSection(
                "VERDICTS",
                .definitions([
                    ("passed", "The peer does what the RFC says."),
                    ("non-strict", "It misses a SHOULD, or meets a MUST too late."),
                    ("informational", "The RFC leaves open what to do; the verdict tells what the peer does."),
                    ("failed", "It violates the RFC, or sends something that no peer may send."),
                    ("skipped", "The case does not suit the peer, or its valid form fails already."),
                ]),
                .paragraph(
                    """
                    How a connection ends is judged apart: a wrong close code, an end of TCP without a close frame, or a \
                    server that does not end TCP is counted in the last line, but does not change the verdict of a case about \
                    something else.
                    """),
                .paragraph(
                    """
                    Where a peer must fail the connection, the same steps in their valid form are played first. If the peer \
                    does not accept these, because it wants a login or closes after every unknown message, it would pass by \
                    accident: such cases are skipped. Log in with `--header`, `--first-message`, `--ready`, or \
                    `--subprotocol`. A server that echoes should send nothing else after its greeting.
                    """)),
            ManualSection(
                "CLIENTS",
                .paragraph(
                    """
                    With `--listen`, clients fetch their cases with the paths of the Autobahn TestSuite, so that its test \
                    programs run unchanged. A client connects to `/getCaseCount`, which sends the number of cases; to \
                    `/runCase?case=`*N*`&agent=`*NAME* for each, where it must echo every message; and to \
                    `/updateReports?agent=`*NAME*. `/getCaseInfo?case=`*N* sends the id and title, and \
                    `/getCaseStatus?case=`*N*`&agent=`*NAME* the verdict. The cases of section H, in which `/runCase` itself \
                    is answered wrongly, are only played with `--case 'H.*'`.
                    """),
                .paragraph(
                    """
                    The page at `/` checks the browser that opens it, and then shows the results of all agents so far, which \
                    are also at `/report`. Its address can name the agent: `/?agent=`*NAME*. As for `wsx listen --console`, \
                    the address must be an IP address or localhost.
                    """),
                .paragraph(
                    """
                    The run ends with SIGINT or SIGTERM, or with `--once` after `/updateReports` or the end of the page's \
                    cases. Without a client, the status is 7.
                    """)),
            ManualSection(
                "CASE FILES",
                .paragraph(
                    """
                    A case is text: what is sent, and what is accepted. `--explain` shows any case as it is written. \
                    `--case-file` plays your own:
                    """),
                .listing([
                    "section X My extension", "  rfc 6455 §5.2", "  why What a failure means for users.", "",
                    "control text", "  send text \"Hello\"", "", "case X.1 A text frame with RSV2 fails the connection",
                    "  control text", "  send text \"Hello\" rsv2", "  pass nothing, fails 1002",
                ]),
                .paragraph(
                    """
                    A line of a case is a step, an outcome, a change of the handshake, or `rfc`, `why`, `role server`, `role \
                    client`, `control` *NAME* (the valid form), `offer` and `answer` *TEXT* (the extension that is \
                    negotiated), `silent` (pings and close frames get no answer), `early` (no wait for the response), \
                    `fresh` (a client's keys must be new), or `row` *WORD*... (the case is repeated with \
                    `$1` to `$9`, and `*` in its id becomes the number of the row).
                    """),
                .definitions([
                    (
                        "`send` *KIND* *TERM*... *FLAG*...",
                        """
                        Sends a frame. *KIND* is `text`, `binary`, `continuation`, `close` with a code, `ping`, `pong`, or an \
                        opcode. *TERM* is `"text"` with the escapes `\\n`, `\\r`, `\\t`, `\\xHH`, and `\\u{H}`, `hex:48`, \
                        *N*`*`*TERM*, or `json:`*N*, `prose:`*N*, `noise:`*N*, `utf8:`*N* for generated bytes. *FLAG* is \
                        `more` (FIN is 0), `rsv1`, `rsv2`, `rsv3`, `wrongmask`, `zeromask`, `length=`*N*, `length16`, \
                        `length64`, `topbit`, `deflate`, `fragments=`*N*, `by=`*N* (bytes per write), `alone`, or \
                        `times=`*N*.
                        """
                    ),
                    ("`bytes` *TERM*...", "Sends bytes that are no frame."),
                    (
                        "`exchange` *N* *KIND* *TERM*...",
                        "Sends *N* messages, each after the echo of the one before."
                    ),
                    ("`sync`", "Sends a ping, and waits for its pong."),
                    (
                        "`await` *WHAT*",
                        """
                        Waits for `echo`, `pong`, `close`, `ack` (of settings and pings of HTTP/2), or `fail`; if the last one \
                        does not come, outcomes with `late` apply.
                        """
                    ),
                    (
                        "`http2` *TYPE* *TERM*...",
                        """
                        Sends a frame of HTTP/2, such as `data`, `ping`, or `settings`, with `flags=`*N*, `stream=`*N*, and \
                        `length=`*N*. The line `settings` *TERM*... extends our first SETTINGS frame.
                        """
                    ),
                    (
                        "`pause`, `shutdown`, `drop`, `unread`, `read`",
                        "Waits 0.2 s, ends our side of TCP, closes it, stops reading, or reads again."
                    ),
                    (
                        "`pass`, `nonstrict`, `info` *EVENT*..., *ENDING*",
                        """
                        An outcome; the first one that fits is the verdict. *EVENT* is `echo`, `echoes`, `pong`, `pongs`, `text` \
                        *TERM*, `binary` *TERM*, `nothing`, or `any`. *ENDING* is `closes` (the default: we close), `fails` \
                        *CODE*..., `fails exactly` *CODE*..., `answers` *CODE*..., `ends`, `refuses` *STATUS*..., `opens`, or, \
                        over HTTP/2, `resets` *NAME*... (an error of the stream or connection) or `errors` *NAME*... (of the \
                        connection). \
                        Among codes, `none` is a close frame without one, and `drop` an end of TCP. `refuses` and `opens` take \
                        `has=`*NAME*`:`*VALUE* and `lacks=`*NAME*.
                        """
                    ),
                    (
                        "`header set`, `add` *NAME* *TEXT*, `header drop` *NAME*, `header raw` *TEXT*",
                        """
                        Changes our request or response; so do `method`, `target`, `version`, `status`, `body`, and `head \
                        by=`*N*. *TEXT* may contain `{key}`, `{accept}`, `{ACCEPT}` (in upper case), `{host}`, `{target}`, and `{value}`.
                        """
                    ),
                ])),
            ManualSection(
                "RESULTS",
                .paragraph(
                    """
                    Standard output has a line for each section, a block for each failure with the frames that were sent (`>`) \
                    and received (`<`), and a sentence. With `--json`, it has an object with `version`, `agent`, `role`, \
                    `echoes`, and `cases`, an array of objects with `id`, `title`, `verdict`, `close` (`ok`, `wrong-code`, \
                    `unclean`, `not-ended`, or `failed`), `reason`, and `ms`; with `--listen`, a line for each client. \
                    Failed, non-strict, and informational cases also have `rfc`, `expected`, and `consequence`, and failed \
                    ones `frames`.
                    """),
                .paragraph(
                    """
                    `--report` writes a page for people. To compare implementations, check each with `--json`, and give the \
                    files to `--results`.
                    """)),
            ManualSection(
                "EXIT STATUS",
                .definitions([
                    ("0", "No case has failed, or only those that `--expect` lists."),
                    ("1", "The results could not be written."),
                    ("2", "Bad usage, or an invalid file."),
                    ("3", "The server could not be reached, or not any more."),
                    ("4", "The server refuses every handshake."),
                    ("6", "`--timeout` has ended the run."),
                    ("7", "A case has failed."),
                ])),
        ],
        examples: [
            CommandExample(purpose: "Check a server", line: "wsx check ws://localhost:8080/echo"),
            CommandExample(
                purpose: "Check a server that wants a login",
                line: "wsx check wss://api.example/ws --bearer @token.txt"),
            CommandExample(
                purpose: "Check only UTF-8, and see why a case failed",
                line: "wsx check ws://localhost:8080/ --case '6.*'"),
            CommandExample(purpose: "Check a client, or a browser", line: "wsx check --listen 9001"),
            CommandExample(
                purpose: "Compare a server with the results of another one",
                line: "wsx check ws://localhost:8080/ --report check.html --results other.json"),
            CommandExample(
                purpose: "Fail a CI job on new failures only",
                line: "wsx check ws://localhost:8080/ --expect known-failures.txt --junit check.xml"),
        ])
}
