extension MessageReceiver {
    /// How much of a message has arrived that is not whole yet; nil: there is none.
    var progress: MessageProgress? {
        guard messageKind != nil else { return nil }
        let missingBytes = frame.map { $0.opcode.isControl ? 0 : $0.payloadBytes - payloadBytesReceived } ?? 0
        let isLast = frame.map { !$0.opcode.isControl && $0.isFinal } ?? false
        return MessageProgress(bytes: messageWireBytes - missingBytes, totalBytes: isLast ? messageWireBytes : nil)
    }
}
