/// The header of a frame.
struct FrameHead: Sendable {
    var opcode: UInt8
    var isFinal: Bool
    /// RSV1 to RSV3, in bits 6 to 4.
    var reservedBits: UInt8
    var payloadCount: Int
    var isMasked: Bool
}

/// Reads frames, and checks what RFC 6455 §5 requires of each.
struct FrameReader {
    enum Event {
        case head(FrameHead)
        /// Unmasked bytes of the current payload.
        case payload(UnsafeRawBufferPointer)
        case end
    }

    /// Whether the frames must be masked: those of clients.
    let expectsMask: Bool
    private var header: [UInt8] = []
    private var current: FrameHead?
    private var key: [UInt8] = [0, 0, 0, 0]
    private var offset = 0
    /// Whether two frames in a row had the same masking key.
    private(set) var repeatsKey = false
    /// The opcode of the message that is not complete, or `nil`.
    private var message: UInt8?

    init(expectsMask: Bool) { self.expectsMask = expectsMask }

    /// Takes the next event from the front of `input`, or `nil` if it has none.
    /// - Throws: ``Violation``.
    mutating func next(_ input: inout UnsafeMutableRawBufferPointer) throws(Violation) -> Event? {
        guard let current else { return try readHeader(&input).map(Event.head) }
        if offset == current.payloadCount {
            self.current = nil
            return .end
        }
        guard !input.isEmpty else { return nil }
        let count = min(input.count, current.payloadCount - offset)
        let piece = UnsafeMutableRawBufferPointer(rebasing: input[..<count])
        if current.isMasked { Mask.apply(key, to: piece, offset: offset) }
        offset += count
        input = UnsafeMutableRawBufferPointer(rebasing: input[count...])
        return .payload(UnsafeRawBufferPointer(piece))
    }

    private mutating func readHeader(
        _ input: inout UnsafeMutableRawBufferPointer
    ) throws(Violation) -> FrameHead? {
        while header.count < 2 || header.count < headerCount {
            guard let byte = input.first else { return nil }
            header.append(byte)
            input = UnsafeMutableRawBufferPointer(rebasing: input.dropFirst())
        }
        defer { header.removeAll(keepingCapacity: true) }
        let head = FrameHead(
            opcode: header[0] & 0x0F, isFinal: header[0] & 0x80 != 0, reservedBits: header[0] & 0x70,
            payloadCount: try payloadCount(), isMasked: header[1] & 0x80 != 0)
        if head.isMasked {
            let last = key
            key = Array(header.suffix(4))
            if key == last { repeatsKey = true }
        }
        try check(head)
        if !Opcode.isControl(head.opcode) {
            message = head.isFinal ? nil : head.opcode == Opcode.continuation ? message : head.opcode
        }
        current = head
        offset = 0
        return head
    }

    /// The size of the header, of which two bytes are known.
    private var headerCount: Int {
        let lengthCount =
            switch header[1] & 0x7F {
            case 126: 2
            case 127: 8
            default: 0
            }
        return 2 + lengthCount + (header[1] & 0x80 != 0 ? 4 : 0)
    }

    private func payloadCount() throws(Violation) -> Int {
        let short = Int(header[1] & 0x7F)
        guard short > 125 else { return short }
        let value = header[2..<(short == 126 ? 4 : 10)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard value <= UInt64(Int.max) else {
            throw Violation("the first bit of a 64-bit length is set", "6455 §5.2")
        }
        guard value > (short == 126 ? 125 : 65535) else {
            throw Violation("a length of \(value) is not in its shortest form", "6455 §5.2")
        }
        return Int(value)
    }

    private func check(_ head: FrameHead) throws(Violation) {
        if head.isMasked != expectsMask {
            throw Violation(
                expectsMask ? "a client's frame is not masked" : "a server's frame is masked", "6455 §5.1")
        }
        if Opcode.isControl(head.opcode) {
            guard head.opcode <= Opcode.pong else { throw Violation("opcode \(head.opcode) is reserved", "6455 §5.2") }
            guard head.isFinal else { throw Violation("a control frame is fragmented", "6455 §5.5") }
            guard head.payloadCount <= 125 else {
                throw Violation("a control frame has \(head.payloadCount) bytes, more than 125", "6455 §5.5")
            }
        } else {
            guard head.opcode <= Opcode.binary else {
                throw Violation("opcode \(head.opcode) is reserved", "6455 §5.2")
            }
            if head.opcode == Opcode.continuation, message == nil {
                throw Violation("a continuation frame continues no message", "6455 §5.4")
            }
            if head.opcode != Opcode.continuation, message != nil {
                throw Violation("a message begins inside another one", "6455 §5.4")
            }
        }
    }
}

/// Masking (RFC 6455 §5.3).
enum Mask {
    /// Masks or unmasks bytes.
    /// - Parameter offset: The position of the first byte in the payload.
    static func apply(_ key: [UInt8], to bytes: UnsafeMutableRawBufferPointer, offset: Int) {
        var pattern: UInt64 = 0
        withUnsafeMutableBytes(of: &pattern) { for index in 0..<8 { $0[index] = key[(offset + index) & 3] } }
        var index = 0
        while index + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            bytes.storeBytes(of: word ^ pattern, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < bytes.count {
            bytes[index] ^= key[(offset + index) & 3]
            index += 1
        }
    }
}
