import CommandLine
import UserInterface

/// The options for serving: upgrades, threads, and the number of clients.
package struct ServerArguments: Equatable, Sendable {
    package var path: String?
    /// In the order of the server's preference.
    package var subprotocols: [String] = []
    /// Headers to add to responses, as typed: `Name: value` or `@FILE`.
    package var headers: [String] = []
    package var handshakeTimeout = Duration.seconds(10)
    /// 1 or more.
    package var threadCount = 1
    /// Whether to exit after one client.
    package var servesOnce = false
    /// Whether clients may speak HTTP/2, too.
    package var acceptsHTTP2 = false

    /// The options for upgrades.
    static let upgradeOptions: [OptionSpecification<ServerArguments>] = [
        OptionSpecification(
            "path", value: OptionValue("PATH"), repetition: .mustAgree, heading: .server,
            summary: "Accept only this request path",
            manual: """
                Accept WebSocket clients only at *PATH*, such as `/chat` or `/rooms/*`; other paths get 404. `*` matches \
                within a segment, `**` across segments. Percent-encoded paths are normalized first: `%61` equals `a`, and `%2f` equals `%2F`, which is not a slash.
                """,
            example: "--path /chat", seeAlso: ["serve", "console", "origin"]
        ) { arguments, value in arguments.path = value },
        .subprotocol(
            \.subprotocols, heading: .server, summary: "Accept this subprotocol (also A,B)",
            manual: """
                Accept the subprotocol *NAME*. For several, repeat the option or separate the names with commas, in \
                order of preference. The server selects the first one that the client offers.
                """),
        .header(
            \.headers, heading: .server, summary: "Add 'Name: value' or @FILE to responses",
            manual: """
                Add a header to the responses that accept clients, to those of `--reject`, and to pages and files, such as \
                `Access-Control-Allow-Origin: *`. *HEADER* is `Name: value`, or `@` and the path of a file with one \
                header per line. In responses for pages and files, it may override `Cache-Control: no-cache` and \
                `Cross-Origin-Resource-Policy: same-site`; other standard headers cannot be changed.
                """),
        OptionSpecification(
            "handshake-timeout", value: OptionValue("DURATION"), default: "10s", heading: .server,
            summary: "Time limit for a client's upgrade",
            manual: "Reject a client with 408 if its upgrade, TLS included, takes longer than *DURATION*.",
            example: "--handshake-timeout 3s", seeAlso: ["close-timeout"]
        ) { arguments, value throws(ValueProblem) in
            arguments.handshakeTimeout = try DurationValue.parse(value, zeroAllowed: false)
        },
    ]

    /// The options for the server as a whole.
    static let servingOptions: [OptionSpecification<ServerArguments>] = [
        OptionSpecification(
            "threads", value: OptionValue("N"), default: "1", conflicts: ["once", "record", "max-connections", "seed"],
            heading: .server, summary: "Threads for --echo and --replay",
            manual: """
                Serve clients of `--echo` and `--replay` on *N* threads. The kernel assigns each client to one of them.
                """,
            example: "--echo --threads 4", seeAlso: ["echo", "replay"]
        ) { arguments, value throws(ValueProblem) in
            arguments.threadCount = try CountValue.parse(value, largest: 256)
        },
        OptionSpecification(
            "once", heading: .server,
            summary: "Serve one client, then exit",
            manual: """
                Serve one WebSocket client, then exit when it leaves, with the status of `wsx connect` for the same \
                ending. No other client is accepted. Rejected upgrades and requests for pages do not count as clients. \
                The end of standard input does not end the session.
                """,
            seeAlso: ["max-connections", "exec"]
        ) { arguments, _ in arguments.servesOnce = true },
        OptionSpecification(
            "http2", heading: .server,
            summary: "Accept HTTP/2, too",
            manual: """
                Accept HTTP/2, too, by ALPN with TLS, and by prior knowledge without, also for pages and files. \
                WebSockets over HTTP/2 are opened with extended CONNECT (RFC 8441), up to 1,000 on a connection.
                """,
            """
            Each WebSocket counts as a client; those of a connection share `--throttle`. A connection without \
            WebSockets ends after `--handshake-timeout`. For programs, the method is GET.
            """,
            example: "--http2 --tls-self-signed", seeAlso: ["tls-cert"]
        ) { arguments, _ in arguments.acceptsHTTP2 = true },
    ]
}

/// The options for the pages on the server's port.
package struct WebArguments: Equatable, Sendable {
    /// The directory to serve files from.
    package var servedDirectory: String?
    /// Whether `/` is the console page.
    package var servesConsole = false
    /// Whether the bodies of POST requests are sent to clients.
    package var deliversPosts = false

    static let options: [OptionSpecification<WebArguments>] = [
        OptionSpecification(
            "serve", value: OptionValue("DIR", .directory), repetition: .mustAgree, heading: .web,
            summary: "Serve files from DIR on the same port",
            manual: """
                Serve files from the directory *DIR* on the same port. WebSocket clients may still connect at any \
                path, or at that of `--path`. Conditional and range requests work. A request for a directory returns \
                its `index.html`, or a listing.
                """,
            """
            Names that start with a dot are neither served nor listed, except `.well-known`. The same holds for \
            symbolic links that lead to such a name or outside *DIR*.
            """,
            example: "--broadcast --serve public", seeAlso: ["path", "console", "header"]
        ) { arguments, value in arguments.servedDirectory = value },
        OptionSpecification(
            "console", heading: .web, summary: "Serve a WebSocket console on /",
            manual: """
                Serve a page on `/` that lets a browser talk to this server or any other. It sends text, JSON, bytes, \
                and files, and keeps a log to search and to save as JSON events. Its address is printed at startup.
                """,
            """
            Binary messages that are PNG, JPEG, GIF, or WebP images of up to 4 MiB are shown as images. The page keeps \
            the latest 5,000 entries, with up to 64 MiB of messages, and counts those it has dropped.
            """,
            example: "--echo --console", seeAlso: ["serve", "path"]
        ) { arguments, _ in arguments.servesConsole = true },
        OptionSpecification(
            "post", conflicts: ["exec", "replay", "scenario", "threads", "once"], heading: .web,
            summary: "Send POST requests to the clients of a path",
            manual: """
                Send the body of an HTTP POST request to the clients at its path, as a text message, or with \
                `Content-Type: application/octet-stream` as a binary one. `/clients/`*N* is client *N* alone. The \
                response is the number of receivers. See POSTS.
                """,
            example: "--post --no-stdin", seeAlso: ["broadcast", "origin", "auth"]
        ) { arguments, _ in arguments.deliversPosts = true },
    ]
}
