import CommandLine

/// The arguments of `wsx bench` as typed. Nothing is resolved yet: no file is read, and no URL parsed.
struct BenchArguments: Equatable, Sendable {
    /// Compression is off by default: the test is to measure the server, not zlib.
    var client = ClientArguments(compression: CompressionArguments(compresses: false))
    var load = LoadArguments()
    var loadMessages = LoadMessageArguments()
    var replies = LoadReplyArguments()
    /// More than 0; nil: no limit.
    var timeout: Duration?
    var result = ResultArguments()
    var display = DisplayArguments()

    static let operands: [OperandSpecification<BenchArguments>] = [
        ClientArguments.url(
            manual: """
                The server to test; see URLS in *wsx-connect*(1). `echo:` is a built-in echo server, which runs on a \
                separate thread of this process. `@`*NAME* is a profile; see CONFIGURATION in *wsx*(1).
                """
        ).lifted(\.client)
    ]

    @OptionTable<BenchArguments> static var options: [OptionSpecification<BenchArguments>] {
        LoadArguments.options.lifted(\.load)
        LoadMessageArguments.options.lifted(\.loadMessages)
        LoadReplyArguments.options.lifted(\.replies)
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
                    Offer compression (permessage-deflate, RFC 7692). Messages of 64 bytes or more are then compressed \
                    if that makes them shorter. Both ends spend most of their time compressing, which is why the \
                    default is off.
                    """)
        ).lifted(\.client)
        ResultArguments.options.lifted(\.result)
        DisplayArguments.options().lifted(\.display)
    }
}

/// The arguments of `wsx bench merge` as typed.
struct MergeArguments: Equatable, Sendable {
    /// Files with results, 1 or more; `-` is standard input.
    var paths: [String] = []
    var result = ResultArguments()
    var display = DisplayArguments()

    static let operands = [
        OperandSpecification<MergeArguments>(
            "FILE", required: true, repeatable: true, completion: .file, example: "a.json b.json",
            summary: "Results in JSON; - reads standard input",
            manual: """
                A file written by `wsx bench --output json`, or a file with several results, one per line. `-` reads \
                standard input.
                """
        ) { arguments, values in arguments.paths = values }
    ]

    @OptionTable<MergeArguments> static var options: [OptionSpecification<MergeArguments>] {
        ResultArguments.options.lifted(\.result)
        DisplayArguments.options().lifted(\.display)
    }
}
