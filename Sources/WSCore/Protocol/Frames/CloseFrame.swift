/// The payload of a close frame: a code and an optional reason, or neither (RFC 6455 §5.5.1).
public struct CloseFrame: Equatable, Sendable {
    /// The close code, or nil if the payload is empty.
    package let code: CloseCode?
    /// The reason: UTF-8, at most 123 bytes, empty if absent.
    package let reason: String

    /// The maximum length of a reason, in bytes: 125 for the payload of a control frame minus 2 for the code.
    package static let maximumReasonBytes = FrameHeader.maximumControlPayloadBytes - 2

    /// Creates the payload of a close frame.
    ///
    /// A code that must not be sent, for example 1005, becomes nil (RFC 6455 §7.4.1). Without a code, the reason is
    /// discarded. A reason longer than ``maximumReasonBytes`` is truncated between Unicode scalars.
    package init(code: CloseCode?, reason: String = "") {
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
    /// - Throws: ``ProtocolError/closePayloadTooShort``, ``ProtocolError/invalidCloseCode(_:)``, or
    ///   ``ProtocolError/invalidCloseReason``.
    public init(decoding payload: RawSpan) throws(ProtocolError) {
        guard payload.byteCount > 0 else {
            self.init(code: nil)
            return
        }
        // RFC 6455 §5.5.1: if there is a body, the first two bytes of the body must be a code.
        guard payload.byteCount >= 2 else { throw .closePayloadTooShort }
        let number = UInt16(bigEndian: payload.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt16.self))
        let code = CloseCode(rawValue: number)
        // RFC 6455 §7.4: reserved and undefined codes must not be set in a close frame.
        guard code.mayTravel else { throw .invalidCloseCode(number) }
        let reason = payload.extracting(2..<payload.byteCount)
        // RFC 6455 §5.5.1: the reason must be UTF-8.
        guard UTF8Validator.isValid(reason) else { throw .invalidCloseReason }
        // No truncation here: the payload of a control frame is at most 125 bytes.
        self.init(code: code, reason: reason.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
    }

    /// Appends the encoded payload; nothing if there is no code.
    package func encode(into buffer: inout ByteBuffer) {
        guard let code else { return }
        buffer.append(byte: UInt8(code.rawValue >> 8))
        buffer.append(byte: UInt8(code.rawValue & 0xFF))
        buffer.append(reason)
    }
}
