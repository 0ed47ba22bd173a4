import CommandLine
import Formats
import LoadTest
import UserInterface

extension BenchMode: OptionChoice {}

extension Arrival: OptionChoice {
    package var summary: String {
        switch self {
        case .constant: "evenly spaced"
        case .poisson: "at random, independently of each other, like those of many users"
        }
    }
}

extension [OptionReference] {
    /// The values of `--mode` that an option conflicts with: the modes in which it has no meaning.
    static func modes(without option: ModeOption) -> [OptionReference] {
        values(of: "mode") { (mode: BenchMode) in !mode.accepts(option) }
            // This option chooses its mode.
            + (BenchMode.scenario.accepts(option) ? [] : ["scenario"])
    }

    /// The values of `--mode`, or the option in its place, that an option requires: the modes that it belongs to.
    static func modes(with option: ModeOption) -> [OptionReference] {
        values(of: "mode") { $0.accepts(option) && $0 != BenchMode.scenario }
            + (BenchMode.scenario.accepts(option) ? ["scenario"] : [])
    }
}

/// The options for the load of a test.
package struct LoadArguments: Equatable, Sendable {
    var mode = BenchMode.echo
    /// The number is as typed, even with stages.
    package var connections = LoadPlan.Connections(count: 10)
    package var pace = LoadPlan.Pace()
    /// More than 0; nil: the run ends after ``messageCount`` messages, or after 10 s without that.
    package var duration: Duration?
    /// On all connections together, 1 or more; nil: no limit.
    package var messageCount: Int?
    /// The time during which messages do not count.
    package var warmup = Duration.zero
    package var start = StartTime.soon
    /// As typed and not empty: a template, or `@FILE`, which may name an empty file. nil: no messages are sent as
    /// heartbeats.
    package var heartbeatMessage: String?
    package var replies = LoadPlan.Replies()
    /// The location of the time at which publishers elsewhere have sent a message; nil: it is not measured.
    package var publishedTime: JSONPath?
    /// The number of times that a failed attempt to open a connection is repeated.
    package var connectRetries = 0
    /// The number of WebSockets on each HTTP/2 connection, 1 or more.
    package var streams = 1

    private static let mostConnections = 1_000_000
    private static let mostPerSecond = 100_000_000

    static let options: [OptionSpecification<LoadArguments>] = [
        OptionSpecification(
            "mode", value: OptionValue("MODE", .choices(of: BenchMode.self)), default: "echo", heading: .load,
            summary: "Workload: echo, send, receive, ...",
            manual: "Choose the workload: what the connections do and what is measured. See MODES.",
            example: "--mode connect --connections 64", seeAlso: ["scenario"]
        ) { arguments, value throws(ValueProblem) in arguments.mode = try BenchMode.parse(value) },
        OptionSpecification(
            "connections", "c", value: OptionValue("N"), default: "10", heading: .load,
            summary: "Number of connections",
            manual: """
                Open *N* connections before the measurement starts, with up to 256 handshakes in parallel. Connections \
                that fail to open are counted and reported; the test continues with the others.
                """,
            example: "--connections 500", seeAlso: ["threads", "stages"]
        ) { arguments, value throws(ValueProblem) in
            arguments.connections.count = try CountValue.parse(value, largest: mostConnections)
        },
        OptionSpecification(
            "streams", value: OptionValue("N"), default: "1", requires: ["http2"], heading: .load,
            summary: "WebSockets on each HTTP/2 connection",
            manual: """
                Open *N* WebSockets on each HTTP/2 connection; `--connections` counts WebSockets. If a server allows \
                fewer streams, there are more connections.
                """,
            example: "--http2 --connections 1000 --streams 100"
        ) { arguments, value throws(ValueProblem) in
            arguments.streams = try CountValue.parse(value, largest: 1_000_000)
        },
        OptionSpecification(
            "connect-rate", value: OptionValue("N"), conflicts: .modes(without: .connectRate), heading: .load,
            summary: "Connections to open per second",
            manual: """
                Open *N* connections per second, evenly spaced. The default is as many as possible.
                """,
            example: "--connections 5k --connect-rate 500", seeAlso: ["connections"]
        ) { arguments, value throws(ValueProblem) in
            arguments.connections.openingRate = try CountValue.parse(value, largest: 1_000_000)
        },
        OptionSpecification(
            "connect-retry", value: OptionValue("N"), default: "0", heading: .load,
            summary: "Retry failed connection attempts N times",
            manual: """
                Repeat a failed attempt to open a connection up to *N* times, unless retrying cannot help. The wait is \
                random, up to 250 milliseconds at first, and twice as long each time, up to 4 seconds, or what the \
                server asks for with `Retry-After`, up to 5 minutes. Only the last attempt counts, as an error and in \
                the times of handshakes.
                """,
            example: "--connect-retry 5", seeAlso: ["connect-timeout"]
        ) { arguments, value throws(ValueProblem) in
            arguments.connectRetries = try CountValue.parse(value, zeroAllowed: true)
        },
        OptionSpecification(
            "threads", "t", value: OptionValue("N"), default: "1", heading: .load,
            summary: "Number of threads",
            manual: """
                Run the test on *N* threads, which share the connections evenly. Add threads if the results warn that \
                the load generator was at its limit.
                """,
            example: "--threads 4 --connections 200", seeAlso: ["connections"]
        ) { arguments, value throws(ValueProblem) in
            arguments.connections.threadCount = try CountValue.parse(value, largest: 1024)
        },
        OptionSpecification(
            "duration", "d", value: OptionValue("DURATION"), conflicts: ["messages"], heading: .load,
            summary: "Test duration [10s]",
            manual: """
                Run the test for *DURATION*, then wait for outstanding replies. Without `--messages`, the default is \
                `10s`.
                """,
            example: "--duration 1m", seeAlso: ["messages", "warmup", "timeout"]
        ) { arguments, value throws(ValueProblem) in
            arguments.duration = try DurationValue.parse(value, zeroAllowed: false)
        },
        OptionSpecification(
            "messages", "n", value: OptionValue("N"), conflicts: ["duration"] + .modes(without: .messages),
            heading: .load, summary: "Stop after N messages in total",
            manual: """
                Send *N* messages on all connections together, then wait for outstanding replies. The test ends early \
                if the server neither reads nor replies for `--reply-timeout`. With `--scenario`, *N* counts \
                iterations, and at most *N* connections are opened.
                """,
            example: "--messages 100k", seeAlso: ["duration", "message"]
        ) { arguments, value throws(ValueProblem) in
            arguments.messageCount = try CountValue.parse(value)
        },
        OptionSpecification(
            "rate", "r", value: OptionValue("N|STAGES"), conflicts: ["in-flight"] + .modes(without: .rate),
            heading: .load, summary: "Messages per second in total (open loop)",
            manual: """
                    Send *N* messages per second on all connections together, whether or not the server \
                    keeps up. Latency is measured from the time a message was due: if the server stalls for a second, all \
                    messages due in that second are late. Messages that were due but could not be sent are counted as \
                    `unsent`. See PACE. With *STAGES* such as `100@1m,500@5m,0@30s`, the rate changes; see STAGES.
                """,
            example: "--rate 20k --duration 30s", seeAlso: ["stages", "ramp"]
        ) { arguments, value throws(ValueProblem) in
            if value.utf8.contains(UInt8(ascii: "@")) {
                arguments.pace.rate = .stages(try StagesValue.parse(value, largest: mostPerSecond))
            } else {
                arguments.pace.rate = .constant(try CountValue.parse(value, largest: mostPerSecond))
            }
        },
        OptionSpecification(
            "arrival", value: OptionValue("PROCESS", .choices(of: Arrival.self)), default: "constant",
            requires: ["rate"], heading: .load, summary: "Distribution of send times",
            manual: "Space the messages of `--rate`. Random times are the same in every run. See PACE.",
            example: "--rate 20k --arrival poisson", seeAlso: ["rate"]
        ) { arguments, value throws(ValueProblem) in arguments.pace.arrival = try Arrival.parse(value) },
        OptionSpecification(
            "stages", value: OptionValue("TARGET@DURATION,..."),
            conflicts: [
                "connections", "connect-rate", "duration", "messages", "rate", "ramp", "warmup",
            ] + .modes(without: .stages), heading: .load,
            summary: "Change the number of connections in stages",
            manual: """
                Move the number of active connections linearly to each *TARGET* within its *DURATION*, starting from 0; \
                see STAGES. A connection is opened when it is needed. When the number falls, connections are closed \
                after their outstanding reply, and opened again if it rises later.
                """,
            example: "--stages 100@1m,500@5m,0@30s", seeAlso: ["rate", "lifetime"]
        ) { arguments, value throws(ValueProblem) in
            arguments.connections.stages = try StagesValue.parse(value, largest: mostConnections)
        },
        OptionSpecification(
            "ramp", value: OptionValue("DURATION"), conflicts: .modes(without: .ramp), heading: .load,
            summary: "Reach the full load after DURATION",
            manual: """
                Increase the load gradually during the first *DURATION*. Connections start sending one after another; \
                with `--rate`, the rate grows linearly from zero. The ramp is part of the measurement unless \
                `--warmup` covers it.
                """,
            example: "--connections 1k --ramp 10s --warmup 10s", seeAlso: ["warmup"]
        ) { arguments, value throws(ValueProblem) in
            arguments.pace.ramp = try DurationValue.parse(value, zeroAllowed: false)
        },
        OptionSpecification(
            "start-at", value: OptionValue("TIME"), heading: .load,
            summary: "Start sending at TIME",
            manual: """
                Open the connections at once, but start sending at *TIME*, for instance on several machines. *TIME* is \
                an RFC 3339 time (`2026-05-01T12:00:00Z`), seconds since 1970, or a delay from the start of \
                the program (`+30s`). If connections are still opening at *TIME*, the test starts late, with a warning.
                """,
            example: "--start-at 2026-05-01T12:00:00Z", seeAlso: ["warmup"]
        ) { arguments, value throws(ValueProblem) in arguments.start = try StartTime.parse(value) },
        OptionSpecification(
            "warmup", value: OptionValue("DURATION"), heading: .load,
            summary: "Warm up before measuring",
            manual: """
                Send for *DURATION* before the measurement starts. Messages due during the warm-up are sent and \
                checked but not counted; errors are. The warm-up comes on top of `--duration` and `--messages`.
                """,
            example: "--warmup 5s --duration 30s", seeAlso: ["duration", "ramp"]
        ) { arguments, value throws(ValueProblem) in
            arguments.warmup = try DurationValue.parse(value, zeroAllowed: false)
        },
        OptionSpecification(
            "in-flight", value: OptionValue("N"), default: "1", conflicts: .modes(without: .inFlight), heading: .load,
            summary: "In-flight messages per connection",
            manual: """
                Keep *N* messages in flight on each connection; each reply triggers the next message. Values above 1 \
                measure the server's maximum throughput.
                """,
            example: "--connections 50 --in-flight 64", seeAlso: ["rate"]
        ) { arguments, value throws(ValueProblem) in
            arguments.pace.inFlight = try CountValue.parse(value, largest: 65_536)
        },
        OptionSpecification(
            "think", value: OptionValue("DURATION"), conflicts: ["rate", "in-flight"] + .modes(without: .think),
            heading: .load, summary: "Pause before the next message, such as 1s-3s",
            manual: """
                Pause on each connection for *DURATION* between a reply and the next message, like a user who reads. \
                With a range such as `1s-3s`, each pause has a random length; these repeat in every run.
                """,
            example: "--connections 1k --think 1s-3s", seeAlso: ["lifetime"]
        ) { arguments, value throws(ValueProblem) in arguments.pace.think = try DelayValue.parse(value) },
        OptionSpecification(
            "lifetime", value: OptionValue("DURATION"), conflicts: .modes(without: .lifetime), heading: .load,
            summary: "Reopen connections after DURATION, or 30s-2m",
            manual: """
                Close each connection with a closing handshake when it has been open for *DURATION*, after its \
                outstanding reply, and open it again. With a range such as `30s-2m`, each lifetime has a random \
                length. First messages are sent again. The results include the handshakes. A connection that is lost \
                or fails to open is opened again after a second.
                """,
            example: "--mode idle -c 1000 --lifetime 5s -d 1m", seeAlso: ["stages"]
        ) { arguments, value throws(ValueProblem) in arguments.connections.lifetime = try DelayValue.parse(value) },
        OptionSpecification(
            "drain", value: OptionValue("DURATION"), heading: .load,
            summary: "Wait at most DURATION for the last replies",
            manual: """
                After the load, wait at most *DURATION* for outstanding replies, instead of `--reply-timeout`. Those \
                that are missing then count as lost, or as interrupted in a scenario.
                """,
            example: "--duration 1m --drain 2s", seeAlso: ["duration"]
        ) { arguments, value throws(ValueProblem) in
            arguments.replies.drain = try DurationValue.parse(value, zeroAllowed: true)
        },
        OptionSpecification(
            "reply-timeout", value: OptionValue("DURATION"), default: "10s", conflicts: .modes(without: .replyTimeout),
            heading: .load, summary: "Time to wait for a reply",
            manual: """
                Give up on a reply after *DURATION*, or up to a quarter longer, and send the next message. A late \
                reply still counts, with its full latency.
                """,
            """
            If messages are identical, as with a fixed `--message`, each reply is matched to the oldest message. After a \
            lost or surplus reply, latencies are left out. Add `{{seq}}` to match replies exactly.
            """,
            example: "--reply-timeout 2s", seeAlso: ["timeout", "message"]
        ) { arguments, value throws(ValueProblem) in
            arguments.replies.timeout = try DurationValue.parse(value, zeroAllowed: false)
        },
        OptionSpecification(
            "publishers", value: OptionValue("N"), default: "1", requires: .modes(with: .publishers), heading: .load,
            summary: "Number of publishers (broadcast)",
            manual: "Publish on the first *N* connections; all others are readers.",
            example: "--mode broadcast --connections 1k --publishers 10", seeAlso: ["mode"]
        ) { arguments, value throws(ValueProblem) in
            arguments.connections.publisherCount = try CountValue.parse(value, largest: 10_000)
        },
        OptionSpecification(
            "heartbeat", value: OptionValue("DURATION"), default: "10s",
            requires: .modes(with: .heartbeat) + ["heartbeat-message"], heading: .load,
            summary: "Ping interval per connection (idle)",
            manual: """
                With `--mode idle`, send a ping on each connection every *DURATION*, evenly spaced over all \
                connections. With `--heartbeat-message`, in any mode, the time between these messages.
                """,
            example: "--mode idle --connections 10k --heartbeat 30s",
            seeAlso: ["mode", "heartbeat-message"]
        ) { arguments, value throws(ValueProblem) in
            arguments.pace.heartbeat = try DurationValue.parse(value, zeroAllowed: false)
        },
        OptionSpecification(
            "heartbeat-message", value: OptionValue("TEXT"), conflicts: ["protocol", "encode"],
            requires: .modes(with: .heartbeatMessage), heading: .load,
            summary: "Also send TEXT every --heartbeat",
            manual: """
                Send the text message *TEXT* on each connection every `--heartbeat`, from the end of its login on, for \
                servers that expect heartbeats from the application. These messages do not count. *TEXT* is as for \
                `--first-message`.
                """,
            """
            Replies to heartbeats are messages like any other: in `--mode request`, add `--correlate`, with which they \
            count as `pushes`. In `--mode idle`, they are ignored, and pings are sent as well.
            """,
            example: "--mode receive --heartbeat 20s --heartbeat-message '{\"op\":\"ping\"}'",
            seeAlso: ["heartbeat", "answer"]
        ) { arguments, value throws(ValueProblem) in
            guard !value.isEmpty else { throw .emptyText }
            arguments.heartbeatMessage = value
        },
        OptionSpecification(
            "tls-resume", heading: .tls,
            summary: "Resume TLS sessions",
            manual: """
                Let each connection resume the TLS session of an earlier one, like clients that come back. By default, \
                every connection makes a full handshake. Results count the resumed sessions.
                """,
            seeAlso: ["lifetime"]
        ) { arguments, _ in arguments.connections.resumesTLS = true },
    ]
}

/// When a load starts.
package enum StartTime: Equatable, Sendable {
    /// As soon as all connections are open.
    case soon
    /// At a wall-clock time, as the time since 1970, UTC.
    case moment(Duration)
    /// After a delay from the start of the program.
    case after(Duration)

    /// Reads an RFC 3339 time, seconds since 1970, or a delay such as `+5s`.
    static func parse(_ text: String) throws(ValueProblem) -> StartTime {
        if text.first == "+" {
            let time = try DurationValue.parse(String(text.dropFirst()))
            return time == .zero ? .soon : .after(time)
        }
        if let moment = EventTime.parse(text) { return .moment(moment) }
        // Without the plus sign, a unit is ambiguous: `30s` might mean a delay.
        guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: ".") }) else {
            throw .notAStartTime
        }
        guard let seconds = Double(text), 0..<0x1p40 ~= seconds else { throw .notAStartTime }
        return .moment(.microseconds(Int64((seconds * 1e6).rounded())))
    }
}
