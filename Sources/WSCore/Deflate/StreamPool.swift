/// Lends zlib streams of one direction to the connections of a loop.
///
/// A stream takes up to 120 KiB, and a connection needs one only while it is busy. Connections share a bounded number
/// of streams. When all are lent, one that has not been used for a while changes hands. Idle streams are freed.
///
///      lent:   [stream][stream][stream]…
///      spares: [stream]…                   not lent
///
/// Together, these are at most `maximumStreams`, unless all lent ones are in the middle of a message.
final class StreamPool<Stream: ZlibStream> {
    private let maximumStreams: Int
    private var lent: [PooledStream<Stream>] = []
    private var spares: [PooledStream<Stream>] = []
    /// Where the search for a stream to reclaim continues.
    private var hand = 0
    /// Counts uses. The pool needs no clock, only the order of the last uses.
    private var useCount: UInt64 = 0
    private var useCountAtLastRelease: UInt64 = 0
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
        useCount += 1
        let pooled = borrower.pooledStream ?? lend(to: borrower)
        pooled.lastUse = useCount
        return pooled.stream
    }

    private func lend(to borrower: StreamBorrower<Stream>) -> PooledStream<Stream> {
        let windowBits = borrower.windowBits
        let pooled =
            takeSpare(windowBits: windowBits) ?? reclaim(windowBits: windowBits)
            ?? PooledStream(Stream(windowBits: windowBits))
        pooled.borrower = borrower
        pooled.index = lent.count
        lent.append(pooled)
        borrower.pooledStream = pooled
        borrower.willUse(pooled.stream)
        didLend()
        return pooled
    }

    private func takeSpare(windowBits: Int) -> PooledStream<Stream>? {
        // From the end: the last spare is most likely in the processor's cache.
        for offset in 0..<spares.count {
            let index = spares.count - 1 - offset
            if spares[index].stream.windowBits == windowBits { return spares.remove(at: index) }
        }
        return nil
    }

    /// Makes room for another stream, if necessary, by taking one that is not among the most recently used. Returns the
    /// stream if it has this window size.
    private func reclaim(windowBits: Int) -> PooledStream<Stream>? {
        guard streamCount >= maximumStreams else { return nil }
        guard spares.isEmpty else {
            spares.removeFirst()
            return nil
        }
        var candidate: PooledStream<Stream>?
        for _ in 0..<lent.count {
            hand = hand + 1 < lent.count ? hand + 1 : 0
            let pooled = lent[hand]
            guard pooled.borrower?.canGiveBack == true else { continue }
            if pooled.lastUse < candidate?.lastUse ?? .max { candidate = pooled }
            // At least one of n streams has not been used in the last n uses, so the search is usually short.
            if pooled.lastUse + UInt64(lent.count) <= useCount { break }
        }
        guard let candidate else { return nil }
        reclaim(candidate, isIdle: false)
        return candidate.stream.windowBits == windowBits ? candidate : nil
    }

    private func reclaim(_ pooled: PooledStream<Stream>, isIdle: Bool) {
        pooled.borrower?.willGiveBack(pooled.stream, isIdle: isIdle)
        remove(pooled)
    }

    /// Takes the stream of a borrower that no longer needs it.
    fileprivate func giveBack(from borrower: StreamBorrower<Stream>) {
        guard let pooled = borrower.pooledStream else { return }
        remove(pooled)
        if streamCount < maximumStreams { spares.append(pooled) }
    }

    private func remove(_ pooled: PooledStream<Stream>) {
        pooled.borrower?.pooledStream = nil
        pooled.borrower = nil
        let last = lent.removeLast()
        guard pooled.index < lent.count else { return }
        lent[pooled.index] = last
        last.index = pooled.index
    }

    /// Frees spare streams, and lent ones not used since the last call.
    func releaseIdle() {
        spares.removeAll()
        for pooled in lent.reversed() {
            guard pooled.lastUse <= useCountAtLastRelease, pooled.borrower?.canGiveBack == true else { continue }
            reclaim(pooled, isIdle: true)
        }
        useCountAtLastRelease = useCount
    }
}

/// A stream of a pool.
private final class PooledStream<Stream: ZlibStream> {
    let stream: Stream
    /// Nil for a spare stream. Not retained: the borrower gives its stream back when it is deinitialized.
    unowned(unsafe) var borrower: StreamBorrower<Stream>?
    /// The position among the lent streams.
    var index = 0
    var lastUse: UInt64 = 0

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
    fileprivate final var pooledStream: PooledStream<Stream>?
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
