/// A queue of bytes to write. Large parts are shared with the queues of other connections.
///
///      part            part                     part
///      ├─ own ─ shared ├─ (none) ─ shared ──────├─ own ─ shared ┤
///
/// A buffer behind the queue collects bytes that are not shared. Its contents precede the next shared bytes.
package final class WriteQueue {
    /// The queue's own bytes, followed by shared bytes.
    package final class Part {
        /// The queue's own bytes, which come first.
        package var own: ByteBuffer
        /// The shared bytes that follow.
        package let shared: SharedBytes
        /// The number of shared bytes already taken.
        package fileprivate(set) var offset = 0

        fileprivate init(_ own: consuming ByteBuffer, _ shared: SharedBytes) {
            self.own = own
            self.shared = shared
        }

        /// The number of bytes not taken yet.
        fileprivate var count: Int { own.count + shared.count - offset }
    }

    /// The parts; those before ``firstIndex`` have been taken.
    private var parts: [Part?] = []
    private var firstIndex = 0
    /// The number of bytes in the queue.
    package private(set) var count = 0
    /// The size of the storage of these bytes, with the part of the first shared bytes that was taken.
    internal var storageBytes: Int { count + (first?.offset ?? 0) }
    /// The size of the broadcasts in the queue, which other queues hold, too.
    internal private(set) var broadcastBytes = 0

    /// Creates an empty queue.
    package init() {}

    /// The first part, or nil if the queue is empty.
    package var first: Part? { firstIndex < parts.count ? parts[firstIndex] : nil }

    /// Appends the contents of `buffer`, which becomes empty, followed by shared bytes.
    package func append(_ shared: SharedBytes, after buffer: inout ByteBuffer) {
        let part = Part(Self.takeContents(of: &buffer), shared)
        count += part.count
        if shared.isBroadcast { broadcastBytes += shared.count }
        parts.append(part)
    }

    /// Calls `body` to take bytes from the first part: its own bytes, then shared ones.
    /// - Parameter body: Receives the part, consumes its own bytes, and returns the number of shared bytes taken.
    /// - Returns: Whether the whole part was taken. The next part is then the first.
    package func takeFirst<E: Error>(_ body: (Part) throws(E) -> Int) throws(E) -> Bool {
        guard let part = first else { return false }
        let countBefore = part.count
        defer { count -= countBefore - part.count }
        part.offset += try body(part)
        guard part.count == 0 else { return false }
        removeFirst()
        return true
    }

    /// Moves the first part's own bytes and up to `limit` of its shared bytes to a buffer.
    package func moveFirst(atMost limit: Int, to buffer: inout ByteBuffer) {
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

    /// Moves the contents out of a buffer, or copies them if they fill less than half of its storage. That storage may
    /// be borrowed, and the part may stay in the queue for a long time.
    private static func takeContents(of buffer: inout ByteBuffer) -> ByteBuffer {
        guard buffer.storageBytes > buffer.count * 2 else { return buffer.takeAll() }
        var copy = ByteBuffer()
        buffer.withReadableBytes { copy.append($0) }
        buffer.removeAll()
        return copy
    }

    /// Removes the first part. The array is compacted only when half of it has been taken.
    private func removeFirst() {
        if let shared = parts[firstIndex]?.shared, shared.isBroadcast { broadcastBytes -= shared.count }
        parts[firstIndex] = nil
        firstIndex += 1
        guard firstIndex * 2 >= parts.count else { return }
        parts.removeFirst(firstIndex)
        firstIndex = 0
    }
}
