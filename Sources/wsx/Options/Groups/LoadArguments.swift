import CommandLine
import Formats
import LoadTest

extension BenchMode: OptionChoice {}

extension OptionReference {
    /// The modes in which an option has no meaning, as the values of `--mode` that it conflicts with.
    fileprivate static func modes(without option: ModeOption) -> [OptionReference] {
        BenchMode.all.filter { !$0.accepts(option) }.map { OptionReference("mode", value: $0.rawValue) }
    }

    /// The modes that an option belongs to, as the values of `--mode` that it requires.
    fileprivate static func modes(with option: ModeOption) -> [OptionReference] {
        BenchMode.all.filter { $0.accepts(option) }.map { OptionReference("mode", value: $0.rawValue) }
    }
}

/// The options for the load of a test.
struct LoadArguments: Equatable, Sendable {
    var mode = BenchMode.echo
    /// 1 or more.
    var connectionCount = 10
    /// Connections a second, 1 or more; nil: as fast as can be.
    var connectRate: Int?
    /// 1 or more.
    var threadCount = 1
    /// More than 0; nil: ``messageCount`` says when to end, or nothing does, which is 10 s.
    var duration: Duration?
    /// 1 or more, in all; nil: as many as there is time for.
    var messageCount: Int?
    /// Messages a second in all, 1 or more; nil: each reply has the next one sent.
    var rate: Int?
    /// How long it takes until the whole load is there.
    var ramp = Duration.zero
    var start = StartTime.soon
    /// How long messages are sent before they count.
    var warmup = Duration.zero
    /// The messages of a connection that may be without a reply, 1 or more.
    var inFlight = 1
    /// More than 0.
    var replyTimeout = Duration.seconds(10)
    /// 1 or more, fewer than ``connectionCount``.
    var publisherCount = 1
    /// From one ping of a connection to the next, more than 0.
    var heartbeat = Duration.seconds(10)

