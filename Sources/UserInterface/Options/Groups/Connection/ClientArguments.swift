import CommandLine

/// The operand and options shared by the commands that connect to a server.
package struct ClientArguments: Equatable, Sendable {
    package var url = ""
    package var request = RequestArguments()
    package var network = NetworkArguments()
    package var tls = TLSArguments()
    package var closeFrame = CloseFrameArguments()
    package var compression: CompressionArguments
    package var limits = LimitArguments()

    package init(compression: CompressionArguments = CompressionArguments()) {
        self.compression = compression
    }

    /// The URL operand.
    /// - Parameters:
    ///   - isRequired: Whether the command needs a URL. Default: true.
    ///   - prefixes: The beginnings of URLs that completion offers.
    ///   - mayMeanLoad: Whether a number in its place may be meant for a load test.
    ///   - mayBeProgram: Whether a program may write the URL.
    package static func url(
        required isRequired: Bool = true,
        summary: String = "ws://HOST/PATH, HOST:PORT, echo:, or @PROFILE",
        prefixes: [String] = CompletionTargets.prefixes, mayMeanLoad: Bool = true, mayBeProgram: Bool = false,
        manual: MarkedText
    ) -> OperandSpecification<ClientArguments> {
        OperandSpecification(
            "URL", required: isRequired, profileKey: "url",
            startsProgram: { mayBeProgram && SecretReference.isProgram($0) },
            completion: .url(prefixes: prefixes, list: CompletionTargets.word), example: "URL",
            summary: summary, manual: manual
        ) { arguments, values throws(ValueProblem) in
            arguments.url = try ServerURLValue.parse(
                values.joined(), mayMeanLoad: mayMeanLoad, mayBeProgram: mayBeProgram)
        }
    }

    /// The options.
    /// - Parameter compression: The compression options, because their default differs by command.
    @OptionTable<ClientArguments> package static func options(
        compression: [OptionSpecification<CompressionArguments>] = CompressionArguments.options()
    ) -> [OptionSpecification<ClientArguments>] {
        CloseFrameArguments.options().lifted(\.closeFrame)
        RequestArguments.options.lifted(\.request)
        NetworkArguments.options.lifted(\.network)
        TLSArguments.options.lifted(\.tls)
        compression.lifted(\.compression)
        LimitArguments.options().lifted(\.limits)
    }
}

/// The profiles and URLs that completion scripts offer.
package enum CompletionTargets {
    /// The operand of `wsx completions` that prints them, one per line.
    package static let word = "targets"
    /// The beginnings of URLs that are offered with them.
    package static let prefixes = ["echo:", "ws://", "wss://"]
}
