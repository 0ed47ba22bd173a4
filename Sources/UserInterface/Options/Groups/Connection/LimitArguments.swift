import CommandLine
import WSCore

/// The limits on messages and on the duration of the closing handshake.
package struct LimitArguments: Equatable, Sendable {
    /// 64 MiB for a client, because its user chose the server. Servers have a lower default: anyone may connect.
    package var maximumMessageBytes: Int
    package var maximumFragments = 131_072
    /// The maximum payload of an outgoing frame in bytes, 1 or more; nil: messages are not fragmented.
    package var fragmentBytes: Int?
    /// As given, or `nil` for the default of ``closeTimeout``.
    package var givenCloseTimeout: Duration?

    package init(maximumMessageBytes: Int = 64 << 20) {
        self.maximumMessageBytes = maximumMessageBytes
    }

    /// The limits of received messages.
    package var ofMessages: Limits {
        Limits(maximumMessageBytes: maximumMessageBytes, maximumFragments: maximumFragments)
    }

    package var closeTimeout: Duration {
        get { givenCloseTimeout ?? .seconds(5) }
        set { givenCloseTimeout = newValue }
    }

    /// The options.
    /// - Parameter messageSize: The default of `--max-message-size`.
    package static func options(messageSize: String = "64M") -> [OptionSpecification<LimitArguments>] {
        [
            OptionSpecification(
                "close-timeout", value: OptionValue("DURATION"), heading: .ending,
                summary: "Limit the closing handshake [5s]",
                manual: """
                    Drop the connection if the peer does not answer a close frame within *DURATION*, by default 5 seconds, \
                    or takes no output for that long.
                    """,
                example: "--close-timeout 1s"
            ) { arguments, value throws(ValueProblem) in
                arguments.closeTimeout = try DurationValue.parse(value)
            },
            OptionSpecification(
                "max-message-size", value: OptionValue("SIZE"), default: messageSize, heading: .limits,
                summary: "Limit the size of received messages",
                manual: """
                    Close the connection with 1009 if a received message is larger than *SIZE*, counted after \
                    decompression.
                    """,
                example: "--max-message-size 1M", seeAlso: ["max-fragments"]
            ) { arguments, value throws(ValueProblem) in
                arguments.maximumMessageBytes = try SizeValue.parse(value)
            },
            OptionSpecification(
                "max-fragments", value: OptionValue("N"), default: "131072", heading: .limits,
                summary: "Limit the fragments per message",
                manual: "Close the connection with 1008 if a received message has more than *N* fragments.",
                example: "--max-fragments 1k", seeAlso: ["max-message-size"]
            ) { arguments, value throws(ValueProblem) in
                arguments.maximumFragments = try CountValue.parse(value)
            },
            OptionSpecification(
                "fragment-size", value: OptionValue("SIZE"), heading: .limits,
                summary: "Send messages in fragments of SIZE bytes",
                manual: """
                    Split messages larger than *SIZE* into fragments of *SIZE* bytes. By default, messages are not \
                    fragmented.
                    """,
                example: "--fragment-size 16k"
            ) { arguments, value throws(ValueProblem) in
                arguments.fragmentBytes = try SizeValue.parse(value)
            },
        ]
    }
}
