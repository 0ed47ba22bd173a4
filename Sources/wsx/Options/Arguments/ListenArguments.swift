/// What was typed after `wsx listen`. What it means (files read, address resolved) is worked out elsewhere.
struct ListenArguments: Equatable, Sendable, SharedArguments {
    /// As typed: `PORT`, `ADDRESS:PORT` or `unix:PATH`; empty: nothing was.
    var address = ""
    var mode = ListenMode.conversation
    /// 1 or more.
    var threadCount = 1
    var readsInput = true
    var payload = PayloadKind.automatic

    var input = InputFormat.lines
    var stripsCarriageReturn = false
    var replaySpeed = ReplaySpeed.max
    var output = OutputFormat.text

    /// Fields of all answers, as typed: `Name: value` or `@FILE`.
    var headers: [String] = []
    /// In the order of the server's preference.
    var subprotocols: [String] = []
    /// Origins allowed besides the server's own and loopback ones; `*` allows all.
    var origins: [String] = []
    var path: String?
    /// As typed, each `USER:PASSWORD`, `@FILE` or `env:NAME`; any of them lets in, and so does a token.
    var credentials: [String] = []
    /// As typed, each a token, `@FILE` or `env:NAME`.
    var tokens: [String] = []
    /// Whether to end after one client.
    var servesOnce = false

    /// The directory whose files are served.
    var servedDirectory: String?
    /// Whether a browser finds a page on `/` by which it can talk to servers.
    var servesConsole = false

    var tls = ServerTLSArguments()
    var faults = FaultArguments()

    var handshakeTimeout = Duration.seconds(10)
    var closeTimeout = Duration.seconds(5)
    /// 1 or more; nil: what the descriptor limit leaves.
    var maximumConnections: Int?
    /// More than 0; nil: clients may be idle for ever.
    var idleTimeout: Duration?
    /// More than 0; nil: no pings are sent.
    var heartbeat: Duration?
    /// 1 or more.
    var heartbeatMisses = 3
    var compresses = true
    /// 8 through 15.
    var compressionWindowBits = 15
    var compressionKeepsContext = true

    /// 16 MiB: less than a client's, because anyone may send it.
    var maximumMessageBytes = 16 << 20
    var maximumFragments = 131_072
    /// The most bytes of one outgoing frame, 1 or more; nil never splits.
    var fragmentBytes: Int?

    /// The most programs of ``ListenMode/exec(_:)`` at a time, 1 or more.
    var maximumProcesses = 256
    /// How long a program has to end when its client has left, and again when it is asked to.
    var programGrace = Duration.seconds(2)

    /// 0, 1 (handshake and control frames) or 2 (every frame).
    var verbosity = 0
    var isQuiet = false
    var color = ColorChoice.auto
    var timestamps = TimestampStyle.local
    /// Nil: where the output goes to a terminal.
    var isPretty: Bool?
    /// Nil: nothing is recorded.
    var recordPath: String?
}
