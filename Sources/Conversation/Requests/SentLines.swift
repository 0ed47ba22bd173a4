import WSCore

/// The lines sent on a connection that the peer has not confirmed.
struct SentLines: ~Copyable {
    /// The range that a ping covers: all lines sent on this connection up to this point.
    private struct Mark {
        let number: UInt64
        let sequence: Int
        let end: End
    }

    /// The end of a range of ``plain``, counted from the first line of the connection.
    private struct End {
        var bytes = 0
        var count = 0
    }

    /// A line that is not simply one of the input that a pong confirms.
    private struct Entry {
        let line: UnconfirmedLines.Line
        let confirmation: LineConfirmation
        /// Whether a pong has covered it.
        var isCovered = false

        /// The memory that it uses in bytes.
        var size: Int { line.payload.count + 128 }
    }

    /// The lines of the input that a pong confirms, tagged with their sequence numbers. Most lines are, and need no
    /// allocation.
    private var plain = LineQueue()
    private var plainEnd = End()
    /// The other lines, by sequence number.
    private var entries: [Int: Entry] = [:]
    /// The sequence numbers of entries by key, in order.
    private var sequences: [String: [Int]] = [:]
    private var entryBytes = 0
    /// The number of lines with which each connection begins.
    private var initialCount = 0
    private var nextSequence = 0
    private var marks: [Mark] = []
    private static let maximumMarkCount = 1024
    /// The size of the entries that no ping covers.
    private var uncoveredEntryBytes = 0
    /// Whether the peer has confirmed lines, except those with which each connection begins.
    private(set) var hasConfirmed = false

    /// The number of lines, except those with which each connection begins.
    var count: Int { lineCount - initialCount }
    /// The number of all lines.
    var lineCount: Int { plain.count + entries.count }
    var isEmpty: Bool { lineCount == 0 }
    /// Whether pongs have covered all lines.
    var isCovered: Bool { plain.count == 0 && entries.values.allSatisfy(\.isCovered) }
    var byteCount: Int { plain.byteCount + entryBytes }
    /// The size of the lines that no ping covers.
    var uncoveredBytes: Int {
        uncoveredEntryBytes + (marks.last.map { plainEnd.bytes - $0.end.bytes } ?? plain.byteCount)
    }

    mutating func append(
        _ payload: RawSpan, as kind: MessageKind, confirmedBy confirmation: LineConfirmation,
        from origin: UnconfirmedLines.Origin
    ) {
        if confirmation == .pong, origin == .input {
            plainEnd.bytes += plain.append(payload, as: kind, wasSent: true, tag: nextSequence)
            plainEnd.count += 1
        } else {
            let bytes = payload.withUnsafeBytes { Array($0) }
            let entry = Entry(
                line: UnconfirmedLines.Line(payload: bytes, kind: kind, wasSent: true, origin: origin),
                confirmation: confirmation)
            entries[nextSequence] = entry
            if let key = confirmation.key { sequences[key, default: []].append(nextSequence) }
            entryBytes += entry.size
            uncoveredEntryBytes += entry.size
            if origin.beginsConnections { initialCount += 1 }
        }
        nextSequence += 1
    }

    /// Records a ping that covers all lines sent so far.
    mutating func mark(_ number: UInt64) {
        // A peer that answers no pings. A later pong covers the lines of a removed mark, too.
        if marks.count == Self.maximumMarkCount { marks.removeFirst() }
        marks.append(Mark(number: number, sequence: nextSequence, end: plainEnd))
        uncoveredEntryBytes = 0
    }

    /// Removes the lines that the pong for a ping confirms, and those of earlier pings.
    /// - Returns: Whether there is such a ping.
    mutating func answered(_ number: UInt64) -> Bool {
        guard let index = marks.firstIndex(where: { $0.number == number }) else { return false }
        let mark = marks[index]
        marks.removeSubrange(...index)
        removePlain(upTo: mark.end)
        for (sequence, entry) in entries where sequence < mark.sequence && !entry.isCovered {
            if case .acknowledgement = entry.confirmation {
                entries[sequence]?.isCovered = true
            } else {
                remove(sequence)
            }
        }
        return true
    }

    /// Removes the first line that the acknowledgement with a key confirms.
    /// - Returns: Whether there is one.
    mutating func acknowledged(_ key: String) -> Bool {
        guard let sequence = sequences[key]?.first else { return false }
        remove(sequence)
        return true
    }

