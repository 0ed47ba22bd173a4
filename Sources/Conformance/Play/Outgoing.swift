/// What is to be written, in order.
struct Outgoing {
    private struct Source {
        var sequence: FrameSequence?
        /// The bytes in front: those of the current frame's header, or raw ones.
        var front: ArraySlice<UInt8>
        var key: [UInt8]?
        /// The part of the payload that is left, and where the payload of its frame begins.
        var rest = 0..<0
        var start = 0
        let pieces: Pieces
        /// Whether nothing of it has been written.
        var isNew = true
    }

    private var queue: [Source] = []
    private var keys = Sequence64(seed: 1)

    private static let writeBytes = 64 << 10

    mutating func append(_ bytes: [UInt8], _ pieces: Pieces = Pieces()) {
        if !bytes.isEmpty { queue.append(Source(front: bytes[...], pieces: pieces)) }
    }

    mutating func append(_ frames: FrameSequence) {
        queue.append(Source(sequence: frames, front: [], pieces: frames.frames.pieces))
    }

    /// Whether there are very many sources. A step never has more than one.
    var isFull: Bool { queue.count > 10_000 }

    /// Drops what has not been written.
    mutating func removeAll() { queue = [] }

    /// Takes the bytes of the next write, and whether they are a piece of a frame or head. Returns `nil` at the end.
    mutating func next() -> (bytes: [UInt8], isPiece: Bool)? {
        var write: [UInt8] = []
        while !queue.isEmpty {
            let pieces = queue[0].pieces
            let isApart = pieces.isAlone || pieces.byteCount != nil
            if isApart, !write.isEmpty, queue[0].isNew { break }
            queue[0].isNew = false
            let limit = pieces.byteCount ?? Self.writeBytes
            let isDone = take(limit, into: &write)
            if isDone { queue.removeFirst() }
            if isApart { return (write, pieces.byteCount != nil) }
            if write.count >= limit { break }
        }
        return write.isEmpty ? nil : (write, false)
    }

    /// Appends bytes of the first source up to a size. Returns whether the source has no more.
    private mutating func take(_ limit: Int, into write: inout [UInt8]) -> Bool {
        while true {
            if write.count == limit { return isFirstDone }
            if let byte = queue[0].front.popFirst() {
                write.append(byte)
                continue
            }
            guard queue[0].rest.isEmpty else {
                let rest = queue[0].rest
                let count = min(rest.count, limit - write.count)
                let position = write.count
                if let payload = queue[0].sequence?.payload {
                    write += payload[rest.lowerBound..<rest.lowerBound + count]
                }
                if let key = queue[0].key {
                    write.withUnsafeMutableBytes {
                        Mask.apply(
                            key, to: UnsafeMutableRawBufferPointer(rebasing: $0[position...]),
                            offset: rest.lowerBound - queue[0].start)
                    }
                }
                queue[0].rest = rest.lowerBound + count..<rest.upperBound
                continue
            }
            guard let frame = queue[0].sequence?.next(&keys) else { return true }
            queue[0].front = frame.header[...]
            queue[0].key = frame.key
            queue[0].rest = frame.payload
            queue[0].start = frame.payload.lowerBound
        }
    }

    private var isFirstDone: Bool {
        queue[0].front.isEmpty && queue[0].rest.isEmpty && queue[0].sequence?.isDone ?? true
    }
}
