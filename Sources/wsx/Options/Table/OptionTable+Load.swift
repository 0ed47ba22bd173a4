import LoadTest

extension BenchMode: OptionChoice {}

extension OptionTable {
    /// The modes in which an option has no meaning, as the values of `--mode` that it conflicts with.
    private static func modes(without option: ModeOption) -> [OptionReference] {
        BenchMode.all.filter { !$0.accepts(option) }.map { OptionReference("mode", value: $0.rawValue) }
    }

    /// The modes that an option belongs to, as the values of `--mode` that it requires.
    private static func modes(with option: ModeOption) -> [OptionReference] {
        BenchMode.all.filter { $0.accepts(option) }.map { OptionReference("mode", value: $0.rawValue) }
    }

    /// How much a load test does, and with what.
    static let load = [
        OptionSpecification(
            "mode", value: OptionValue("MODE", .choices(of: BenchMode.self)), default: "echo", group: .load,
            summary: "What connections do: echo, send, ...",
            manual: "What the connections do and what is measured, see MODES.",
            effect: .update(
                .bench { arguments, value throws(ValueProblem) in arguments.mode = try BenchMode.parse(value) })),
        OptionSpecification(
            "connections", "c", value: OptionValue("N"), default: "10", group: .load,
            summary: "Connections to open",
            manual: """
                Open *N* connections, 256 at a time, before anything is measured. A connection that cannot be opened is \
                counted and reported, and the others go on without it.
                """,
            effect: .update(
                .bench { arguments, value throws(ValueProblem) in
                    arguments.connectionCount = try CountValue.parse(value, largest: 1_000_000)
                })),
        OptionSpecification(
            "connect-rate", value: OptionValue("N"), conflicts: modes(without: .connectRate), group: .load,
            summary: "Connections to open each second",
            manual: """
                Open *N* connections a second, evenly spaced, in place of as many as there can be; the next ones wait while \
                256 are being opened.
                """,
            effect: .update(
                .bench { arguments, value throws(ValueProblem) in
                    arguments.connectRate = try CountValue.parse(value, largest: 1_000_000)
                })),
        OptionSpecification(
            "threads", "t", value: OptionValue("N"), default: "1", group: .load,
            summary: "Threads that share the connections",
            manual: """
                Run *N* threads, each with its share of the connections. One thread is enough for most servers; when the \
                results say that a thread was busy all the time, it takes more.
                """,
            effect: .update(
                .bench { arguments, value throws(ValueProblem) in
                    arguments.threadCount = try CountValue.parse(value, largest: 1024)
                })),
        OptionSpecification(
            "duration", "d", value: OptionValue("DURATION"), conflicts: ["messages"], group: .load,
            summary: "Send for so long (10s)",
            manual: """
                Send messages for *DURATION*, then wait for the replies that are missing and close the connections. Without \
                `--messages` it is `10s`.
                """,
            effect: .update(
                .bench { arguments, value throws(ValueProblem) in
                    arguments.duration = try DurationValue.parse(value, zeroAllowed: false)
                })),
        OptionSpecification(
            "messages", "n", value: OptionValue("N"), conflicts: ["duration"] + modes(without: .messages),
            group: .load,
            summary: "Send so many messages in all",
            manual: """
                Send *N* messages, on all connections together, then end as with `--duration`; and so, with what has been \
                sent, where nothing is read or answered any more for as long as `--reply-timeout`.
                """,
            effect: .update(
                .bench { arguments, value throws(ValueProblem) in
                    arguments.messageCount = try CountValue.parse(value)
                })),
        OptionSpecification(
            "rate", "r", value: OptionValue("N"), conflicts: ["in-flight"] + modes(without: .rate), group: .load,
            summary: "Messages a second in all, replies or not",
            manual: """
                Send *N* messages a second on all connections together, evenly spaced, whatever the server does. The latency \
                of a message counts from when it was due: a server that stands still for a second is seen to keep all \
                those waiting that came in that second. Messages that were due and for which a connection had no room are \
                counted as `unsent`.
                """,
            effect: .update(
                .bench { arguments, value throws(ValueProblem) in
                    arguments.rate = try CountValue.parse(value, largest: 100_000_000)
                })),
        OptionSpecification(
            "ramp", value: OptionValue("DURATION"), conflicts: modes(without: .ramp), group: .load,
            summary: "Reach the full load after so long",
            manual: """
                Begin gently: connections begin to send one after the other during *DURATION*, or `--rate` grows from nothing. \
                It is part of the time that is measured, unless `--warmup` is as long.
                """,
            effect: .update(
                .bench { arguments, value throws(ValueProblem) in
                    arguments.ramp = try DurationValue.parse(value, zeroAllowed: false)
                })),
        OptionSpecification(
            "start-at", value: OptionValue("TIME"), group: .load,
            summary: "Begin to send at this time",
            manual: """
                Open the connections at once, and begin to send at *TIME*, so that several machines begin together: \
                `2026-05-01T12:00:00Z`, seconds since 1970, or `+30s` from the start of the program. When it is over \
                before all connections are open, that is said, and the load begins then.
                """,
            effect: .update(
                .bench { arguments, value throws(ValueProblem) in arguments.start = try StartTime.parse(value) })),
        OptionSpecification(
            "warmup", value: OptionValue("DURATION"), group: .load,
            summary: "Send for so long before messages count",
            manual: """
                Send for *DURATION* before what `--duration` and `--messages` say, and leave the messages of that time out of \
                all results but the errors.
                """,
            effect: .update(
                .bench { arguments, value throws(ValueProblem) in
                    arguments.warmup = try DurationValue.parse(value, zeroAllowed: false)
                })),
        OptionSpecification(
            "in-flight", value: OptionValue("N"), default: "1",
            conflicts: modes(without: .inFlight), group: .load,
            summary: "Messages of a connection without a reply",
            manual: """
                Let *N* messages of each connection be without a reply; with each reply the next message is sent. With 1 \
                a connection is a client that asks and waits; more find out what a server can take.
                """,
            effect: .update(
                .bench { arguments, value throws(ValueProblem) in
                    arguments.inFlight = try CountValue.parse(value, largest: 65_536)
                })),
        OptionSpecification(
            "reply-timeout", value: OptionValue("DURATION"), default: "10s", conflicts: modes(without: .replyTimeout),
            group: .load,
            summary: "Time to wait for a reply",
            manual: """
                Send the next message when a reply has not come for *DURATION*, or up to a quarter longer. A reply that comes \
                later still counts, with all of its latency. Of messages that are all the same, such as one given with \
                `--message`, it cannot be told which of them is late and which is lost: each reply is taken for that of the \
                oldest, so that no latency is less than it was. `{{seq}}` in them tells.
                """,
            effect: .update(
                .bench { arguments, value throws(ValueProblem) in
                    arguments.replyTimeout = try DurationValue.parse(value, zeroAllowed: false)
                })),
        OptionSpecification(
            "publishers", value: OptionValue("N"), default: "1", requires: modes(with: .publishers), group: .load,
            summary: "Connections that publish (broadcast)",
            manual: "In `--mode broadcast`, publish on the first *N* connections; all others read.",
            effect: .update(
                .bench { arguments, value throws(ValueProblem) in
                    arguments.publisherCount = try CountValue.parse(value, largest: 10_000)
                })),
        OptionSpecification(
            "heartbeat", value: OptionValue("DURATION"), default: "10s", requires: modes(with: .heartbeat),
            group: .load,
            summary: "Time from ping to ping (idle)",
            manual: "In `--mode idle`, send each connection a ping every *DURATION*; all of them are evenly spaced.",
            effect: .update(
                .bench { arguments, value throws(ValueProblem) in
                    arguments.heartbeat = try DurationValue.parse(value, zeroAllowed: false)
                })),
        OptionSpecification(
            "message", "m", value: OptionValue("TEXT"),
            repeatable: true, conflicts: ["size"] + modes(without: .message), group: .messages,
            summary: "Send this, with {{seq}}, {{random 8}}, ...",
            manual: """
                Send *TEXT*, in which placeholders such as `{{seq}}` stand for something else in each message, see \
                PLACEHOLDERS. Of several options, `--file` among them, each connection sends the messages in turn.
                """,
            effect: .update(
                .bench { arguments, value throws(ValueProblem) in
                    guard !value.isEmpty else { throw .emptyText }
                    do throws(MessageTemplateError) {
                        arguments.messages.append(.text(try MessageTemplate(value)))
                    } catch {
                        throw .notATemplate(error)
                    }
                })),
        OptionSpecification(
            "file", "f", value: OptionValue("PATH", .file),
            repeatable: true, conflicts: ["size"] + modes(without: .file), group: .messages,
            summary: "Send the file as one message",
            manual: """
                Send the whole file at *PATH* as one message. A text may have placeholders, as `--message` may; with `--binary` \
                there are none.
                """,
            effect: .update(
                .bench { arguments, value throws(ValueProblem) in
                    arguments.messages.append(.file(try MessageFileValue.parse(value)))
                })),
        OptionSpecification(
            "size", value: OptionValue("SIZE"),
            conflicts: ["message", "file"] + modes(without: .size), group: .messages,
            summary: "Size of the messages (20; broadcast: 48)",
            manual: """
                Send messages of *SIZE* (20 bytes, and in a broadcast 48, unless told otherwise), each with its number in \
                front, as 8 hexadecimal digits, and a hash of that and its connection, as 8 letters: so that every reply is \
                known to be the right one. With less than 16 bytes, some of both are left out.
                """,
            effect: .update(
                .bench { arguments, value throws(ValueProblem) in
                    let bytes = try SizeValue.parse(value)
                    guard bytes <= 1 << 30 else { throw .outOfRange(1...1 << 30) }
                    arguments.sizeBytes = bytes
                })),
        OptionSpecification(
            "binary", conflicts: modes(without: .binary), group: .messages,
            summary: "Send binary messages",
            manual: "Send binary messages, and not text messages.",
            effect: .update(.bench { arguments, _ in arguments.payload = .binary })),
    ]

