/// The payload of a close frame: a code and a reason, or neither (RFC 6455 §5.5.1).
public struct CloseFrame: Equatable, Sendable {
    /// The code; nil when the frame has no payload.
    public let code: CloseCode?
    /// The reason: UTF-8, at most 123 bytes, empty when there is none.
    public let reason: String

    /// The longest reason, in bytes: a control frame's 125 less the code's two.
    public static let maximumReasonBytes = FrameHeader.maximumControlPayloadBytes - 2

    /// Makes the payload of a close frame.
    ///
    /// A code that must not travel, such as 1005, becomes none (RFC 6455 §7.4.1), and a reason without a code is
    /// dropped. A reason that is too long is cut at the end of a scalar.
    public init(code: CloseCode?, reason: String = "") {
        self.code = code?.mayTravel == true ? code : nil
        guard self.code != nil else {
            self.reason = ""
            return
        }
        var kept = reason.unicodeScalars
        while String(kept).utf8.count > Self.maximumReasonBytes { kept.removeLast() }
        self.reason = String(kept)
    }

    /// Decodes the payload of a close frame.
    /// - Throws: ``ProtocolError/closePayloadTooShort``, ``ProtocolError/invalidCloseCode(_:)`` or
    ///   ``ProtocolError/invalidCloseReason``.
    public init(decoding payload: RawSpan) throws(ProtocolError) {
        guard payload.byteCount > 0 else {
            self.init(code: nil)
            return
        }
        // RFC 6455 §5.5.1: if there is a body, its first two bytes must be a code.
        guard payload.byteCount >= 2 else { throw .closePayloadTooShort }
        let number = UInt16(bigEndian: payload.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt16.self))
        let code = CloseCode(rawValue: number)
        // RFC 6455 §7.4: some codes must not be set in a close frame, others are not defined.
        guard code.mayTravel else { throw .invalidCloseCode(number) }
        let reason = payload.extracting(2..<payload.byteCount)
        // RFC 6455 §5.5.1: the reason is UTF-8.
        guard UTF8Validator.isValid(reason) else { throw .invalidCloseReason }
        // A control frame's payload leaves the reason no room to be too long.
        self.init(code: code, reason: reason.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
    }

    /// Appends the payload as it travels.
    public func encode(into buffer: inout ByteBuffer) {
        guard let code else { return }
        buffer.append(byte: UInt8(code.rawValue >> 8))
        buffer.append(byte: UInt8(code.rawValue & 0xFF))
        buffer.append(reason)
    }
}
