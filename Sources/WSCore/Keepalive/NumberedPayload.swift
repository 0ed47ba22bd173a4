/// Ping payloads for one purpose: a word and a number. The number identifies the ping that a pong answers, because a
/// pong has the same payload (RFC 6455 §5.5.3). Text is readable for users who watch the frames.
package struct NumberedPayload: Sendable {
    /// The purpose of the pings.
    package let word: String

    /// Creates the payloads of a purpose.
    package init(word: String) {
        self.word = word
    }

    /// Returns the payload with a number.
    package func bytes(_ number: UInt64) -> [UInt8] { Array("\(word) \(number)".utf8) }

    /// Returns the number in a payload, or nil if it is not one of these payloads.
    package func number(in payload: RawSpan) -> UInt64? {
        let payload = payload.withUnsafeBytes { Array($0) }
        guard payload.count <= FrameHeader.maximumControlPayloadBytes,
            let number = UInt64(String(decoding: payload.dropFirst(word.utf8.count + 1), as: UTF8.self)),
            bytes(number) == payload
        else { return nil }
        return number
    }
}