    static let options: [OptionSpecification<LoadArguments>] = [
        OptionSpecification(
            "mode", value: OptionValue("MODE", .choices(of: BenchMode.self)), default: "echo", heading: .load,
            summary: "What connections do: echo, send, ...",
            manual: "What the connections do and what is measured, see MODES."
        ) { arguments, value throws(ValueProblem) in arguments.mode = try BenchMode.parse(value) },
        OptionSpecification(
            "connections", "c", value: OptionValue("N"), default: "10", heading: .load,
            summary: "Connections to open",
            manual: """
                Open *N* connections, 256 at a time, before anything is measured. A connection that cannot be opened is \
                counted and reported, and the others go on without it.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.connectionCount = try CountValue.parse(value, largest: 1_000_000)
        },
        OptionSpecification(
            "connect-rate", value: OptionValue("N"), conflicts: OptionReference.modes(without: .connectRate),
            heading: .load,
            summary: "Connections to open each second",
            manual: """
                Open *N* connections a second, evenly spaced, in place of as many as there can be; the next ones wait while \
                256 are being opened.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.connectRate = try CountValue.parse(value, largest: 1_000_000)
        },
        OptionSpecification(
            "threads", "t", value: OptionValue("N"), default: "1", heading: .load,
            summary: "Threads that share the connections",
            manual: """
                Run *N* threads, each with its share of the connections. One thread is enough for most servers; when the \
                results say that a thread was busy all the time, it takes more.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.threadCount = try CountValue.parse(value, largest: 1024)
        },
        OptionSpecification(
            "duration", "d", value: OptionValue("DURATION"), conflicts: ["messages"], heading: .load,
            summary: "Send for so long (10s)",
            manual: """
                Send messages for *DURATION*, then wait for the replies that are missing and close the connections. Without \
                `--messages` it is `10s`.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.duration = try DurationValue.parse(value, zeroAllowed: false)
        },
        OptionSpecification(
            "messages", "n", value: OptionValue("N"),
            conflicts: ["duration"] + OptionReference.modes(without: .messages),
            heading: .load,
            summary: "Send so many messages in all",
            manual: """
                Send *N* messages, on all connections together, then end as with `--duration`; and so, with what has been \
                sent, where nothing is read or answered any more for as long as `--reply-timeout`.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.messageCount = try CountValue.parse(value)
        },
        OptionSpecification(
            "rate", "r", value: OptionValue("N"), conflicts: ["in-flight"] + OptionReference.modes(without: .rate),
            heading: .load,
            summary: "Messages a second in all, replies or not",
            manual: """
                Send *N* messages a second on all connections together, evenly spaced, whatever the server does. The latency \
                of a message counts from when it was due: a server that stands still for a second is seen to keep all \
                those waiting that came in that second. Messages that were due and for which a connection had no room are \
                counted as `unsent`.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.rate = try CountValue.parse(value, largest: 100_000_000)
        },
        OptionSpecification(
            "ramp", value: OptionValue("DURATION"), conflicts: OptionReference.modes(without: .ramp), heading: .load,
            summary: "Reach the full load after so long",
            manual: """
                Begin gently: connections begin to send one after the other during *DURATION*, or `--rate` grows from nothing. \
                It is part of the time that is measured, unless `--warmup` is as long.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.ramp = try DurationValue.parse(value, zeroAllowed: false)
        },
        OptionSpecification(
            "start-at", value: OptionValue("TIME"), heading: .load,
            summary: "Begin to send at this time",
            manual: """
                Open the connections at once, and begin to send at *TIME*, so that several machines begin together: \
                `2026-05-01T12:00:00Z`, seconds since 1970, or `+30s` from the start of the program. When it is over \
                before all connections are open, that is said, and the load begins then.
                """
        ) { arguments, value throws(ValueProblem) in arguments.start = try StartTime.parse(value) },
        OptionSpecification(
            "warmup", value: OptionValue("DURATION"), heading: .load,
            summary: "Send for so long before messages count",
            manual: """
                Send for *DURATION* before what `--duration` and `--messages` say, and leave the messages of that time out of \
                all results but the errors.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.warmup = try DurationValue.parse(value, zeroAllowed: false)
        },
        OptionSpecification(
            "in-flight", value: OptionValue("N"), default: "1",
            conflicts: OptionReference.modes(without: .inFlight),
            heading: .load,
            summary: "Messages of a connection without a reply",
            manual: """
                Let *N* messages of each connection be without a reply; with each reply the next message is sent. With 1 \
                a connection is a client that asks and waits; more find out what a server can take.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.inFlight = try CountValue.parse(value, largest: 65_536)
        },
        OptionSpecification(
            "reply-timeout", value: OptionValue("DURATION"), default: "10s",
            conflicts: OptionReference.modes(without: .replyTimeout),
            heading: .load,
            summary: "Time to wait for a reply",
            manual: """
                Send the next message when a reply has not come for *DURATION*, or up to a quarter longer. A reply that comes \
                later still counts, with all of its latency. Of messages that are all the same, such as one given with \
                `--message`, it cannot be told which of them is late and which is lost: each reply is taken for that of the \
                oldest, so that no latency is less than it was. `{{seq}}` in them tells.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.replyTimeout = try DurationValue.parse(value, zeroAllowed: false)
        },
        OptionSpecification(
            "publishers", value: OptionValue("N"), default: "1", requires: OptionReference.modes(with: .publishers),
            heading: .load,
            summary: "Connections that publish (broadcast)",
            manual: "In `--mode broadcast`, publish on the first *N* connections; all others read."
        ) { arguments, value throws(ValueProblem) in
            arguments.publisherCount = try CountValue.parse(value, largest: 10_000)
        },
        OptionSpecification(
            "heartbeat", value: OptionValue("DURATION"), default: "10s",
            requires: OptionReference.modes(with: .heartbeat), heading: .load,
            summary: "Time from ping to ping (idle)",
            manual: "In `--mode idle`, send each connection a ping every *DURATION*; all of them are evenly spaced."
        ) { arguments, value throws(ValueProblem) in
            arguments.heartbeat = try DurationValue.parse(value, zeroAllowed: false)
        },
    ]
}

