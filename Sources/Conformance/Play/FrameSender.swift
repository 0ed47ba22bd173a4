/// Sends the frames of a case, and tells the transcript what the peer is to answer.
struct FrameSender {
    private var outgoing = Outgoing()
    /// Compresses messages, or `nil` without compression.
    private var deflater: Deflater?
    /// The fragments of a message that has begun.
    private var message: (opcode: UInt8, payload: [UInt8])?
    private let isClient: Bool
    /// How many bytes of the last frame are missing, of those that it announces.
    private var missingCount = 0

    init(isClient: Bool) { self.isClient = isClient }

    mutating func setCompression(_ deflater: Deflater) { self.deflater = deflater }

    /// Takes the bytes of the next write, and whether they are a piece of a frame or head. Returns `nil` at the end.
    mutating func next() -> (bytes: [UInt8], isPiece: Bool)? { outgoing.next() }

    /// Whether the queue is so long that the peer does not seem to read.
    var isFull: Bool { outgoing.isFull }

    /// Drops what has not been written.
    mutating func removeAll() { outgoing.removeAll() }

    /// Whether what follows is taken for the rest of a frame.
    var isWithinFrame: Bool { missingCount > 0 }

    mutating func send(_ bytes: [UInt8], _ pieces: Pieces, _ log: inout FrameLog) {
        missingCount -= bytes.count
        log.add(isSent: true, "bytes", count: bytes.count, payload: bytes)
        outgoing.append(bytes, pieces)
    }

    /// Sends the head of a request or response. The log does not show it, because it may log in.
    mutating func send(head: [UInt8], _ pieces: Pieces, _ log: inout FrameLog) {
        log.add(isSent: true, "head", count: head.count, payload: [])
        outgoing.append(head, pieces)
    }

    /// Sends a text message that logs in, and which the log does not show.
    mutating func send(login: [UInt8], _ log: inout FrameLog) {
        let frames = Frames(opcode: Opcode.text)
        log.add(isSent: true, "first message", count: login.count, payload: [])
        outgoing.append(FrameSequence(frames, payload: login, isClient: isClient))
    }

    /// Sends frames of a case.
    mutating func send(
        _ frames: Frames, _ payload: [UInt8], _ transcript: inout Transcript, _ log: inout FrameLog
    ) {
        if frames.isPlain { expectAnswer(to: frames, payload, &transcript) }
        guard frames.isCompressed, let deflater else { return send(frames, payload, &log) }
        // Each repetition continues with the context of the one before.
        var single = frames
        single.repetitions = 1
        for _ in 0..<frames.repetitions { send(single, deflater.compress(payload), &log) }
    }

    /// Sends frames that the case does not have, or whose payload is compressed already.
    mutating func send(_ frames: Frames, _ payload: [UInt8], _ log: inout FrameLog) {
        log.add(isSent: true, frames.kind, count: payload.count, payload: payload)
        missingCount = frames.lengthForm == .topBit ? .max : (frames.announcedCount ?? 0) - payload.count
        outgoing.append(FrameSequence(frames, payload: payload, isClient: isClient))
    }

    private mutating func expectAnswer(to frames: Frames, _ payload: [UInt8], _ transcript: inout Transcript) {
        switch frames.opcode {
        case Opcode.text, Opcode.binary:
            if frames.isFinal {
                transcript.sent(payload, frames.opcode, times: frames.repetitions)
            } else {
                message = (frames.opcode, payload)
            }
        case Opcode.continuation:
            for _ in 0..<frames.repetitions { message?.payload += payload }
            guard frames.isFinal, let whole = message else { return }
            transcript.sent(whole.payload, whole.opcode, times: 1)
            message = nil
        case Opcode.ping where frames.isFinal && payload.count <= 125:
            transcript.sentPing(payload, times: frames.repetitions)
        default: break
        }
    }
}

extension Frames {
    /// Whether nothing but the opcode and FIN may be wrong.
    var isPlain: Bool {
        reservedBits == 0 && masking != .wrong && announcedCount == nil && lengthForm != .topBit
    }

    /// The frames in words, for the log.
    fileprivate var kind: String {
        var kind = FrameLog.kind(
            FrameHead(
                opcode: opcode, isFinal: isFinal, reservedBits: reservedBits, payloadCount: 0, isMasked: false))
        if isCompressed { kind += " compressed" }
        if repetitions > 1 { kind += " \(repetitions) times" }
        if let fragmentBytes { kind += " in fragments of \(fragmentBytes)" }
        return kind
    }
}
