import WSCore

/// The latest events of a run, each a line of JSON, for pages that read at their own speed.
///
///     append ──► [chunk][chunk][chunk]   at most 16 MiB; the oldest chunk goes first
///                   ▲            ▲
///                 page 1       page 2    positions: a page whose position is gone learns how much it missed
struct PageHistory {
    /// A place in the history: everything before it, from the beginning of the run.
    struct Position: Equatable {
        var byteCount = 0
        var messageCount = 0
        /// The number of events that are no messages.
        var otherCount = 0
    }

    /// What a page gets next.
    enum Step: Equatable {
        /// Events that are gone.
        case omitted(messageCount: Int, otherCount: Int)
        /// Lines, with their line ends.
        case lines(ArraySlice<UInt8>)
    }

    private struct Chunk {
        let start: Position
        var end: Position
        var lines: [UInt8] = []
    }

    /// The maximum size of all chunks, and the size up to which lines share a chunk, in bytes.
    private let (limitBytes, chunkBytes): (Int, Int)
    private var chunks: [Chunk] = []
    /// The place after the last event.
    private(set) var end = Position()

    init(limitBytes: Int = 16 << 20, chunkBytes: Int = 64 << 10) {
        self.limitBytes = limitBytes
        self.chunkBytes = chunkBytes
    }

    /// The place of the oldest event.
    private var start: Position { chunks.first?.start ?? end }

    /// Appends lines, each with its line end.
    mutating func append(_ lines: RawSpan) {
        lines.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
                append(line: bytes[rest.startIndex...newline])
                rest = bytes[(newline + 1)...]
            }
        }
        while let first = chunks.first, end.byteCount - first.start.byteCount > limitBytes { chunks.removeFirst() }
    }

    private mutating func append(line: Slice<UnsafeRawBufferPointer>) {
        let before = end
        end.byteCount += line.count
        if line.starts(with: Self.messageStart) { end.messageCount += 1 } else { end.otherCount += 1 }
        // A larger event is in no chunk. What came before goes, too: pages read in order.
        guard line.count <= limitBytes else { return chunks.removeAll() }
        if chunks.isEmpty || chunks[chunks.count - 1].lines.count + line.count > chunkBytes {
            chunks.append(Chunk(start: before, end: before))
        }
        chunks[chunks.count - 1].lines += line
        chunks[chunks.count - 1].end = end
    }

    private static let messageStart = Array(#"{"type":"message","#.utf8)

    /// Moves a page on, or returns `nil` if it has everything.
    func next(after position: inout Position) -> Step? {
        guard position != end else { return nil }
        let start = start
        guard position.byteCount >= start.byteCount else {
            defer { position = start }
            return .omitted(
                messageCount: start.messageCount - position.messageCount,
                otherCount: start.otherCount - position.otherCount)
        }
        guard let chunk = chunks.last(where: { $0.start.byteCount <= position.byteCount }) else { return nil }
        let offset = position.byteCount - chunk.start.byteCount
        position = chunk.end
        return .lines(chunk.lines[offset...])
    }
}
