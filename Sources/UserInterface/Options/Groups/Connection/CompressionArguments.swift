import CommandLine
import WSCore

/// The options for permessage-deflate.
package struct CompressionArguments: Equatable, Sendable {
    package var compresses: Bool
    /// 8 through 15.
    package var compressionWindowBits = 15
    package var compressionKeepsContext = true

    package init(compresses: Bool = true) {
        self.compresses = compresses
    }

    /// The parameters to negotiate; nil: no compression.
    package var deflate: DeflatePreferences? {
        compresses
            ? DeflatePreferences(windowBits: compressionWindowBits, keepsContext: compressionKeepsContext) : nil
    }

    /// The options.
    /// - Parameters:
    ///   - defaultValue: The default of `--compress`.
    ///   - manual: The manual of `--compress`.
    package static func options(
        default defaultValue: Switch = .on,
        manual: MarkedText = """
        Negotiate compression with the peer (permessage-deflate, RFC 7692). Messages of 64 bytes or more are \
        compressed if that makes them shorter. `--compress=off` neither offers nor accepts compression.
        """
    ) -> [OptionSpecification<CompressionArguments>] {
        [
            OptionSpecification(
                "compress", value: OptionValue("off", .choices(of: Switch.self), implied: "on"),
                default: defaultValue.rawValue, heading: .compression,
                summary: "Compress messages if the peer can", manual: manual,
                example: defaultValue == .on ? "--compress=off" : "--compress",
                seeAlso: ["compress-window-bits", "compress-no-context"]
            ) { arguments, value throws(ValueProblem) in
                arguments.compresses = try Switch.parse(value) == .on
            },
            OptionSpecification(
                "compress-window-bits", value: OptionValue("N"), default: "15", conflicts: ["compress=off"],
                heading: .compression,
                summary: "Compress with a window of 2^N bytes",
                manual: """
                        Limit the compression window to 2^*N* bytes in both directions, with *N* from 8 through 15. A \
                        smaller window takes less memory at both ends but compresses less. `wsx` itself compresses with \
                        at most 2^14 bytes. Of 8, `wsx` makes 9 unless the peer names 8 first. A server can limit the \
                        window only for clients that offer `client_max_window_bits`.
                    """,
                example: "--compress --compress-window-bits 10", seeAlso: ["compress", "compress-no-context"]
            ) { arguments, value throws(ValueProblem) in
                arguments.compressionWindowBits = try WindowBitsValue.parse(value)
            },
            OptionSpecification(
                "compress-no-context", conflicts: ["compress=off"], heading: .compression,
                summary: "Compress each message independently",
                manual: """
                    Compress each message independently, in both directions (no context takeover). This takes less \
                    memory at both ends but compresses less.
                    """,
                seeAlso: ["compress", "compress-window-bits"]
            ) { arguments, _ in arguments.compressionKeepsContext = false },
        ]
    }

    /// The values of `--compress`.
    package enum Switch: String, CaseIterable, OptionChoice {
        case on
        case off

        package var summary: String {
            switch self {
            case .on: "if the peer supports it"
            case .off: "never"
            }
        }
    }
}
