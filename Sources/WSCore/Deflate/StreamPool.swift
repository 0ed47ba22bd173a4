/// Lends zlib streams of one direction to the connections of a loop.
///
/// A stream takes up to 270 KiB, and a connection needs one only while it is busy. Connections share a bounded number
/// of streams. When all are lent, the least recently used one changes hands. Idle streams are freed.
///
///      lent:  [borrower][borrower][borrower]…   ≤ maximumStreams, unless all are in the middle of a message
///      spare: [stream]…                         reset, from connections that have ended
final class StreamPool<Stream: ZlibStream> {
    /// Does not retain the borrower, which gives its stream back when it is deinitialized.
    private struct Loan {
        unowned(unsafe) let borrower: StreamBorrower<Stream>
    }

    private let maximumStreams: Int
    private var loans: [Loan] = []
    private var spares: [Stream] = []
    /// Counts uses. The pool needs no clock, only the order of the last uses.
    private var useCount: UInt64 = 0
    private var useCountAtLastRelease: UInt64 = 0
    /// Called when a stream is lent.
    var didLend: () -> Void = {}

    private static var maximumSpares: Int { 4 }

    init(maximumStreams: Int) {
        self.maximumStreams = maximumStreams
    }

    /// The number of lent and spare streams.
    var streamCount: Int { loans.count + spares.count }
    /// Whether any streams are lent or spare.
    var hasStreams: Bool { streamCount > 0 }

    /// Returns the borrower's stream, lending one if necessary. The pool may reclaim it between uses.
    fileprivate func stream(for borrower: StreamBorrower<Stream>) -> Stream {
        useCount += 1
        borrower.lastUse = useCount
        if let stream = borrower.stream { return stream }
        let stream = makeStream(windowBits: borrower.windowBits)
        borrower.stream = stream
        borrower.loanIndex = Int32(clamping: loans.count)
        loans.append(Loan(borrower: borrower))
        borrower.willUse(stream)
        didLend()
        return stream
    }

    private func makeStream(windowBits: Int) -> Stream {
        for index in spares.indices.reversed() where spares[index].windowBits == windowBits {
            spares.swapAt(index, spares.endIndex - 1)
            return spares.removeLast()
        }
        if loans.count >= maximumStreams, let stream = takeLeastRecentlyUsed(), stream.windowBits == windowBits {
            return stream
        }
        return Stream(windowBits: windowBits)
    }

    private func takeLeastRecentlyUsed() -> Stream? {
        var candidate: StreamBorrower<Stream>?
        for loan in loans where loan.borrower.canGiveBack {
            if loan.borrower.lastUse < candidate?.lastUse ?? .max { candidate = loan.borrower }
        }
        guard let candidate, let stream = candidate.stream else { return nil }
        candidate.willGiveBack(stream)
        end(loanOf: candidate)
        stream.reset()
        return stream
    }

    /// Takes the stream of a borrower that no longer needs it.
    fileprivate func giveBack(from borrower: StreamBorrower<Stream>) {
        guard let stream = borrower.stream else { return }
        end(loanOf: borrower)
        guard spares.count < Self.maximumSpares else { return }
        stream.reset()
        spares.append(stream)
    }

    private func end(loanOf borrower: StreamBorrower<Stream>) {
        borrower.stream = nil
        let last = loans.removeLast()
        guard borrower.loanIndex < loans.count else { return }
        loans[Int(borrower.loanIndex)] = last
        last.borrower.loanIndex = borrower.loanIndex
    }

    /// Frees streams not used since the last call.
    func releaseIdle() {
        spares.removeAll()
        for loan in loans.reversed() where loan.borrower.lastUse <= useCountAtLastRelease {
            guard let stream = loan.borrower.stream, loan.borrower.canGiveBack else { continue }
            loan.borrower.willGiveBack(stream)
            end(loanOf: loan.borrower)
        }
        useCountAtLastRelease = useCount
    }
}

/// One direction of a connection, which borrows a stream while it is busy.
class StreamBorrower<Stream: ZlibStream> {
    private let pool: StreamPool<Stream>
    fileprivate final var stream: Stream?
    fileprivate final var lastUse: UInt64 = 0
    // Small integers: there are two borrowers per connection.
    fileprivate final var loanIndex: Int32 = 0
    private let smallWindowBits: UInt8

    init(windowBits: Int, pool: StreamPool<Stream>) {
        smallWindowBits = UInt8(clamping: windowBits)
        self.pool = pool
    }

    /// The negotiated window size, 8 to 15 bits.
    final var windowBits: Int { Int(smallWindowBits) }

    deinit {
        pool.giveBack(from: self)
    }

    /// Returns the stream to use now, which may differ from the one used before.
    final func borrowStream() -> Stream { pool.stream(for: self) }

    /// Gives the stream back, if any. The next stream starts without history.
    final func returnStream() { pool.giveBack(from: self) }

    /// Whether the pool may reclaim the stream until its next use.
    var canGiveBack: Bool { true }
    /// Called before a newly borrowed stream is used.
    func willUse(_ stream: Stream) {}
    /// Called before the pool reclaims the stream, to save its state.
    func willGiveBack(_ stream: Stream) {}
}
