extension OptionTable {
    /// permessage-deflate.
    static let compression = [
        OptionSpecification(
            "compress", value: OptionValue("off", .choices(of: Switch.self), implied: "on"), default: "on",
            group: .compression,
            summary: "Compress messages where the peer can",
            manual: """
                Offer, or accept, compression of messages (permessage-deflate, RFC 7692). It is then used for messages \
                of 64 bytes and more that it makes shorter. `--compress=off` neither offers nor accepts it.
                """,
            effect: .update(
                .shared { arguments, value throws(ValueProblem) in
                    arguments.compresses = try Switch.parse(value) == .on
                })),
        OptionSpecification(
            "compress", value: OptionValue("off", .choices(of: Switch.self), implied: "on"), default: "off",
            group: .compression,
            summary: "Compress messages where the peer can",
            manual: """
                Offer compression of messages (permessage-deflate, RFC 7692). It is then used for messages \
                of 64 bytes and more that it makes shorter. Both ends then spend most of their time on it.
                """,
            effect: .update(
                .bench { arguments, value throws(ValueProblem) in
                    arguments.compresses = try Switch.parse(value) == .on
                })),
        OptionSpecification(
            "compress-window-bits", value: OptionValue("N"), default: "15", conflicts: ["compress=off"],
            group: .compression,
            summary: "Refer back by 2^N bytes at most (8-15)",
            manual: """
                Let compressed data refer back by 2^*N* bytes at most, in both directions: a smaller window takes less \
                memory at both ends and compresses less. *N* is 8 through 15; since many peers cannot do with \
                8, that is spoken of as 9 until the peer says 8. A server can ask for it only those \
                clients that say they are able to.
                """,
            effect: .update(
                .common { arguments, value throws(ValueProblem) in
                    arguments.compressionWindowBits = try WindowBitsValue.parse(value)
                })),
        OptionSpecification(
            "compress-no-context", conflicts: ["compress=off"], group: .compression,
            summary: "Compress each message by itself",
            manual: """
                Compress each message by itself, in both directions, without reference to those before: less memory, \
                and messages that resemble each other compress less.
                """,
            effect: .update(.common { arguments, _ in arguments.compressionKeepsContext = false })),
    ]
}
