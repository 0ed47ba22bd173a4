import CommandLine

extension ManualSection {
    /// When another connection follows, and what is sent on it.
    static let stayingConnected = ManualSection(
        "STAYING CONNECTED",
        .paragraph(
            """
            With `--reconnect` a connection that cannot be made, or is lost, is tried again, the first one too, so \
            that client and server may be started together. The wait before a try is random, up to 4, 8, 16, 32 and \
            then 60 seconds, so that the clients of a server do not all come back at once. The tries begin anew after \
            a connection that was open for 10 seconds, not counting the silence for which it was left \
            (`--heartbeat`), or on which the peer confirmed messages. TLS sessions and cookies are kept.
            """),
        .definitions([
            (
                "Tried again",
                """
                A server or network that is away, refuses or resets; time limits; statuses 408, 425, 429 and from 500 \
                on but for 501 and 505; a proxy that did not reach the server; connections that end without a close \
                frame, or with 1001, 1011, 1012, 1013 or 1014; a peer that `--heartbeat` misses.
                """
            ),
            (
                "Final",
                """
                A close with 1000 or no code, which is a normal end; with any other code; other statuses, such as \
                401, 403 and 404; certificates and whatever else is wrong with TLS; logins at proxies; redirects; \
                anything against the protocol; and the end of the run by `--count`, `--timeout` or a signal.
                """
            ),
        ]),
        .paragraph(
            """
            Each connection begins with the *MESSAGE*s, those of `--execute`, and `--file`. What comes from standard \
            input or the prompt is sent in order and, where that may be needed, again: pings go with it, and a pong \
            tells that the peer has read everything before its ping. When a connection breaks, what no pong has \
            covered is sent again on the next one, and what comes meanwhile after it. Before the run closes the \
            connection, it waits for the last pong, at most for `--close-timeout`. How many messages may not have \
            arrived is said at the end, if any.
            """),
        .paragraph(
            """
            So messages can arrive twice: what becomes of a message cannot be known when the connection breaks before \
            a pong has come. These are the messages of half a second and a round trip, or fewer. And messages can be \
            lost in the server itself: many servers answer pings as they read them, before the application has taken \
            the messages. To be certain, number the messages and have the application answer.
            """),
        .paragraph(
            """
            A peer that answers no pings gets no more than 16 MiB of input on a connection with `--reconnect`.
            """))
}
