import CommandLine
import WSCore

extension ManualSection {
    /// What a peer can do wrong, by the identifiers that errors name.
    static let violations = ManualSection(
        "PROTOCOL ERRORS",
        .paragraph(
            """
            A peer that breaks the protocol gets a close frame with the code below; its reason is the text below. The \
            identifiers do not change between versions. `message-too-big` and `too-many-fragments` mean that a message \
            exceeded one of our limits: the peer did nothing wrong, and the exit status is 1, not 5.
            """),
        .definitions(
            ProtocolError.catalogue.map { error in
                let words = "\(error.closeCode.rawValue): \(error.description)."
                return (MarkedText(stringLiteral: "`\(error.identifier)`"), MarkedText(stringLiteral: words))
            }))

    /// What can be wrong with TLS, by the identifiers that errors end with.
    static let tlsErrors = ManualSection(
        "TLS ERRORS",
        .paragraph(
            """
            Where TLS with a server or a proxy cannot be had, the status is 3, and the error ends with an identifier \
            in parentheses, which does not change between versions. The words have the values of the case in them.
            """),
        .definitions(
            TLSError.clientCatalogue.map { error in
                // An asterisk, as of a wildcard, is itself inside a literal.
                let words = error.description.split(separator: " ").map { $0.contains("*") ? "`\($0)`" : String($0) }
                return (
                    MarkedText(stringLiteral: "`\(error.identifier)`"),
                    MarkedText(stringLiteral: words.joined(separator: " ") + ".")
                )
            }))

    /// What the program's exit status tells; the same for every command.
    static let exitStatus = ManualSection(
        "EXIT STATUS",
        .definitions([
            (
                "0",
                """
                Done as asked. A peer's close with 1000, 1001 or no code is a normal end, and so is a reader of \
                standard output that goes away.
                """
            ),
            (
                "1",
                """
                The peer closed with another code, the connection was lost, or a message exceeded \
                `--max-message-size` or `--max-fragments`. With `wsx listen --once --exec` also: the program exited with \
                a nonzero status, was ended by a signal that is not ours, or could not be run.
                """
            ),
            ("2", "Bad usage or bad input."),
            ("3", "Could not connect (name, address, proxy or TLS), or could not listen."),
            (
                "4",
                """
                The server refused the upgrade, and its status, headers and body are shown; or it redirected to where is \
                not followed.
                """
            ),
            ("5", "The peer broke the protocol."),
            ("6", "Timed out."),
            (
                "7",
                """
                An expectation was not met: no message matched `--expect`, the peer closed before `--count` or `--until` \
                was met, a call returned an error with `--fail`, or `wsx bench` missed a threshold or received wrong replies.
                """
            ),
            ("129, 131", "Ended by SIGHUP, by SIGQUIT."),
            ("130, 143", "Ended by SIGINT, by SIGTERM. `wsx listen` exits with 0 instead."),
        ]))

    /// The forms of the values that many options take.
    static let values = ManualSection(
        "VALUES",
        .definitions([
            ("*DURATION*", "`500us`, `250ms`, `5s`, `1.5s`, `2m` or `1h`. A bare number is seconds."),
            ("*SIZE*", "`512`, `64k`, `16M` or `1G` bytes, in powers of 1024."),
            ("*N*", "`5`, `50k` or `1M`, in powers of 1000."),
        ]))

    /// The environment variables that matter whatever the command.
    static let environment = ManualSection("ENVIRONMENT", .definitions([noColor]))

    /// Those that matter to a server.
    static let serverEnvironment = ManualSection("ENVIRONMENT", .definitions([noColor, keyLog]))

    /// Those that matter to a client.
    static let clientEnvironment = ManualSection(
        "ENVIRONMENT",
        .definitions([
            noColor,
            (
                "`https_proxy`, `http_proxy`, `all_proxy`",
                """
                The proxies for `wss`, for `ws`, and for those of the two that have none of their own, as `--proxy` names \
                them. The first and the last are read in capitals, too, and `wss_proxy` and `ws_proxy` go before them.
                """
            ),
            ("`no_proxy`, `NO_PROXY`", "Hosts that are connected to without a proxy, as `--no-proxy` lists them."),
            (
                "`SSL_CERT_FILE`, `SSL_CERT_DIR`",
                "Where the certificates of trusted authorities are, in place of the system's; `--ca` goes before them."
            ),
            keyLog,
        ]))

    private static let noColor: (term: MarkedText, text: MarkedText) = (
        "`NO_COLOR`", "When set and not empty, `--color auto` uses no colors."
    )
    private static let keyLog: (term: MarkedText, text: MarkedText) = (
        "`SSLKEYLOGFILE`",
        """
        A file to which the secrets of TLS sessions are appended, by which a network analyser can read what it captured.
        """
    )

    /// The schema of events, with those of one command.
    static func jsonEvents(_ rows: [(term: MarkedText, text: MarkedText)], example: [String]) -> ManualSection {
        let output: [ManualBlock] = [
            .paragraph(
                """
                With `--output json` every line of standard output is one object. Each has `type` and `time`, \
                which is RFC 3339 in UTC with microseconds, and the same for what came in one piece. Bytes that are not \
                UTF-8 text travel as `base64` in place of `data`. `direction` is `in` or `out`. More members may be added.
                """),
            .definitions(rows),
            .paragraph("For instance, broken here to fit the page:"),
            .listing(example),
        ]
        return ManualSection("JSON EVENTS", blocks: output + eventInput)
    }

    /// The events that both commands write.
    static let commonEvents: [(term: MarkedText, text: MarkedText)] = [
        (
            "`message`",
            "A message: `direction`, `opcode` (`text` or `binary`), `bytes` (its size) and `data` or `base64`."
        ),
        ("`ping`", "A ping: `direction`, `bytes` and `data` or `base64`."),
        (
            "`pong`",
            "A pong: the same, and `rtt_us`, the microseconds since the ping that it answers, if there was one."
        ),
        (
            "`close`",
            """
            The end of the connection: `direction`, `code`, `reason` and `clean`, which tells whether the closing \
            handshake was complete. Code 1005 stands for a close frame without a code, 1006 for no close frame.
            """
        ),
        (
            "`error`",
            """
            What went wrong: `kind` and `message`; where a server refused the upgrade also its `status` and `body`.
            """
        ),
    ]
}
