import LoadTest
import WSCore

/// What was typed after `wsx bench`. What it means (files read, URL parsed) is worked out elsewhere.
struct BenchArguments: Equatable, Sendable, ClientArguments, ResultArguments {
    var client = ClientOptions()

    var mode = BenchMode.echo
    /// 1 or more.
    var connectionCount = 10
    /// 1 or more.
    var threadCount = 1
    /// Connections a second, 1 or more; nil: as fast as can be.
    var connectRate: Int?
    /// More than 0; nil: ``messageCount`` says when to end, or nothing does, which is 10 s.
    var duration: Duration?
    /// 1 or more, fewer than ``connectionCount``.
    var publisherCount = 1
    /// From one ping of a connection to the next, more than 0.
    var heartbeat = Duration.seconds(10)
    /// 1 or more, in all; nil: as many as there is time for.
    var messageCount: Int?
    /// Messages a second in all, 1 or more; nil: each reply has the next one sent.
    var rate: Int?
    /// How long it takes until the whole load is there.
    var ramp = Duration.zero
    /// More than 0; nil: no limit.
    var timeout: Duration?
    var start = StartTime.soon
    /// How long messages are sent before they count.
    var warmup = Duration.zero
    /// The messages of a connection that may be without a reply, 1 or more.
    var inFlight = 1
    /// More than 0.
    var replyTimeout = Duration.seconds(10)

    /// Sent in turn; empty: messages of ``sizeBytes`` are made up.
    var messages: [MessageSource] = []
    /// 1 or more; nil: as many as the mode needs.
    var sizeBytes: Int?
    var payload = PayloadKind.automatic

    var result = ResultOptions()

    /// As typed: `Name: value` or `@FILE`.
    var headers: [String] = []
    var subprotocols: [String] = []

    /// Not unless it is asked for: it is the server that is to be measured, and not zlib.
    var compresses = false
    /// 8 through 15.
    var compressionWindowBits = 15
    var compressionKeepsContext = true

    var maximumMessageBytes = 64 << 20
    var maximumFragments = 131_072
    /// The most bytes of one outgoing frame, 1 or more; nil never splits.
    var fragmentBytes: Int?

    var closeTimeout = Duration.seconds(5)

    var isQuiet = false
    var color = ColorChoice.auto
}
