extension MessageReceiver {
    /// The progress of the message being received, or nil if there is none.
    var progress: MessageProgress? {
        guard let partial, partial.messageKind != nil else { return nil }
        let missingBytes =
            partial.frame.map { $0.opcode.isControl ? 0 : $0.payloadBytes - partial.payloadBytesReceived } ?? 0
        let isLast = partial.frame.map { !$0.opcode.isControl && $0.isFinal } ?? false
        let wireBytes = partial.messageWireBytes
        return MessageProgress(bytes: wireBytes - missingBytes, totalBytes: isLast ? wireBytes : nil)
    }
}