    /// How the results of a load test are written.
    static let results = [
        OptionSpecification(
            "output", value: OptionValue("FORMAT", .choices(of: ResultFormat.self)), default: "text", group: .results,
            summary: "How results are written to stdout",
            manual: "How the results are written to standard output.",
            effect: .update(
                .results { arguments, value throws(ValueProblem) in arguments.output = try ResultFormat.parse(value) })),
        OptionSpecification(
            "threshold", value: OptionValue("EXPR"), repeatable: true, group: .results,
            summary: "Exit with 7 unless this holds: 'p99<20ms'",
            manual: """
                Exit with status 7, and say why, unless the results are as *EXPR* has it: a metric, an operator and a value, \
                such as `p99<20ms`, `rate>50k` or `errors=0`, see THRESHOLDS.
                """,
            effect: .update(
                .results { arguments, value throws(ValueProblem) in
                    do throws(ThresholdError) {
                        arguments.thresholds.append(try Threshold(value))
                    } catch {
                        throw .notAThreshold(error)
                    }
                })),
        OptionSpecification(
            "baseline", value: OptionValue("FILE", .file), repeatable: true, group: .results,
            summary: "Compare with an earlier run's JSON in FILE",
            manual: """
                Compare with the results of an earlier run, as `--output json` has written them to *FILE*, and tell what is \
                a change and what is noise, see BASELINES. Neither makes the status another one. Of several, what is as \
                large as the differences between them is noise.
                """,
            effect: .update(.results { arguments, value in arguments.baselinePaths.append(value) })),
        OptionSpecification(
            "hdr", value: OptionValue("FILE", .file), group: .results,
            summary: "Write the latencies of each second to FILE",
            manual: """
                Write the latencies of each second, in nanoseconds, to *FILE*, in the log format of HdrHistogram (1.3), which \
                its tools read and draw. The file is made for you alone, or emptied when it is there.
                """,
            effect: .update(.results { arguments, value in arguments.histogramPath = value })),
        OptionSpecification(
            "report", value: OptionValue("FILE", .file), group: .results,
            summary: "Draw the results in FILE, a page in HTML",
            manual: """
                Write a page with the results to *FILE*: the latencies and the messages of each second, the latency by \
                percentile, the distribution of the latencies, and the tables. All of it is in the file, in which a browser \
                draws it without asking anybody for more; the results as JSON are part of it, but for the histogram of each \
                second. The file is made for you alone, or emptied when it is there.
                """,
            effect: .update(.results { arguments, value in arguments.reportPath = value })),
    ]
}
