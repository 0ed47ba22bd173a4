import WSCore

/// A straightforward receiver according to RFC 6455 §5 through §8. It gets all bytes at once and copies everything.
struct ReferenceReceiver {
    private(set) var events: [SessionEvent] = []
    private(set) var error: ProtocolError?

    private let role: Role
    private let limits: Limits
    private var rest: ArraySlice<UInt8>
    private var message: (kind: MessageKind, bytes: [UInt8], text: UTF8Reference, fragments: Int)?
    private var isClosed = false

    /// Processes all of the bytes.
    init(_ bytes: [UInt8], receivedBy role: Role, limits: Limits) {
        self.role = role
        self.limits = limits
        rest = bytes[...]
        do throws(ProtocolError) {
            while !isClosed, let frame = try nextFrame() { try receive(frame) }
        } catch {
            self.error = error
        }
    }

    private struct Frame {
        var isFinal: Bool
        var opcode: Opcode
        /// The received part of the payload, unmasked.
        var payload: [UInt8]
        var isWhole: Bool
    }

    private mutating func take(_ count: Int) -> [UInt8]? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    private mutating func nextFrame() throws(ProtocolError) -> Frame? {
        guard let first = take(1)?[0] else { return nil }
        guard first & 0x70 == 0 else { throw .reservedBits(first >> 4 & 7) }
        guard let opcode = Opcode(rawValue: first & 0xF) else { throw .reservedOpcode(first & 0xF) }
        let isFinal = first >= 0x80
        guard isFinal || !opcode.isControl else { throw .fragmentedControlFrame(opcode) }
        guard let second = take(1)?[0] else { return nil }
        let isMasked = second >= 0x80
        if isMasked, role == .client { throw .maskedServerFrame }
        if !isMasked, role == .server { throw .unmaskedClientFrame }
        var count = Int(second & 0x7F)
        guard count <= 125 || !opcode.isControl else { throw .controlFrameTooLong(opcode) }
        guard count != 1 || opcode != .close else { throw .closePayloadTooShort }
        if count > 125 {
            let lengthBytes = count == 126 ? 2 : 8
            guard let digits = take(lengthBytes) else { return nil }
            guard lengthBytes == 2 || digits[0] < 0x80 else { throw .lengthTooLarge }
            count = digits.reduce(0) { $0 << 8 | Int($1) }
            guard count > (lengthBytes == 2 ? 125 : 0xFFFF) else { throw .lengthNotMinimal }
        }
        var key: [UInt8] = [0, 0, 0, 0]
        if isMasked {
            guard let bytes = take(4) else { return nil }
            key = bytes
        }
        try checkPlace(of: opcode, payloadBytes: count)
        let arrived = min(count, rest.count)
        let payload = (take(arrived) ?? []).enumerated().map { $1 ^ key[$0 % 4] }
        return Frame(isFinal: isFinal, opcode: opcode, payload: payload, isWhole: arrived == count)
    }

    private mutating func checkPlace(of opcode: Opcode, payloadBytes: Int) throws(ProtocolError) {
        guard !opcode.isControl else { return }
        if opcode == .continuation {
            guard message != nil else { throw .unexpectedContinuation }
        } else {
            guard message == nil else { throw .expectedContinuation(opcode) }
            message = (opcode == .text ? .text : .binary, [], UTF8Reference(), 0)
        }
        message?.fragments += 1
        guard (message?.bytes.count ?? 0) + payloadBytes <= limits.maximumMessageBytes else {
            throw .messageTooBig(limit: limits.maximumMessageBytes)
        }
        guard (message?.fragments ?? 0) <= limits.maximumFragments else {
            throw .tooManyFragments(limit: limits.maximumFragments)
        }
    }

    private mutating func receive(_ frame: Frame) throws(ProtocolError) {
        guard frame.opcode.isControl else {
            try receiveData(frame)
            return
        }
        guard frame.isWhole else { return }
        switch frame.opcode {
        case .ping: events.append(.ping(frame.payload))
        case .pong: events.append(.pong(frame.payload))
        default: try receiveClose(frame.payload)
        }
    }

    private mutating func receiveData(_ frame: Frame) throws(ProtocolError) {
        message?.bytes += frame.payload
        message?.text.take(frame.payload)
        guard let (kind, bytes, text, _) = message else { return }
        let isEnd = frame.isFinal && frame.isWhole
        if kind == .text {
            guard text.verdict == .whole || (text.verdict == .beginning && !isEnd) else { throw .invalidText }
        }
        guard isEnd else { return }
        message = nil
        events.append(.message(kind, bytes))
    }

    private mutating func receiveClose(_ payload: [UInt8]) throws(ProtocolError) {
        isClosed = true
        guard !payload.isEmpty else {
            events.append(.close(CloseFrame(code: nil)))
            return
        }
        guard payload.count > 1 else { throw .closePayloadTooShort }
        let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
        guard isLegal(closeCode: code) else { throw .invalidCloseCode(code) }
        guard UTF8Reference.judge(payload[2...]) == .whole else { throw .invalidCloseReason }
        let reason = String(decoding: payload[2...], as: UTF8.self)
        events.append(.close(CloseFrame(code: CloseCode(rawValue: code), reason: reason)))
    }
}

/// Whether a close frame may carry the code, according to RFC 6455 §7.4 and the registry of §11.7.
func isLegal(closeCode code: UInt16) -> Bool {
    [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014].contains(code)
        || (3000...4999).contains(code)
}
