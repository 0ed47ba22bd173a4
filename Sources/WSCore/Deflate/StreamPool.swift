/// Lends zlib streams of one direction to the connections of a loop.
///
/// A stream takes up to 270 KiB, and a connection needs one only while it is busy. Connections share a bounded number
/// of streams. When all are lent, the least recently used one changes hands. Idle streams are freed.
///
///      lent:  [loan][loan][loan]…   ≤ maximumStreams, unless all are in the middle of a message
///      spare: [stream]…             reset, from connections that have ended
final class StreamPool<Stream: ZlibStream> {
    private let maximumStreams: Int
    private var loans: [Loan<Stream>] = []
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
        if let loan = borrower.loan {
            loan.lastUse = useCount
            return loan.stream
        }
        let stream = makeStream(windowBits: borrower.windowBits)
        let loan = Loan(of: stream, to: borrower, index: loans.count, lastUse: useCount)
        borrower.loan = loan
        loans.append(loan)
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
        var candidate: Loan<Stream>?
        for loan in loans where loan.borrower.canGiveBack {
            if loan.lastUse < candidate?.lastUse ?? .max { candidate = loan }
        }
        guard let candidate else { return nil }
        reclaim(candidate)
        candidate.stream.reset()
        return candidate.stream
    }

    /// Takes the stream of a borrower that no longer needs it.
    fileprivate func giveBack(from borrower: StreamBorrower<Stream>) {
        guard let loan = borrower.loan else { return }
        end(loan)
        guard spares.count < Self.maximumSpares else { return }
        loan.stream.reset()
        spares.append(loan.stream)
    }

    private func reclaim(_ loan: Loan<Stream>) {
        loan.borrower.willGiveBack(loan.stream)
        end(loan)
    }

    private func end(_ loan: Loan<Stream>) {
        loan.borrower.loan = nil
        let last = loans.removeLast()
        guard loan.index < loans.count else { return }
        loans[loan.index] = last
        last.index = loan.index
    }

    /// Frees streams not used since the last call.
    func releaseIdle() {
        spares.removeAll()
        for loan in loans.reversed() where loan.lastUse <= useCountAtLastRelease && loan.borrower.canGiveBack {
            reclaim(loan)
        }
        useCountAtLastRelease = useCount
    }
}

/// A stream and its borrower.
private final class Loan<Stream: ZlibStream> {
    let stream: Stream
    /// Not retained: the borrower gives its stream back when it is deinitialized.
    unowned(unsafe) let borrower: StreamBorrower<Stream>
    /// The position in the pool's list.
    var index: Int
    var lastUse: UInt64

    init(of stream: Stream, to borrower: StreamBorrower<Stream>, index: Int, lastUse: UInt64) {
        self.stream = stream
        self.borrower = borrower
        self.index = index
        self.lastUse = lastUse
    }
}

/// One direction of a connection, which borrows a stream while it is busy.
///
/// It is small, because each connection has two of them. Everything that matters only during a loan is in the loan.
class StreamBorrower<Stream: ZlibStream> {
    /// The memory that the borrower shares with other connections.
    final let memory: DeflateMemory
    fileprivate final var loan: Loan<Stream>?
    private let smallWindowBits: UInt8

    init(windowBits: Int, memory: DeflateMemory) {
        smallWindowBits = UInt8(clamping: windowBits)
        self.memory = memory
    }

    /// The negotiated window size, 8 to 15 bits.
    final var windowBits: Int { Int(smallWindowBits) }

    deinit {
        Stream.pool(of: memory).giveBack(from: self)
    }

    /// Returns the stream to use now, which may differ from the one used before.
    final func borrowStream() -> Stream { Stream.pool(of: memory).stream(for: self) }

    /// Gives the stream back, if any. The next stream starts without history.
    final func returnStream() { Stream.pool(of: memory).giveBack(from: self) }

    /// Whether the pool may reclaim the stream until its next use.
    var canGiveBack: Bool { true }
    /// Called before a newly borrowed stream is used.
    func willUse(_ stream: Stream) {}
    /// Called before the pool reclaims the stream, to save its state.
    func willGiveBack(_ stream: Stream) {}
}
