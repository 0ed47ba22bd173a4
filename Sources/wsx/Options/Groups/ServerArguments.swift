import CommandLine

/// The options for serving: the upgrade, the threads, the number of clients to serve.
struct ServerArguments: Equatable, Sendable {
    var path: String?
    /// In the order of the server's preference.
    var subprotocols: [String] = []
    /// Fields of all answers, as typed: `Name: value` or `@FILE`.
    var headers: [String] = []
    var handshakeTimeout = Duration.seconds(10)
    /// 1 or more.
    var threadCount = 1
    /// Whether to end after one client.
    var servesOnce = false

    /// What concerns the upgrade.
    static let upgradeOptions: [OptionSpecification<ServerArguments>] = [
        OptionSpecification(
            "path", value: OptionValue("PATH"), singular: true, heading: .server,
            summary: "Accept only this request path",
            manual: """
                Accept only requests for *PATH*, for instance `/chat`, and answer others with 404. `%61` is the same as \
                `a`, and `%2f` the same as `%2F`, which is no slash.
                """
        ) { arguments, value in arguments.path = value },
        .subprotocol(
            \.subprotocols, heading: .server, summary: "Speak this subprotocol (also A,B)",
            manual: """
                Speak the subprotocol *NAME* with clients that offer it. Repeat the option or separate names by \
                commas for several; the first one that a client offers is taken.
                """),
        .header(
            \.headers, heading: .server, summary: "Add 'Name: value' or @FILE to responses",
            manual: """
                Add a field to the response that accepts a client, and to those to requests that ask for no WebSocket, \
                for instance `Access-Control-Allow-Origin: *`. There it takes the place of `Cache-Control: no-cache` \
                and `Cross-Origin-Resource-Policy: same-site`; what else a response has of its own stays. *HEADER* is \
                `Name: value`, or `@` and the path of a file that has one such field a line.
                """),
        OptionSpecification(
            "handshake-timeout", value: OptionValue("DURATION"), default: "10s", heading: .server,
            summary: "Time for a client's upgrade",
            manual: "Refuse a client with 408 when its upgrade takes longer than *DURATION*."
        ) { arguments, value throws(ValueProblem) in
            arguments.handshakeTimeout = try DurationValue.parse(value, zeroAllowed: false)
        },
    ]

    /// What concerns serving as a whole.
    static let servingOptions: [OptionSpecification<ServerArguments>] = [
        OptionSpecification(
            "threads", value: OptionValue("N"), default: "1", conflicts: ["once", "record", "max-connections", "seed"],
            heading: .server,
            summary: "Threads of --echo and --replay",
            manual: """
                Serve on *N* threads, between which the system deals the clients out. Each client is served by one of \
                them; only `--echo` and `--replay` do so.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.threadCount = try CountValue.parse(value, largest: 256)
        },
        OptionSpecification(
            "once", heading: .server,
            summary: "Serve one client, then end",
            manual: """
                Serve one WebSocket client and end when it has left, with the status by which `wsx connect` would tell \
                of that end; with `--exec` it is 1 when the program failed, unless it had to be ended. As soon as it is accepted, nobody else is. Requests that are refused, and those for \
                pages, do not count. The end of standard input ends nothing: the client is waited for.
                """
        ) { arguments, _ in arguments.servesOnce = true },
    ]
}

/// The options for the programs of `--exec`.
struct ProgramArguments: Equatable, Sendable {
    /// The most programs at a time, 1 or more.
    var maximumProcesses = 256
    /// How long a program has to end when its client has left, and again when it is asked to.
    var programGrace = Duration.seconds(2)

    static let options: [OptionSpecification<ProgramArguments>] = [
        OptionSpecification(
            "max-processes", value: OptionValue("N"), default: "256", requires: ["exec"], heading: .server,
            summary: "Most programs at a time, then 503",
            manual: """
                Run at most *N* programs at a time, and fewer where the limit of open files leaves no room for them. \
                Further requests are refused with 503.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.maximumProcesses = try CountValue.parse(value)
        },
        OptionSpecification(
            "exec-grace", value: OptionValue("DURATION"), default: "2s", requires: ["exec"], heading: .server,
            summary: "Time for a program to end",
            manual: """
                When its client has left, give a program *DURATION* to end by itself before it gets SIGTERM, and as long \
                again before SIGKILL ends it.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.programGrace = try DurationValue.parse(value)
        },
    ]
}

/// The options for the pages on the server's port.
struct WebArguments: Equatable, Sendable {
    /// The directory whose files are served.
    var servedDirectory: String?
    /// Whether a browser finds a page on `/` by which it can talk to servers.
    var servesConsole = false

    static let options: [OptionSpecification<WebArguments>] = [
        OptionSpecification(
            "serve", value: OptionValue("DIR", .directory), singular: true, heading: .web,
            summary: "Serve the files of DIR on the same port",
            manual: """
                Answer requests that ask for no WebSocket with the files of the directory *DIR*; WebSockets go on at \
                any path, or at that of `--path`. Conditional requests and ranges are heeded. A directory is answered \
                with its `index.html`, or with a page that lists it. Names that begin with a dot are neither served nor \
                listed, but for `.well-known`, and neither is what a symbolic link finds by such a name, or outside *DIR*.
                """
        ) { arguments, value in arguments.servedDirectory = value },
        OptionSpecification(
            "console", heading: .web, summary: "A page on / that talks to servers",
            manual: """
                Show browsers a page on `/` by which they can talk to this server or any other: it connects, sends text, \
                JSON, bytes and files, and keeps a log that can be searched and saved as JSON events. The page loads \
                nothing else. Its address is printed at the start. With `--path` the page stays on `/` and offers that \
                path; with `--serve` all other paths are those of files.
                """
        ) { arguments, _ in arguments.servesConsole = true },
    ]
}
