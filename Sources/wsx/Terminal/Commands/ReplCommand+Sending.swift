import WSCore

extension ReplCommand {
    /// What is sent besides the messages that are typed as they are.
    static let sending = [
        ReplCommand("ping", "[TEXT]", "send a ping", details: "*TEXT* is at most 125 bytes.", isForServers: true) {
            (argument) throws(ReplMistake) in .ping(try controlPayload(argument))
        },
        ReplCommand(
            "pong", "[TEXT]", "send a pong that answers no ping", details: "*TEXT* is at most 125 bytes.",
            isForServers: true
        ) { (argument) throws(ReplMistake) in .pong(try controlPayload(argument)) },
    ]

    private static func controlPayload(_ argument: ReplArgument) throws(ReplMistake) -> [UInt8] {
        guard argument.bytes.count <= FrameHeader.maximumControlPayloadBytes else {
            throw ReplMistake("the text is longer than \(FrameHeader.maximumControlPayloadBytes) bytes")
        }
        return argument.bytes
    }
}
