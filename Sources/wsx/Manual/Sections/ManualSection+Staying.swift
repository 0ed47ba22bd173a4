import CommandLine

extension ManualSection {
    /// When `--reconnect` retries, and which messages it sends again.
    static let stayingConnected = ManualSection(
        "STAYING CONNECTED",
        .paragraph(
            """
            With `--reconnect`, a connection that is lost or cannot be established is retried. This includes the first \
            connection: client and server can be started in any order. The wait before each retry is random, with a \
            ceiling of 4, 8, 16, 32, and then 60 seconds. This keeps the clients of a restarted server from \
            reconnecting all at once. At the prompt, on Unix sockets, and on loopback addresses without a proxy, \
            the ceiling starts at 250 milliseconds. `--reconnect-delay` sets other waits. The count and the wait start over after a connection on which the peer \
            confirmed messages, or that was open for 10 seconds. Silence that `--heartbeat` detected does not count. \
            If a rejection has a field `Retry-After` with a number of seconds or a date, the wait is at least that long, \
            up to 5 minutes. At the prompt, `/reconnect` or a typed message ends every wait. TLS sessions and cookies are kept.
            """),
        .definitions([
            (
                "Retried",
                """
                Unreachable servers and networks; refused and reset connections; timeouts; HTTP statuses 408, 425, \
                429, and 5xx except 501 and 505; proxies that cannot reach the server; connections that end without a \
                close frame, or with 1001, 1011, 1012, 1013, or 1014; and peers that `--heartbeat` considers dead.
                """
            ),
            (
                "Final",
                """
                A close with 1000 or no code, which is a normal end except in Socket.IO (see PROTOCOLS), or with any \
                other code; other HTTP statuses, such as 401, 403, and 404; invalid certificates and other TLS errors; \
                failed logins at proxies; redirects that are not followed; protocol errors; and an end of the run by \
                `--count`, `--timeout`, or a signal.
                """
            ),
        ]),
        .paragraph(
            """
            Each connection begins with the *MESSAGE*s, the messages of `--execute`, and `--file`. Messages from \
            standard input or the prompt are sent in order and, if necessary, again. A message is confirmed by its reply \
            if it awaits one, else by the acknowledgement of the application protocol if it has one, else by a pong. \
            `wsx` sends pings along with the messages; a pong proves that the peer has read everything before its ping. \
            After a connection is lost, all messages without a confirmation are sent again on the next one, followed by \
            new input. Subscriptions that `--protocol` renews are not sent twice. Before closing the connection, the \
            run waits for the last pong, for at most `--close-timeout`. Messages that may not have arrived, and \
            messages that were not sent, are counted at the end; the status line of the prompt shows how many are \
            unconfirmed.
            """),
        .paragraph(
            """
            A message may be the reason why the server ends the connection. After two connections in a row that ended \
            before anything was confirmed, the messages sent on them are sent carefully: the first one 100 ms after the \
            connection opens, or 500 ms before it would be given up, and then, for each confirmed message, two others. \
            Without a confirmation, the next one follows after 10 seconds. If two more connections in a row end with the \
            same first message unconfirmed, the run ends with status 1 and names that message. At the prompt, it is \
            kept, and the others are sent: `/retry` sends it again, and `/drop` discards it. This applies to messages \
            from all sources, including *MESSAGE*s, programs of `--exec`, and requests, and to subscriptions that \
            `--protocol` renews, after which the prompt stops reconnecting. Failed attempts to connect do not count, and \
            neither do connections on which nothing was sent, or on which other messages were confirmed.
            """),
        .paragraph(
            """
            Messages can therefore arrive twice: if the connection breaks before the confirmation, the fate of a \
            message is unknown. With pongs, this affects at most the messages of half a second and one round trip; \
            with replies, all messages without a reply. Messages can also be lost in the server, because many servers \
            answer pings before the application has taken the preceding messages. To be certain, number the messages \
            and have the application acknowledge them.
            """),
        .paragraph(
            """
            With `--reconnect`, a peer that does not answer pings receives at most 16 MiB of input per connection.
            """))
}
