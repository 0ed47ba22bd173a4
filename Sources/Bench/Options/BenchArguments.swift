import CommandLine
import LoadTest
import UserInterface

/// The arguments of `wsx bench` as typed. Nothing is resolved yet: no file is read, and no URL parsed.
package struct BenchArguments: Equatable, Sendable {
    /// Compression is off by default: the test is to measure the server, not zlib.
    package var client = ClientArguments(compression: CompressionArguments(compresses: false))
    package var load = LoadArguments()
    package var loadMessages = LoadMessageArguments()
    package var protocols = ProtocolArguments()
    package var codecs = CodecArguments()
    package var exchange = ExchangeArguments()
    package var data = DataArguments()
    package var scenario = ScenarioArguments()
    /// More than 0; nil: no limit.
    package var timeout: Duration?
    package var result = ResultArguments()
    package var samples = SampleArguments()
    /// The conditions that results must meet at the end of each second.
    package var abortConditions: [Threshold] = []
    /// The conditions that the rate to search has to meet; empty: no rate is searched.
    package var goals: [Threshold] = []
    /// The address at which metrics are served, as typed; nil: they are not.
    package var metricsAddress: String?
    package var display = DisplayArguments()

    package init() {}

    /// The mode of the load. A scenario has its own.
    package var mode: BenchMode { scenario.loadFiles.isEmpty ? load.mode : .scenario }

    package static let operands: [OperandSpecification<BenchArguments>] = [
        ClientArguments.url(
            mayBeProgram: true,
            manual: """
                The server to test; see URLS. `echo:` is a built-in echo server, which runs on a \
                separate thread of this process. `@`*NAME* is a profile; see CONFIGURATION.
                """
        ).lifted(\.client)
    ]

    @OptionTable<BenchArguments> package static var options: [OptionSpecification<BenchArguments>] {
        LoadArguments.options.lifted(\.load)
        findRate
        LoadMessageArguments.options.lifted(\.loadMessages)
        ProtocolArguments.options(
            requires: .modes(with: .applicationProtocol),
            examplePrefix: "--mode request ",
            manual: """
                Speak an application protocol on each connection: its opening is part of the login, and its keepalives \
                do not count. Each `--message` is a line as it would be typed in `wsx connect`. See PROTOCOLS.
                """
        ).lifted(\.protocols)
        CodecArguments.options(
            takesPrograms: false,
            encodeRequires: .modes(with: .encode) + ["scenario"],
            excludes: .exchange,
            seeAlso: ["message", "scenario"], examplePrefix: "--mode request ",
            decode: """
                Decode received messages with *CODEC* before they are counted, matched, or expected. Text messages are \
                only split into records. Messages that cannot be decoded stay unchanged, and the first one on each \
                connection counts as an error (`protocol`).
                """,
            encode: """
                Encode each text message to send, which must be JSON, with *CODEC*.
                """
        ).lifted(\.codecs)
        LoadArguments.replyOptions.lifted(\.load)
        ExchangeArguments.options(
            firstMessage: """
                The load begins when all connections are ready. First messages are not part of the results.
                """,
            ready: """
                The load begins when all connections have got it. Messages up to this one do not count. The results report how long the login takes. A connection without a match \
                within `--connect-timeout` is closed and counts as a timeout.
                """,
            answer: """
                Answered messages and their answers do not count. Echoes and broadcast deliveries are not answered.
                """,
            runsPrograms: false
        ).lifted(\.exchange)
        DataArguments.data(
            manual: """
                Give each connection a row of *FILE*: connection *k* gets row *k*, and its columns are variables of \
                all templates. A file with fewer rows than connections is an error, because rows are \
                never used twice. With `--mode connect`, each attempt takes the next row, and the run ends with \
                status 2 when there is none.
                """,
            example: "--data users.csv -H 'X-Token: {{token}}'", seeAlso: ["message", "first-message", "header"],
            message: "use --message TEXT or --file FILE"
        ).lifted(\.data)
        ScenarioArguments.loadOptions.lifted(\.scenario)
        OptionSpecification.timeout(
            \BenchArguments.timeout,
            manual: """
                End the run after *DURATION*, including the time to open connections, with status 6 and the results so \
                far.
                """)
        ClientArguments.options(
            compression: CompressionArguments.options(
                default: .off,
                manual: """
                    Offer compression (permessage-deflate, RFC 7692), with which both ends spend most of their time. \
                    Messages of 64 bytes or more are then compressed if that makes them shorter.
                    """)
        ).lifted(\.client)
        NetworkArguments.http2.lifted(\.client.network)
        ResultArguments.options.lifted(\.result)
        SampleArguments.options.lifted(\.samples)
        abort
        metrics
        DisplayArguments.options().lifted(\.display)
    }

    private static let metrics = OptionSpecification<BenchArguments>(
        "metrics", value: OptionValue("[ADDRESS:]PORT"), heading: .results,
        summary: "Serve OpenMetrics during the run",
        manual: """
            Serve the results so far at `http://`*ADDRESS*`:`*PORT*`/metrics` during the run, in the OpenMetrics format \
            for Prometheus. The default *ADDRESS* is `127.0.0.1`. Port 0 picks a free port. Requests must name an IP \
            address or `localhost` as Host. See METRICS.
            """,
        example: "--duration 10m --metrics 9464", seeAlso: ["output", "report"]
    ) { arguments, value throws(ValueProblem) in
        guard !value.isEmpty else { throw .emptyText }
        arguments.metricsAddress = value
    }

    private static let findRate = OptionSpecification<BenchArguments>(
        "find-rate", value: OptionValue("EXPR"), repetition: .adds,
        conflicts: [
            "abort", "baseline", "data", "in-flight", "messages", "output=jsonl", "ramp", "samples", "stages",
            "start-at", "think",
        ] + .modes(without: .rate),
        heading: .load, summary: "Find the highest rate at which EXPR holds",
        manual: """
            Search the highest rate at which each *EXPR* holds, as for `--threshold`, from `--rate` (default: `100`) \
            on. A step takes `--duration` (default: `5s`) after `--warmup` (default: `1s`). See RATE SEARCH.
            """,
        example: "--find-rate 'p99<50ms'", seeAlso: ["threshold"]
    ) { arguments, value throws(ValueProblem) in
        arguments.goals.append(try ThresholdValue.parse(value))
    }

    private static let abort = OptionSpecification<BenchArguments>(
        "abort", value: OptionValue("EXPR"), repetition: .adds, heading: .results,
        summary: "Stop as soon as EXPR does not hold: 'p99<1s'",
        manual: """
            Check *EXPR* on the results so far after each second. If it does not hold, end the run with status 7 and \
            the results so far. The expressions are those of `--threshold`, except for those about stages and what is \
            known only at the end, such as handshake times.
            """,
        example: "--duration 10m --abort 'p99<1s' --abort 'errors<10'", seeAlso: ["threshold", "duration"]
    ) { arguments, value throws(ValueProblem) in
        arguments.abortConditions.append(try ThresholdValue.parse(value))
    }
}