/// The options for the messages of a load test.
struct LoadMessageArguments: Equatable, Sendable {
    /// Sent in turn; empty: messages of ``sizeBytes`` are made up.
    var messages: [MessageSource] = []
    /// 1 or more; nil: as many as the mode needs.
    var sizeBytes: Int?
    var payload = PayloadKind.automatic

    static let options: [OptionSpecification<LoadMessageArguments>] = [
        OptionSpecification(
            "message", "m", value: OptionValue("TEXT"),
            repeatable: true, conflicts: ["size"] + OptionReference.modes(without: .message), heading: .messages,
            summary: "Send this, with {{seq}}, {{random 8}}, ...",
            manual: """
                Send *TEXT*, in which placeholders such as `{{seq}}` stand for something else in each message, see \
                PLACEHOLDERS. Of several options, `--file` among them, each connection sends the messages in turn.
                """
        ) { arguments, value throws(ValueProblem) in
            guard !value.isEmpty else { throw .emptyText }
            do throws(MessageTemplateError) {
                arguments.messages.append(.text(try MessageTemplate(value)))
            } catch {
                throw .notATemplate(error)
            }
        },
        OptionSpecification(
            "file", "f", value: OptionValue("PATH", .file),
            repeatable: true, conflicts: ["size"] + OptionReference.modes(without: .file), heading: .messages,
            summary: "Send the file as one message",
            manual: """
                Send the whole file at *PATH* as one message. A text may have placeholders, as `--message` may; with `--binary` \
                there are none.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.messages.append(.file(try MessageFileValue.parse(value)))
        },
        OptionSpecification(
            "size", value: OptionValue("SIZE"),
            conflicts: ["message", "file"] + OptionReference.modes(without: .size), heading: .messages,
            summary: "Size of the messages (20; broadcast: 48)",
            manual: """
                Send messages of *SIZE* (20 bytes, and in a broadcast 48, unless told otherwise), each with its number in \
                front, as 8 hexadecimal digits, and a hash of that and its connection, as 8 letters: so that every reply is \
                known to be the right one. With less than 16 bytes, some of both are left out.
                """
        ) { arguments, value throws(ValueProblem) in
            let bytes = try SizeValue.parse(value)
            guard bytes <= 1 << 30 else { throw .outOfRange(1...1 << 30) }
            arguments.sizeBytes = bytes
        },
        OptionSpecification(
            "binary", conflicts: OptionReference.modes(without: .binary), heading: .messages,
            summary: "Send binary messages",
            manual: "Send binary messages, and not text messages."
        ) { arguments, _ in arguments.payload = .binary },
    ]
}

/// When a load begins.
enum StartTime: Equatable, Sendable {
    /// As soon as all connections are open.
    case soon
    /// At a moment, since the beginning of 1970, UTC.
    case moment(Duration)
    /// So long after the program was started.
    case after(Duration)

    /// Reads a moment as RFC 3339 writes it, one in seconds since 1970, or a time from now, `+5s`.
    static func parse(_ text: String) throws(ValueProblem) -> StartTime {
        if text.first == "+" {
            let time = try DurationValue.parse(String(text.dropFirst()))
            return time == .zero ? .soon : .after(time)
        }
        if let moment = EventTime.parse(text) { return .moment(moment) }
        // A unit would make it a time from now.
        guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: ".") }) else {
            throw .notAStartTime
        }
        guard let seconds = Double(text), 0..<0x1p40 ~= seconds else { throw .notAStartTime }
        return .moment(.microseconds(Int64((seconds * 1e6).rounded())))
    }
}
