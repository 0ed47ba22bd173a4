/// Reads a peer's frames, and checks what RFC 6455 and RFC 7692 require of them.
struct MessageReader {
    enum Event {
        /// A message is complete, in the transcript.
        case message
        case control(opcode: UInt8, [UInt8])
    }

    private var frames: FrameReader
    /// Decompresses messages, or `nil` without compression.
    private var inflater: Inflater?
    private var frame: FrameHead?
    /// The opcode of the message that is being read.
    private var opcode: UInt8 = 0
    private var isCompressed = false
    private var utf8 = UTF8Checker()
    private var control: [UInt8] = []

    init(expectsMask: Bool) { frames = FrameReader(expectsMask: expectsMask) }

    /// Whether two frames in a row had the same masking key.
    var repeatsKey: Bool { frames.repeatsKey }

    mutating func setCompression(_ inflater: Inflater) { self.inflater = inflater }

    /// Takes the next event from the front of `input`, or `nil` if it has none.
    /// - Throws: ``Violation``.
    mutating func next(
        _ input: inout UnsafeMutableRawBufferPointer, into transcript: inout Transcript, _ log: inout FrameLog
    ) throws(Violation) -> Event? {
        while let event = try frames.next(&input) {
            switch event {
            case .head(let head): try begin(head, &transcript, &log)
            case .payload(let bytes):
                log.extend(bytes)
                try receive(bytes, &transcript)
            case .end: if let event = try endFrame(&transcript) { return event }
            }
        }
        return nil
    }

    private mutating func begin(
        _ head: FrameHead, _ transcript: inout Transcript, _ log: inout FrameLog
    ) throws(Violation) {
        frame = head
        log.add(isSent: false, FrameLog.kind(head), count: head.payloadCount, payload: [])
        let beginsMessage = head.opcode == Opcode.text || head.opcode == Opcode.binary
        guard head.reservedBits == 0 || head.reservedBits == 0x40 && inflater != nil && beginsMessage else {
            throw Violation("a reserved bit is set", "6455 §5.2")
        }
        if Opcode.isControl(head.opcode) {
            control = []
        } else if beginsMessage {
            opcode = head.opcode
            isCompressed = head.reservedBits != 0
            utf8 = UTF8Checker()
            transcript.beginMessage(head.opcode)
        }
    }

    private mutating func receive(_ bytes: UnsafeRawBufferPointer, _ transcript: inout Transcript) throws(Violation) {
        guard let frame else { return }
        if Opcode.isControl(frame.opcode) {
            control += bytes
        } else if isCompressed, let inflater {
            try inflater.decompress(bytes) { (part) throws(Violation) in try receiveMessage(part, &transcript) }
        } else {
            try receiveMessage(bytes, &transcript)
        }
    }

    private mutating func receiveMessage(
        _ bytes: UnsafeRawBufferPointer, _ transcript: inout Transcript
    ) throws(Violation) {
        if opcode == Opcode.text, !utf8.accepts(bytes) {
            throw Violation("a text message is not valid UTF-8", "6455 §8.1")
        }
        transcript.receive(bytes)
    }

    private mutating func endFrame(_ transcript: inout Transcript) throws(Violation) -> Event? {
        guard let frame else { return nil }
        if Opcode.isControl(frame.opcode) { return .control(opcode: frame.opcode, control) }
        guard frame.isFinal else { return nil }
        if isCompressed, let inflater {
            try inflater.finish { (part) throws(Violation) in try receiveMessage(part, &transcript) }
        }
        guard opcode != Opcode.text || utf8.isComplete else {
            throw Violation("a text message ends within a character", "6455 §8.1")
        }
        return .message
    }

    /// Returns the code of a close frame; ``CloseCode/none`` stands for none.
    /// - Throws: ``Violation`` for a frame that no peer may send, except for the code.
    static func closeCode(_ payload: [UInt8]) throws(Violation) -> UInt16 {
        guard !payload.isEmpty else { return CloseCode.none }
        guard payload.count >= 2 else { throw Violation("a close frame has one byte", "6455 §5.5.1") }
        var checker = UTF8Checker()
        let isText = payload.dropFirst(2).withUnsafeBytes { checker.accepts($0) }
        guard isText, checker.isComplete else {
            throw Violation("the reason of a close frame is not valid UTF-8", "6455 §5.5.1")
        }
        return UInt16(payload[0]) << 8 | UInt16(payload[1])
    }
}