/// The arguments of `wsx bench merge` as typed.
package struct MergeArguments: Equatable, Sendable {
    /// Files with results, 1 or more; `-` is standard input.
    package var paths: [String] = []
    package var result = ResultArguments()
    package var display = DisplayArguments()

    package init() {}

    package static let operands = [
        OperandSpecification<MergeArguments>(
            "FILE", required: true, repeatable: true, completion: .file, example: "a.json b.json",
            summary: "Results in JSON; - reads standard input",
            manual: """
                A file written by `wsx bench --output json`, or a file with several results, one per line. `-` reads \
                standard input.
                """
        ) { arguments, values in arguments.paths = values }
    ]

    @OptionTable<MergeArguments> package static var options: [OptionSpecification<MergeArguments>] {
        ResultArguments.options.lifted(\.result)
        DisplayArguments.options().lifted(\.display)
    }
}

/// The arguments of a command with results.
protocol ResultCommandArguments {
    var result: ResultArguments { get }
    /// The input files and their options.
    var readFiles: [OutputPlace.Source] { get }
}

extension BenchArguments: ResultCommandArguments {
    /// The input files and their options.
    package var readFiles: [OutputPlace.Source] {
        let files = loadMessages.messages.map { message in
            if case .file(let path) = message { path } else { nil as String? }
        }
        return result.baselinePaths.map { ("--baseline", $0) } + files.map { ("--file", $0) } + [
            ("--data", data.path)
        ]
            + scenario.loadFiles.map { ("--scenario", NumberedFile($0).path) }
            + exchange.files
            + OutputPlace.files([load.heartbeatMessage].compactMap(\.self), of: "--heartbeat-message")
            + client.connectionFiles
    }
}

extension MergeArguments: ResultCommandArguments {
    /// The input files and their options.
    package var readFiles: [OutputPlace.Source] {
        result.baselinePaths.map { ("--baseline", $0) } + paths.map { ("this command", $0 == "-" ? nil : $0) }
    }
}
