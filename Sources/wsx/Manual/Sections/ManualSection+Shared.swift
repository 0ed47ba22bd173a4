import CommandLine
import WSCore

extension ManualSection {
    /// The protocol errors of a peer, by identifier.
    static let violations = ManualSection(
        "PROTOCOL ERRORS",
        .paragraph(
            """
            If the peer violates the protocol, `wsx` closes the connection with the code and reason below. Error \
            messages contain the identifier, which does not change between versions. `message-too-big` and \
            `too-many-fragments` mean that a message exceeded a limit of this end. They are not violations: the exit \
            status is 1, not 5. The frames, codes, and limits in the texts below are examples.
            """),
        .definitions(
            ProtocolError.catalogue.map { error in
                let words = "\(error.closeCode.rawValue): \(error.description)."
                return (MarkedText(stringLiteral: "`\(error.identifier)`"), MarkedText(stringLiteral: words))
            }))

    /// The TLS errors of a client, by identifier.
    static let tlsErrors = ManualSection(
        "TLS ERRORS",
        .paragraph(
            """
            If TLS with a server or a proxy fails, the exit status is 3, and the error message ends with an identifier \
            in parentheses. Identifiers do not change between versions. The names and values in the texts below are \
            examples.
            """),
        .definitions(
            TLSError.clientCatalogue.map { error in
                // A literal protects the asterisk of a wildcard from being read as markup.
                let words = error.description.split(separator: " ").map { $0.contains("*") ? "`\($0)`" : String($0) }
                return (
                    MarkedText(stringLiteral: "`\(error.identifier)`"),
                    MarkedText(stringLiteral: words.joined(separator: " ") + ".")
                )
            }))

    /// The exit statuses, which are the same for every command.
    static let exitStatus = ManualSection(
        "EXIT STATUS",
        .definitions([
            (
                "0",
                """
                Success. A close by the peer with 1000, 1001, or no code is a normal end, and so is a reader of \
                standard output that goes away.
                """
            ),
            (
                "1",
                """
                The peer closed with another code, the connection was lost, a message exceeded `--max-message-size` or \
                `--max-fragments`, or reading or writing failed, also because a reader was too slow at the end. With \
                `wsx listen --once --exec` and `wsx connect --exec`, 1 also means that the program's process could not \
                be created, that it exited with a nonzero status, or that it was killed by a signal that `wsx` did not \
                send.
                """
            ),
            (
                "2",
                """
                Invalid usage or invalid input. If the command line contains `--json` or `--output json`, the error \
                is one line of JSON on standard error: `error`, `option`, `suggestion`, and `status`.
                """
            ),
            ("3", "Could not connect (name lookup, network, proxy, or TLS), or could not listen."),
            (
                "4",
                """
                The server rejected the upgrade; its status, headers, and body are shown. Or it refused the login of \
                `--protocol`, or sent a redirect that was not followed.
                """
            ),
            ("5", "The peer violated the protocol."),
            ("6", "A time limit expired."),
            (
                "7",
                """
                An expectation was not met. No message matched `--expect`, or the peer closed normally before \
                `--ready`, `--count`, `--one`, or `--until` was met. With `--one`, a reply lacked the value of \
                `--pick`. With `--fail`, the server reported an error. With `--protocol`, it refused a \
                subscription. With `--scenario`, a step failed. With `wsx bench`, a threshold was not met, or replies were wrong.
                """
            ),
            ("129, 131", "Ended by SIGHUP or SIGQUIT."),
            ("130, 143", "Ended by SIGINT or SIGTERM. `wsx listen` exits with 0 instead."),
        ]))

    /// The common forms of option values.
    static let values = ManualSection(
        "VALUES",
        .definitions([
            ("*DURATION*", "A time: `500us`, `250ms`, `1.5s`, `2m`, or `1h`. A number without a unit is in seconds."),
            ("*SIZE*", "A number of bytes: `512`, `64k`, `16M`, or `1G`, in powers of 1024."),
            ("*N*", "A number: `5`, `50k`, or `1M`, in powers of 1000."),
            (
                "*REGEX*",
                """
                A regular expression of Perl (PCRE2), which matches anywhere in a text. `^` and `$` stand for its ends, and \
                `(?i)` ignores case.
                """
            ),
        ]))

    /// The environment variables.
    static let environment = ManualSection(
        "ENVIRONMENT",
        .definitions([
            configurationVariable, noColor, locale, colors, pager,
            (
                "`https_proxy`, `http_proxy`, `all_proxy`",
                """
                The proxy for `wss`, the proxy for `ws`, and the proxy for both if the others are not set, in the form \
                of `--proxy`. `wss_proxy` and `ws_proxy` take precedence. All except `http_proxy` are also read in \
                capitals: a header field of a request to a CGI program could set `HTTP_PROXY`.
                """
            ),
            ("`no_proxy`, `NO_PROXY`", "The hosts to connect to without a proxy, in the form of `--no-proxy`."),
            (
                "`SSL_CERT_FILE`, `SSL_CERT_DIR`",
                "The file and directory of trusted CA certificates, instead of the system's. `--ca` takes precedence."
            ),
            keyLog, ("`NETRC`", "The file that `--netrc` reads, instead of `~/.netrc`."),
            (
                "`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`",
                "The credentials of `--aws-sigv4`. The token is set only for temporary ones."
            ),
            ("`AWS_PROFILE`", "The profile of `--aws-sigv4`, if these variables are not set, instead of `default`."),
            (
                "`AWS_SHARED_CREDENTIALS_FILE`, `AWS_CONFIG_FILE`",
                "The files with profiles, instead of `~/.aws/credentials` and `~/.aws/config`."
            ),
            (
                "`AWS_REGION`, `AWS_DEFAULT_REGION`",
                "The region of `--aws-sigv4`, if neither it nor the host name has one."
            ),
        ]))

