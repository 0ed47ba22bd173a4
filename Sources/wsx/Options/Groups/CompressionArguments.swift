import CommandLine
import WSCore

/// The options for permessage-deflate.
struct CompressionArguments: Equatable, Sendable {
    var compresses = true
    /// 8 through 15.
    var compressionWindowBits = 15
    var compressionKeepsContext = true

    /// What is wished for permessage-deflate; nil: it is not used.
    var deflate: DeflatePreferences? {
        compresses
            ? DeflatePreferences(windowBits: compressionWindowBits, keepsContext: compressionKeepsContext) : nil
    }

    /// The options.
    /// - Parameters:
    ///   - defaultValue: The default of `--compress`.
    ///   - manual: What the manual says of `--compress`.
    static func options(
        default defaultValue: Switch = .on,
        manual: MarkedText = """
        Offer, or accept, compression of messages (permessage-deflate, RFC 7692). It is then used for messages \
        of 64 bytes and more that it makes shorter. `--compress=off` neither offers nor accepts it.
        """
    ) -> [OptionSpecification<CompressionArguments>] {
        [
            OptionSpecification(
                "compress", value: OptionValue("off", .choices(of: Switch.self), implied: "on"),
                default: defaultValue.rawValue, heading: .compression,
                summary: "Compress messages where the peer can", manual: manual
            ) { arguments, value throws(ValueProblem) in
                arguments.compresses = try Switch.parse(value) == .on
            },
            OptionSpecification(
                "compress-window-bits", value: OptionValue("N"), default: "15", conflicts: ["compress=off"],
                heading: .compression,
                summary: "Refer back by 2^N bytes at most (8-15)",
                manual: """
                    Let compressed data refer back by 2^*N* bytes at most, in both directions: a smaller window takes less \
                    memory at both ends and compresses less. *N* is 8 through 15; since many peers cannot do with \
                    8, that is spoken of as 9 until the peer says 8. A server can ask for it only those \
                    clients that say they are able to.
                    """
            ) { arguments, value throws(ValueProblem) in
                arguments.compressionWindowBits = try WindowBitsValue.parse(value)
            },
            OptionSpecification(
                "compress-no-context", conflicts: ["compress=off"], heading: .compression,
                summary: "Compress each message by itself",
                manual: """
                    Compress each message by itself, in both directions, without reference to those before: less memory, \
                    and messages that resemble each other compress less.
                    """
            ) { arguments, _ in arguments.compressionKeepsContext = false },
        ]
    }

    /// Whether something is done that is done unless told otherwise.
    enum Switch: String, CaseIterable, OptionChoice {
        case on
        case off

        var summary: String {
            switch self {
            case .on: "where the peer can"
            case .off: "never"
            }
        }
    }
}
