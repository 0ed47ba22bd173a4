import WSCore

extension MessageEncoder {
    /// Creates the encoder of a run, and checks the messages of the command line. Returns `nil` without `--encode`.
    /// - Throws: ``Failure/badInput(what:why:)`` for a message that cannot be encoded.
    static func make(_ settings: ConnectSettings) throws(Failure) -> MessageEncoder? {
        guard let codec = settings.arguments.codecs.encoder else { return nil }
        let arguments = settings.arguments
        // Other input is converted to messages first.
        let checksInput = arguments.replies.calls == nil && arguments.protocols.choice == nil
        let encoder = MessageEncoder(codec, checksInput: checksInput)
        for (index, message) in settings.messages.enumerated() {
            if let problem = encoder.problem(with: message.payload.span.bytes, as: message.kind) {
                throw .badInput(what: "message \(index + 1)", why: "\(problem)")
            }
        }
        return encoder
    }
}
