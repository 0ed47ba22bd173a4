/// Lends zlib streams of one direction to the connections of a loop.
///
/// A stream takes up to 120 KiB, and a connection needs one only while it is busy. Connections share a bounded number
/// of streams. When all are lent, one that has not been used for a while changes hands. Idle streams are freed. So an
/// idle connection with compression takes 0.74 KiB instead of 164 (docs/PERFORMANCE.md).
///
/// There are at most `maximumStreams`, unless all lent ones are in the middle of a message.
final class StreamPool<Stream: ZlibStream> {
    private let maximumStreams: Int
    private var lent: [LentStream<Stream>] = []
    /// The streams that are not lent.
    private var spares: [LentStream<Stream>] = []
    /// Where the search for a stream to reclaim continues among ``lent``.
    private var hand = 0
    /// Called when a stream is lent.
    var didLend: () -> Void = {}

    init(maximumStreams: Int) {
        self.maximumStreams = maximumStreams
    }

    /// The number of lent and spare streams.
    var streamCount: Int { lent.count + spares.count }
    /// Whether any streams are lent or spare.
    var hasStreams: Bool { streamCount > 0 }

    /// Returns the borrower's stream, lending one if necessary. The pool may reclaim it between uses.
    fileprivate func stream(for borrower: StreamBorrower<Stream>) -> Stream {
        guard let lent = borrower.lent else { return lend(to: borrower) }
        lent.wasUsed = true
        lent.isIdle = false
        return lent.stream
    }

    private func lend(to borrower: StreamBorrower<Stream>) -> Stream {
        let new = takeSpare(windowBits: borrower.windowBits)
        new.borrower = borrower
        new.wasUsed = false
        new.isIdle = false
        new.index = lent.count
        lent.append(new)
        borrower.lent = new
        borrower.willUse(new.stream)
        didLend()
        return new.stream
    }

    /// Returns a spare stream, a reclaimed one, or a new one.
    private func takeSpare(windowBits: Int) -> LentStream<Stream> {
        if spares.isEmpty, lent.count >= maximumStreams { reclaim() }
        // The last one is most likely in the processor's cache.
        for offset in 1..<spares.count + 1 where spares[spares.count - offset].stream.windowBits == windowBits {
            return spares.remove(at: spares.count - offset)
        }
        if streamCount >= maximumStreams, !spares.isEmpty { spares.removeFirst() }
        return LentStream(Stream(windowBits: windowBits))
    }

    /// Reclaims a stream that was not used again since it was lent, or since the last search passed it ("clock").
    private func reclaim() {
        for _ in 0..<2 * lent.count {
            hand = hand + 1 < lent.count ? hand + 1 : 0
            if lent[hand].wasUsed {
                lent[hand].wasUsed = false
            } else if reclaim(at: hand, isIdle: false) {
                return
            }
        }
    }

    private func reclaim(at index: Int, isIdle: Bool) -> Bool {
        guard let borrower = lent[index].borrower, borrower.canGiveBack else { return false }
        borrower.willGiveBack(lent[index].stream, isIdle: isIdle)
        giveBack(from: borrower)
        return true
    }

    /// Takes the stream of a borrower that no longer needs it.
    fileprivate func giveBack(from borrower: StreamBorrower<Stream>) {
        guard let stream = borrower.lent else { return }
        borrower.lent = nil
        stream.borrower = nil
        let last = lent.removeLast()
        if last !== stream {
            last.index = stream.index
            lent[last.index] = last
        }
        if streamCount < maximumStreams { spares.append(stream) }
    }

    /// Frees spare streams, and lent ones not used since the last call.
    func releaseIdle() {
        // From the end, because reclaiming a stream moves one from behind it.
        for index in lent.indices.reversed() {
            if lent[index].isIdle, reclaim(at: index, isIdle: true) { continue }
            lent[index].isIdle = true
        }
        spares.removeAll()
    }
}

/// A stream of a pool.
private final class LentStream<Stream: ZlibStream> {
    let stream: Stream
    /// The index in ``StreamPool/lent``.
    var index = 0
    /// Nil for a spare stream. The borrower gives its stream back when it is deinitialized.
    unowned var borrower: StreamBorrower<Stream>?
    /// Whether the borrower has used the stream again since the last search for a stream passed it.
    var wasUsed = false
    /// Whether the borrower has not used the stream since the last call of ``StreamPool/releaseIdle()``.
    var isIdle = false

    init(_ stream: Stream) {
        self.stream = stream
    }
}

/// One direction of a connection, which borrows a stream while it is busy.
///
/// It is small, because each connection has two of them.
class StreamBorrower<Stream: ZlibStream> {
    /// The memory that the borrower shares with other connections.
    final let memory: DeflateMemory
    fileprivate final var lent: LentStream<Stream>?
    private let smallWindowBits: UInt8

    init(windowBits: Int, memory: DeflateMemory) {
        smallWindowBits = UInt8(clamping: windowBits)
        self.memory = memory
    }

    /// The size of the window, 8 to 15 bits.
    final var windowBits: Int { Int(smallWindowBits) }

    deinit {
        returnStream()
    }

    /// Returns the stream to use now, which may differ from the one used before.
    final func borrowStream() -> Stream { Stream.pool(of: memory).stream(for: self) }

    /// Gives the stream back, if any, without its history.
    final func returnStream() { Stream.pool(of: memory).giveBack(from: self) }

    /// Whether the pool may reclaim the stream until its next use.
    var canGiveBack: Bool { true }
    /// Called before a newly borrowed stream is used. It can be in any state, so the borrower resets it or restores a
    /// history.
    func willUse(_ stream: Stream) { stream.reset() }
    /// Called before the pool reclaims the stream, to save its history.
    /// - Parameter isIdle: Whether the borrower has been idle. If not, other borrowers need the stream.
    func willGiveBack(_ stream: Stream, isIdle: Bool) {}
}
