/// The payloads of pings of one purpose: a word and a number, so that a pong tells which ping it answers
/// (RFC 6455 §5.5.3: it has the same payload). They are text, for whoever watches the frames.
internal struct NumberedPayload: Sendable {
    /// What the pings are for.
    let word: String

    /// The payload with a number.
    func bytes(_ number: UInt64) -> [UInt8] { Array("\(word) \(number)".utf8) }

    /// The number in a payload; nil: it is none of these.
    func number(in payload: RawSpan) -> UInt64? {
        let payload = payload.withUnsafeBytes { Array($0) }
        guard payload.count <= FrameHeader.maximumControlPayloadBytes,
            let number = UInt64(String(decoding: payload.dropFirst(word.utf8.count + 1), as: UTF8.self)),
            bytes(number) == payload
        else { return nil }
        return number
    }
}
