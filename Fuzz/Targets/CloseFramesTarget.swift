import WSCore

extension FuzzTarget {
    /// The payloads of close frames.
    ///
    /// - A decoded payload has a legal code and a reason, and encodes to the same bytes. Errors match the violation.
    /// - Whatever its code and reason, an encoded close frame is legal: at most 125 bytes, with UTF-8 text.
    static let closeFrames = FuzzTarget(name: "close-frames") { input in
        if input.count <= FrameHeader.maximumControlPayloadBytes { checkDecoding(input) }

        let number = input.prefix(2).reduce(0) { $0 << 8 | UInt16($1) }
        let reason = String(decoding: input.dropFirst(2), as: UTF8.self)
        let frame = CloseFrame(code: CloseCode(rawValue: number), reason: reason)
        let payload = encoded(frame)
        expect(payload.isEmpty == !isLegal(closeCode: number), "whether code \(number) may be sent")
        expect(payload.count <= 125, "the payload has \(payload.count) bytes")
        expect(reason.utf8.starts(with: payload.dropFirst(2)), "the reason is not a prefix of the original")
        expect(payload.isEmpty || reason.utf8.count > 123 || payload.count == reason.utf8.count + 2, "it was cut")
        expectEqual(try? decoded(payload), frame, "decoded again")
    }

    private static func checkDecoding(_ input: [UInt8]) {
        let code = input.prefix(2).reduce(0) { $0 << 8 | UInt16($1) }
        let isReasonValid = UTF8Reference.judge(input.dropFirst(2)) == .whole
        do throws(ProtocolError) {
            expectEqual(encoded(try decoded(input)), input, "encoded again")
            expect(input.isEmpty || (input.count > 1 && isLegal(closeCode: code) && isReasonValid), "it is not legal")
        } catch {
            let expected: ProtocolError =
                input.count == 1
                ? .closePayloadTooShort : isLegal(closeCode: code) ? .invalidCloseReason : .invalidCloseCode(code)
            expectEqual(error, expected, "the violation")
            expect(expected != .invalidCloseReason || !isReasonValid, "the reason is valid")
        }
    }

    private static func encoded(_ frame: CloseFrame) -> [UInt8] {
        var buffer = ByteBuffer()
        frame.encode(into: &buffer)
        return contents(of: buffer)
    }

    private static func decoded(_ payload: [UInt8]) throws(ProtocolError) -> CloseFrame {
        try CloseFrame(decoding: payload.span.bytes)
    }
}