    /// Removes all lines, which the peer has confirmed.
    mutating func allConfirmed() {
        marks.removeAll()
        removePlain(upTo: plainEnd)
        for sequence in Array(entries.keys) { remove(sequence) }
        uncoveredEntryBytes = 0
    }

    /// Removes all lines and returns them in order.
    mutating func takeAll() -> [UnconfirmedLines.Line] {
        var lines = entries.map { (sequence: $0.key, line: $0.value.line) }
        while let first = plain.removeFirst() { lines.append((first.tag, first.sentLine)) }
        self = SentLines()
        return lines.sorted { $0.sequence < $1.sequence }.map(\.line)
    }

    private mutating func removePlain(upTo end: End) {
        let count = plain.count - (plainEnd.count - end.count)
        guard count > 0 else { return }
        plain.removeFirst(byteCount: plain.byteCount - (plainEnd.bytes - end.bytes), count: count)
        hasConfirmed = true
    }

    private mutating func remove(_ sequence: Int) {
        guard let entry = entries.removeValue(forKey: sequence) else { return }
        if let key = entry.confirmation.key {
            sequences[key]?.removeAll { $0 == sequence }
            if sequences[key]?.isEmpty ?? false { sequences[key] = nil }
        }
        entryBytes -= entry.size
        if entry.line.origin.beginsConnections { initialCount -= 1 } else { hasConfirmed = true }
    }
}

/// Lines in a queue.
///
///     length, flags │ tag │ payload │ length, flags │ tag │ payload │ …
struct LineQueue: ~Copyable {
    struct Element {
        let payload: [UInt8]
        let kind: MessageKind
        let wasSent: Bool
        let tag: Int

        /// The line, if the tag is the number of a request.
        var line: UnconfirmedLines.Line {
            UnconfirmedLines.Line(
                payload: payload, kind: kind, wasSent: wasSent, origin: tag == 0 ? .input : .request(tag))
        }
        /// The line, if the tag is a sequence number.
        var sentLine: UnconfirmedLines.Line {
            UnconfirmedLines.Line(payload: payload, kind: kind, wasSent: wasSent)
        }
    }

    private static let headerBytes = 2 * MemoryLayout<Int>.size
    /// The maximum storage kept without lines, in bytes.
    private static let keptStorageBytes = 1 << 20

    private var bytes = ByteBuffer()
    private(set) var count = 0

    var byteCount: Int { bytes.count }

    /// Whether the first line was sent on a lost connection, or `nil` if there is none.
    var firstWasSent: Bool? {
        guard count > 0 else { return nil }
        return bytes.withReadableBytes { $0.unsafeLoadUnaligned(fromByteOffset: 0, as: Int.self) & 2 == 2 }
    }

    /// Returns the size of the line in bytes.
    @discardableResult
    mutating func append(_ payload: RawSpan, as kind: MessageKind, wasSent: Bool, tag: Int) -> Int {
        let size = Self.headerBytes + payload.byteCount
        let target = bytes.reserve(size)
        target.storeBytes(of: payload.byteCount << 2 | (wasSent ? 2 : 0) | (kind == .text ? 1 : 0), as: Int.self)
        target.storeBytes(of: tag, toByteOffset: MemoryLayout<Int>.size, as: Int.self)
        payload.withUnsafeBytes { source in
            if let base = source.baseAddress {
                (target + Self.headerBytes).copyMemory(from: base, byteCount: source.count)
            }
        }
        bytes.commit(size)
        count += 1
        return size
    }

    mutating func append(_ other: borrowing LineQueue) {
        other.bytes.withReadableBytes { bytes.append($0) }
        count += other.count
    }

    mutating func removeFirst() -> Element? {
        guard count > 0 else { return nil }
        let (element, size) = bytes.withReadableBytes { bytes in
            let header = bytes.unsafeLoadUnaligned(fromByteOffset: 0, as: Int.self)
            let tag = bytes.unsafeLoadUnaligned(fromByteOffset: MemoryLayout<Int>.size, as: Int.self)
            let end = Self.headerBytes + header >> 2
            let payload = bytes.extracting(Self.headerBytes..<end).withUnsafeBytes { Array($0) }
            let kind = header & 1 == 1 ? MessageKind.text : .binary
            return (Element(payload: payload, kind: kind, wasSent: header & 2 == 2, tag: tag), end)
        }
        removeFirst(byteCount: size, count: 1)
        return element
    }

    /// Removes the first lines, with this total size.
    mutating func removeFirst(byteCount: Int, count removedCount: Int) {
        bytes.consume(byteCount)
        bytes.releaseStorage(above: Self.keptStorageBytes)
        count -= removedCount
    }
}