    private static let noColor: (term: MarkedText, text: MarkedText) = (
        "`NO_COLOR`", "If set and not empty, `--color auto` uses no colors, as with `TERM=dumb` or no `TERM`."
    )
    private static let locale: (term: MarkedText, text: MarkedText) = (
        "`LC_ALL`, `LC_CTYPE`, `LANG`",
        """
        The first one that is not empty names the locale. If its character set is not UTF-8, as in `LC_ALL=C`, charts, \
        arrows, and ellipses are ASCII.
        """
    )
    private static let colors: (term: MarkedText, text: MarkedText) = (
        "`WSX_COLORS`",
        """
        Other colors, separated by colons: `sent=36:key=1;34`. The names are `sent`, `received`, `binary`, `quiet`, \
        `close`, `heading`, `error`, `key`, `string`, `number`, `literal`, and `match`; the values are parameters of \
        terminal escape sequences (SGR).
        """
    )
    private static let pager: (term: MarkedText, text: MarkedText) = (
        "`PAGER`",
        """
        The command that shows help longer than the screen. The default is `less`. If it is empty or `cat`, or if \
        `TERM` is `dumb`, help is printed directly.
        """
    )
    private static let keyLog: (term: MarkedText, text: MarkedText) = (
        "`SSLKEYLOGFILE`",
        "A file to append the secrets of TLS sessions to. With them, a network analyzer can decrypt captured traffic."
    )

    /// The schema of JSON events.
    static let jsonEvents = ManualSection(
        "JSON EVENTS",
        blocks: [
            .paragraph(
                """
                With `--output json`, each line of standard output is an event: a JSON object with `type` and `time`. \
                The time is in UTC, in RFC 3339 format with microseconds; events that arrive together have the same \
                time. `data` is text, and `base64` replaces it for bytes that are not UTF-8. `direction` is `in` or \
                `out`. Future versions may add members.
                """),
            .definitions(commonEvents),
            .paragraph("The `kind` of an error does not change between versions; its `message` may:"),
            .table(headings: ["kind", "Cause", "Status"], rows: errorKinds),
            .heading("wsx connect"), .definitions(ConnectManual.events),
            .paragraph("For example, with a line break added:"), .listing(ConnectManual.eventExample),
            .heading("wsx listen"), .definitions(ListenManual.events),
            .paragraph("For example, with a line break added:"), .listing(ListenManual.eventExample),
            .heading("Input"),
        ] + eventInput)

    /// The kinds of `error` events, with the exit status of a run that ends with such an error.
    private static let errorKinds = [
        ["usage", "invalid arguments or input", "2"],
        ["system", "reading, writing, or recording failed", "1"],
        ["listen", "listening failed", "3"],
        ["connect", "the name lookup or the connection failed", "3"],
        ["proxy", "the proxy failed, or its URL is invalid", "2 or 3"],
        ["tls", "TLS failed", "3"],
        ["handshake", "the upgrade, or the login of a protocol, failed", "3 to 5"],
        ["protocol", "the peer violated the protocol", "5"],
        ["limit", "a received message exceeded a limit", "1"],
        ["closed", "the peer closed too early, or with an error code", "1"],
        ["lost", "the connection was lost", "1"],
        ["timeout", "a time limit expired", "6"],
        ["expectation", "a goal or an expectation was not met", "7"],
        ["program", "a program of --exec or --decode failed", "1"],
    ]

    /// The events that both `wsx connect` and `wsx listen` write.
    static let commonEvents: [(term: MarkedText, text: MarkedText)] = [
        (
            "`message`",
            "A message: `direction`, `opcode` (`text` or `binary`), `bytes` (its size), and `data` or `base64`."
        ),
        ("`ping`", "A ping: `direction`, `bytes`, and `data` or `base64`."),
        (
            "`pong`",
            "A pong: the same, and `rtt_us` if it answers a ping: the microseconds since that ping."
        ),
        (
            "`close`",
            """
            The end of the connection: `direction`, `code`, `reason`, and `clean`: whether the closing handshake was \
            completed. Code 1005 means a close frame without a code, and 1006 means no close frame.
            """
        ),
        (
            "`error`",
            """
            An error: `kind` and `message`, and `status` and `body` if a server rejected the upgrade. `from` is `server` if \
            the server of a relay caused it. `•••` replaces secrets of this run that the server repeats.
            """
        ),
    ]
}
