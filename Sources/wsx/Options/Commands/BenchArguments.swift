import CommandLine

/// What was typed after `wsx bench`. What it means (files read, URL parsed) is worked out elsewhere.
struct BenchArguments: Equatable, Sendable {
    /// Without compression unless it is asked for: it is the server that is to be measured, and not zlib.
    var client = ClientArguments(compression: CompressionArguments(compresses: false))
    var load = LoadArguments()
    var loadMessages = LoadMessageArguments()
    /// More than 0; nil: no limit.
    var timeout: Duration?
    var result = ResultArguments()
    var display = DisplayArguments()

    static let operands: [OperandSpecification<BenchArguments>] = [
        ClientArguments.url(
            manual: """
                The server to test, see URLS in *wsx-connect*(1). `echo:` is one in this process, on a thread of its own.
                """
        ).lifted(\.client)
    ]

    @OptionTable<BenchArguments> static var options: [OptionSpecification<BenchArguments>] {
        LoadArguments.options.lifted(\.load)
        LoadMessageArguments.options.lifted(\.loadMessages)
        OptionSpecification.timeout(
            \BenchArguments.timeout,
            manual: """
                End the run with status 6 and the results so far when it has taken *DURATION*, opening of connections \
                included, and nothing else has ended it.
                """)
        ClientArguments.options(
            compression: CompressionArguments.options(
                default: .off,
                manual: """
                    Offer compression of messages (permessage-deflate, RFC 7692). It is then used for messages \
                    of 64 bytes and more that it makes shorter. Both ends then spend most of their time on it.
                    """)
        ).lifted(\.client)
        ResultArguments.options.lifted(\.result)
        DisplayArguments.options.lifted(\.display)
    }
}

/// What was typed after `wsx bench merge`.
struct MergeArguments: Equatable, Sendable {
    /// Files of results, 1 or more; `-` is standard input.
    var paths: [String] = []
    var result = ResultArguments()
    var display = DisplayArguments()

    static let operands = [
        OperandSpecification<MergeArguments>(
            "FILE", required: true, repeatable: true, completion: .file,
            summary: "Results, as --output json writes them; - is stdin",
            manual: """
                A file that `wsx bench --output json` has written, or several of its results, one a line. `-` is standard \
                input.
                """
        ) { arguments, values in arguments.paths = values }
    ]

    @OptionTable<MergeArguments> static var options: [OptionSpecification<MergeArguments>] {
        ResultArguments.options.lifted(\.result)
        DisplayArguments.options.lifted(\.display)
    }
}
