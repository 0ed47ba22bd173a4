import WSCore

/// Lines in order, in one piece of memory.
///
///     length, flags │ tag │ payload │ length, flags │ tag │ payload │ …
struct LineStorage: ~Copyable {
    struct Element {
        let payload: [UInt8]
        let kind: MessageKind
        let wasSent: Bool
        let tag: Int
    }

    private static let headerBytes = 2 * MemoryLayout<Int>.size
    /// The maximum storage kept without lines, in bytes.
    private static let keptStorageBytes = 1 << 20

    private var bytes = ByteBuffer()
    private(set) var count = 0

    var byteCount: Int { bytes.count }

    /// Whether the first line was sent on an earlier connection.
    var firstWasSent: Bool {
        count > 0 && bytes.withReadableBytes { $0.unsafeLoadUnaligned(fromByteOffset: 0, as: Int.self) & 2 == 2 }
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

    mutating func append(_ other: borrowing LineStorage) {
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

/// The lines that wait, in order.
struct WaitingLines: ~Copyable {
    private var lines = LineStorage()
    /// The drafts, by number.
    private var drafts: [Int: Line.Draft] = [:]
    /// The number of lines that were not sent on an earlier connection, and of these, how many have a number.
    private(set) var newCount = 0
    private(set) var newNumberedCount = 0
    private(set) var numberedCount = 0

    var count: Int { lines.count }
    var byteCount: Int { lines.byteCount }
    var firstWasSent: Bool { lines.firstWasSent }

    mutating func append(
        _ payload: RawSpan, as kind: MessageKind, number: Int, wasSent: Bool, draft: Line.Draft? = nil
    ) {
        lines.append(payload, as: kind, wasSent: wasSent, tag: number)
        if let draft { drafts[number] = draft }
        tally(number, wasSent: wasSent, 1)
    }

    mutating func append(_ line: Line) {
        append(
            line.payload.span.bytes, as: line.kind, number: line.number, wasSent: line.wasSent,
            draft: line.draft)
    }

    /// Inserts lines before the others.
    mutating func prepend(_ first: [Line]) {
        guard !first.isEmpty else { return }
        var all = LineStorage()
        for line in first {
            all.append(line.payload.span.bytes, as: line.kind, wasSent: line.wasSent, tag: line.number)
            tally(line.number, wasSent: line.wasSent, 1)
        }
        all.append(lines)
        lines = all
    }

    mutating func removeFirst() -> Line? {
        guard let first = lines.removeFirst() else { return nil }
        tally(first.tag, wasSent: first.wasSent, -1)
        let draft = drafts.isEmpty ? nil : drafts.removeValue(forKey: first.tag)
        return Line(
            first.payload, as: first.kind, number: first.tag, past: first.wasSent ? .sent : .waited,
            draft: draft)
    }

    mutating func removeAll(where isRemoved: (Line) -> Bool) {
        var rest = WaitingLines()
        while let line = removeFirst() {
            if !isRemoved(line) { rest.append(line) }
        }
        self = rest
    }

    private mutating func tally(_ number: Int, wasSent: Bool, _ change: Int) {
        if !wasSent { newCount += change }
        guard number > 0 else { return }
        numberedCount += change
        if !wasSent { newNumberedCount += change }
    }
}
