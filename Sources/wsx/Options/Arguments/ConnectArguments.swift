import WSCore

/// What was typed after `wsx connect`. What it means (files read, URL parsed) is worked out elsewhere.
struct ConnectArguments: Equatable, Sendable, SharedArguments, ClientArguments {
    var client = ClientOptions()
    /// The operands, then the values of `--execute`, in their order.
    var messages: [String] = []
    var isInteractive = false
    var readsInput = true
    var file: String?
    var payload = PayloadKind.automatic

    var input = InputFormat.lines
    var stripsCarriageReturn = false
    var replaySpeed = ReplaySpeed.max
    var output = OutputFormat.text

    /// Nil: what else was asked for decides.
    var linger: Linger?
    /// The number of received messages that ends the run, 1 or more.
    var count: Int?
    /// Regular expressions, which compile.
    var until: [String] = []
    var expectations: [String] = []
    var timeout: Duration?
    var closeTimeout = Duration.seconds(5)

    /// Whether a message waits for the reply to the one before.
    var sendsRequests = false
    /// As typed: what ``JSONField`` reads.
    var correlation: String?
    /// The form of the calls that are made of lines; nil: none are.
    var calls: JSONRPCForm?
    /// Whether an error reply to a call makes the run fail.
    var failsOnErrorReply = false
    /// Whether messages of the input are requests.
    var hasRequests: Bool { sendsRequests || calls != nil || correlation != nil }
    /// More than 0.
    var replyTimeout = Duration.seconds(30)

    var reconnection = Reconnection.never
    /// More than 0.
    var heartbeat: Duration?
    /// 1 or more.
    var heartbeatMisses = 3
    /// Not empty.
    var heartbeatMessage: String?

    /// As typed: `Name: value` or `@FILE`.
    var headers: [String] = []
    var subprotocols: [String] = []

    var compresses = true
    /// 8 through 15.
    var compressionWindowBits = 15
    var compressionKeepsContext = true

    /// 64 MiB: a client asked for what it gets, so it may be large.
    var maximumMessageBytes = 64 << 20
    var maximumFragments = 131_072
    /// The most bytes of one outgoing frame, 1 or more; nil never splits.
    var fragmentBytes: Int?

    var history = HistoryChoice.host

    /// 0, 1 (handshake and control frames) or 2 (every frame).
    var verbosity = 0
    var isQuiet = false
    var color = ColorChoice.auto
    var timestamps = TimestampStyle.local
    /// A file that takes the events of both directions.
    var recordPath: String?
    /// Nil: where the output goes to a terminal.
    var isPretty: Bool?
}
