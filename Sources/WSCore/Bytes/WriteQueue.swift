/// A queue of bytes to be written. Large parts are shared with the queues of other connections.
///
///      part            part                     part
///      ├─ own ─ shared ├─ (none) ─ shared ──────├─ own ─ shared ┤
///
/// A buffer behind the queue collects bytes that are not shared. Its contents move into the queue when shared bytes follow.
public final class WriteQueue {
    /// Bytes of the queue's own, and shared ones that follow them.
    public final class Part {
        /// What comes first.
        public var own: ByteBuffer
        /// What follows.
        public let shared: SharedBytes
        /// How much of it has been taken.
        public fileprivate(set) var offset = 0

        fileprivate init(_ own: consuming ByteBuffer, _ shared: SharedBytes) {
            self.own = own
            self.shared = shared
        }

        /// How much has not been taken.
        fileprivate var count: Int { own.count + shared.count - offset }
    }

    /// Those before ``firstIndex`` have been taken.
    private var parts: [Part?] = []
    private var firstIndex = 0
    /// The number of bytes in the queue.
    public private(set) var count = 0

    /// Makes an empty queue.
    public init() {}

    /// The first part; nil: the queue is empty.
    public var first: Part? { firstIndex < parts.count ? parts[firstIndex] : nil }

    /// Appends what is in `buffer`, which is then empty, and shared bytes behind it.
    public func append(_ shared: SharedBytes, after buffer: inout ByteBuffer) {
        let part = Part(Self.takeContents(of: &buffer), shared)
        count += part.count
        parts.append(part)
    }

    /// Has `body` take from the first part as much as it likes of its own bytes, and then of those that are shared.
    /// - Parameter body: Is given the part, and returns how many of its shared bytes were taken.
    /// - Returns: Whether all of the part was taken, and the next one is the first.
    public func takeFirst<E: Error>(_ body: (Part) throws(E) -> Int) throws(E) -> Bool {
        guard let part = first else { return false }
        let countBefore = part.count
        defer { count -= countBefore - part.count }
        part.offset += try body(part)
        guard part.count == 0 else { return false }
        removeFirst()
        return true
    }

    /// Moves the next bytes, up to `limit` shared ones and those before them, to a buffer.
    public func moveFirst(atMost limit: Int, to buffer: inout ByteBuffer) {
        _ = takeFirst { part in
            part.own.withReadableBytes { buffer.append($0) }
            part.own.removeAll()
            return part.shared.withBytes(from: part.offset) { bytes in
                let piece = bytes.extracting(first: limit)
                buffer.append(piece)
                return piece.byteCount
            }
        }
    }

    /// A buffer in which there is little for its storage, or nothing, keeps it: it may be lent, and the part may wait for
    /// long.
    private static func takeContents(of buffer: inout ByteBuffer) -> ByteBuffer {
        guard buffer.storageBytes > buffer.count * 2 else { return buffer.takeAll() }
        var copy = ByteBuffer()
        buffer.withReadableBytes { copy.append($0) }
        buffer.removeAll()
        return copy
    }

    /// Lets go of the first part. The others move up only when those that have been taken are half of all.
    private func removeFirst() {
        parts[firstIndex] = nil
        firstIndex += 1
        guard firstIndex * 2 >= parts.count else { return }
        parts.removeFirst(firstIndex)
        firstIndex = 0
    }
}
