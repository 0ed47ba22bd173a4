/// Lends zlib's streams of one direction to the connections of a loop.
///
/// A stream costs up to 270 KiB, and a connection needs one only while it is busy. Connections share a bounded number of
/// them: when all are lent, the one that has not been used for longest changes hands. Streams that lie idle are freed.
///
///      lent:  [borrower][borrower][borrower]…   ≤ maximumStreams, but for those in the middle of a message
///      spare: [stream]…                          of connections that have ended, at their beginning
final class StreamPool<Stream: ZlibStream> {
    /// Does not keep its borrower alive; a borrower leaves before it ends.
    private struct Loan {
        unowned(unsafe) let borrower: StreamBorrower<Stream>
    }

    private let maximumStreams: Int
    private var loans: [Loan] = []
    private var spares: [Stream] = []
    /// Counts uses; the order of the last uses is all the time that a pool knows.
    private var useCount: UInt64 = 0
    private var useCountAtLastRelease: UInt64 = 0
    /// Called when a stream is lent.
    var didLend: () -> Void = {}

    private static var maximumSpares: Int { 4 }

    init(maximumStreams: Int) {
        self.maximumStreams = maximumStreams
    }

    /// The number of streams that are lent or kept.
    var streamCount: Int { loans.count + spares.count }
    /// Whether streams are lent or kept.
    var hasStreams: Bool { streamCount > 0 }

    /// Gives the borrower's stream, which it keeps until it gives it back or is asked for it.
    fileprivate func stream(for borrower: StreamBorrower<Stream>) -> Stream {
        useCount += 1
        borrower.lastUse = useCount
        if let stream = borrower.stream { return stream }
        let stream = makeStream(windowBits: borrower.windowBits)
        borrower.stream = stream
        borrower.loanIndex = loans.count
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

    /// Takes the stream of a borrower that ends.
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
        loans[borrower.loanIndex] = last
        last.borrower.loanIndex = borrower.loanIndex
    }

    /// Frees the streams that have not been used since this was called last.
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

/// One direction of one connection, which borrows a stream while it is busy.
class StreamBorrower<Stream: ZlibStream> {
    /// The window that was agreed on, 8 through 15.
    final let windowBits: Int
    private let pool: StreamPool<Stream>
    fileprivate final var stream: Stream?
    fileprivate final var loanIndex = 0
    fileprivate final var lastUse: UInt64 = 0

    init(windowBits: Int, pool: StreamPool<Stream>) {
        self.windowBits = windowBits
        self.pool = pool
    }

    deinit {
        pool.giveBack(from: self)
    }

    /// The stream to be used now; another one, perhaps, than at the last use.
    final func borrowStream() -> Stream { pool.stream(for: self) }

    /// Gives the stream back, if there is one; the next one is at its beginning.
    final func returnStream() { pool.giveBack(from: self) }

    /// Whether the stream can be done without until the next use.
    var canGiveBack: Bool { true }
    /// Called before a new stream is used for the first time.
    func willUse(_ stream: Stream) {}
    /// Called before the stream is taken away, to save what is needed of it.
    func willGiveBack(_ stream: Stream) {}
}
