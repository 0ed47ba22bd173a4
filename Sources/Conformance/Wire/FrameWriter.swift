/// The frames of a step, one after another.
struct FrameSequence {
    /// A frame on the wire: its header, and a part of the payload, which is masked when it is written.
    struct Frame {
        let header: [UInt8]
        let key: [UInt8]?
        let payload: Range<Int>
    }

    let frames: Frames
    let payload: [UInt8]
    private let isClient: Bool
    private var offset = 0
    private var repetition = 0
    private(set) var isDone = false

    /// - Parameter payload: The bytes to send: the payload of the frames, perhaps compressed.
    init(_ frames: Frames, payload: [UInt8], isClient: Bool) {
        self.frames = frames
        self.payload = payload
        self.isClient = isClient
    }

    /// - Parameter keys: The source of masking keys.
    mutating func next(_ keys: inout Sequence64) -> Frame? {
        guard !isDone else { return nil }
        let isFirst = offset == 0
        let end = min(payload.count, offset + (frames.fragmentBytes ?? payload.count))
        let isLast = end == payload.count
        let range = offset..<end
        var first = isFirst ? frames.opcode : Opcode.continuation
        if isFirst { first |= frames.reservedBits | (frames.isCompressed ? 0x40 : 0) }
        if isLast, frames.isFinal { first |= 0x80 }
        if isLast {
            offset = 0
            repetition += 1
            isDone = repetition == frames.repetitions
        } else {
            offset = end
        }
        let key = Self.key(frames.masking, isClient: isClient, &keys)
        let length = Self.length(frames.announcedCount ?? range.count, frames.lengthForm, isMasked: key != nil)
        return Frame(header: [first] + length + (key ?? []), key: key, payload: range)
    }

    private static func key(_ masking: Frames.Masking, isClient: Bool, _ keys: inout Sequence64) -> [UInt8]? {
        switch masking {
        case .byRole where !isClient, .wrong where isClient: return nil
        case .zero: return isClient ? [0, 0, 0, 0] : nil
        case .byRole, .wrong:
            let number = keys.next()
            return (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        }
    }

    private static func length(_ count: Int, _ form: Frames.LengthForm, isMasked: Bool) -> [UInt8] {
        let bit: UInt8 = isMasked ? 0x80 : 0
        let byteCount =
            switch form {
            case .bits16: 2
            case .bits64, .topBit: 8
            case .shortest: count < 126 ? 0 : count < 65536 ? 2 : 8
            }
        guard byteCount > 0 else { return [bit | UInt8(count)] }
        var value = UInt64(count)
        if form == .topBit { value |= 1 << 63 }
        let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * (byteCount - 1 - $0))) }
        return [bit | (byteCount == 2 ? 126 : 127)] + bytes
    }
}
