import CommandLine

/// The manual of `wsx relay`.
enum RelayManual {
    /// The manual without operands and options.
    static let manual = Manual(
        description: [
            .paragraph(
                """
                Stands between WebSocket clients and a server, to watch and record what they exchange. Each client gets its own \
                connection to the server. It is answered after the server has answered: with the same subprotocol, headers, and \
                cookies, or with the same rejection. If the server cannot be reached, the client gets 502, or 504 after \
                `--connect-timeout`.
                """),
            .paragraph(
                """
                Whole messages, pings, pongs, and close frames pass in both directions as they were sent. Pings are answered by \
                the other side, not by the relay. Fragments and compression may differ: they are settled with each side, and \
                the server is offered compression only if the client offers it. If the server is lost, its client is closed \
                with 1014; if a client is lost, its connection to the server is closed with 1001. If the server violates the protocol, \
                the log, an `error` event with `"from":"server"`, and the reason of the 1014 say how. A side that reads \
                slowly slows the other side of its connection, but no other connection.
                """),
            .paragraph(
                """
                On a terminal, a prompt shows the messages of all clients. `@1` is the number of a client; `←` marks what it \
                sent, and `→` what it got. A typed line needs a recipient: `@1 TEXT` goes to client 1, and `/to 1 server TEXT` \
                to the server, as if client 1 had sent it. Without a prompt, \
                nothing is written to standard output, except the events of both directions with `--output json`. `--record` \
                writes these events to a file, from which `wsx listen --replay` and `--scenario FILE --connection N` play either side of client *N*. Messages \
                typed at the prompt have `"injected":true` in events, and messages changed by `--rewrite` `"rewritten":true`. A message \
                of a client is recorded even if `--drop-rate` drops it; one of the server is not.
                """),
            .paragraph(
                """
                `--decode` shows binary messages as JSON, and `--encode` sends lines of the prompt, which must be JSON, as \
                binary messages; see CODECS. There is no `--protocol`: it logs in, \
                subscribes, and answers by itself, but a relay must not add messages of its own.
                """),
            .paragraph(
                """
                Headers and logins of the command line go to the server, and replace those that clients send; others are passed \
                on. Host names the server. Origin and Referer do, too, if they name the relay; another Origin is passed on. In \
                responses, Location, and the attribute Domain of cookies, name the relay. Without TLS, cookies lose Secure and \
                `SameSite=None`; those that begin with `__Host-` or `__Secure-` keep both on `localhost` and loopback addresses, \
                where browsers accept them. \
                Strict-Transport-Security and Alt-Svc are removed. URLs and Content-Security-Policy in pages are not changed. \
                `--digest` applies to WebSocket connections only.
                """),
            .paragraph(
                """
                Requests for pages and files pass through, too, so that a web application works behind the relay. Each \
                has its own connection to the server, and both are closed after the response. Bodies pass unchanged. A \
                request whose end is ambiguous is answered with 400, and a response of that kind with 502. If the server does \
                not complete a response, the client can tell. A request or response without progress for 60 to 120 s is \
                given up. Requests that are no upgrades to WebSocket pass as requests for pages. An upgrade to \
                another version than 13 gets 426.
                """),
            .paragraph(
                """
                A URL that leads back to the relay is an error, if it shows that. Other loops end with 508: each relay adds \
                its random name to CDN-Loop in requests.
                """),
            .paragraph(
                """
                With `--http2`, clients may speak HTTP/2; the server is still asked with HTTP/1.1, and each WebSocket has its \
                own connection to it. The version ends at the relay, so WebSockets, pages, and rejections are the same in \
                both, except that a status from 200 to 299 in answer to an upgrade becomes 502: over HTTP/2, it would open the \
                WebSocket. Over HTTP/2, a request whose body has no Content-Length is answered with 411, and a canceled stream \
                cancels its request.
                """),
            .paragraph(
                """
                Pages of other origins cannot use the relay, with its logins, unless `--origin` allows them. If the command line \
                adds a login, a cookie, or a client certificate, this includes their requests for images and the like, which \
                browsers mark with Sec-Fetch-Site or Referer; links to the relay work. Responses then have \
                `Cross-Origin-Resource-Policy: same-site`, unless the server sends another policy. The Host of a \
                request must be an IP address, `localhost`, or a host that `--origin` allows; any other gets 403.
                """),
        ],
        sections: [.log, .exitStatus],
        examples: [
            CommandExample(
                purpose: "Watch what an application exchanges with its server",
                line: "wsx relay 8080 wss://api.example/live"),
            CommandExample(
                purpose: "Put a web application behind the relay, and open http://localhost:8080/",
                line: "wsx relay 8080 http://localhost:3000"),
            CommandExample(
                purpose: "Record all sessions, with a token that the clients do not have",
                line: "wsx relay --bearer env:TOKEN --record sessions.jsonl 8080 wss://api.example"),
            CommandExample(
                purpose: "Give clients without TLS access to a server with a client certificate",
                line: "wsx relay --cert client.pem 8080 wss://api.example"),
            CommandExample(
                purpose: "Answer one kind of message without the server",
                line: #"wsx relay --answer 'json:.op=="ping" => {"op":"pong"}' 8080 wss://api.example"#),
            CommandExample(
                purpose: "Change a value in what the server sends",
                line: "wsx relay --rewrite 'on => off' --rewrite-from server 8080 wss://api.example"),
            CommandExample(
                purpose: "Delay what clients receive by 200 ms",
                line: "wsx relay --delay 200ms --fault-from server 8080 wss://api.example"),
        ])
}
