@testable import WSCore

/// A stream in memory: the bytes of its peer are passed to ``receive(_:)``, and what is written is kept.
final class MemoryStream: ByteStream {
    let loop: EventLoop
    var delegate: (any ByteStreamDelegate)?
    private(set) var isClosed = false
    private(set) var isWriting = false
    private(set) var written: [UInt8] = []
    /// Whether each write is in progress until ``drain()``.
    let isSlow: Bool
    private var isReading = false
    private var hasEnded = false
    /// The number of bytes of the write in progress.
    private(set) var inFlightBytes = 0

    init(on loop: EventLoop, isSlow: Bool) {
        self.loop = loop
        self.isSlow = isSlow
    }

    var unsentBytes: Int { inFlightBytes }
    var peerPresence: PeerPresence { hasEnded ? .hasEnded : .present }
    var hasUnreadBytes: Bool { false }

    func startReading() {
        isReading = true
        if hasEnded { loop.atEndOfTurn(DeferredWork { [self] in reportEnd() }) }
    }

    func stopReading() { isReading = false }

    func write(_ buffer: inout ByteBuffer) {
        guard !isClosed, !isWriting, !buffer.isEmpty else { return }
        written += contents(of: buffer)
        isWriting = isSlow
        inFlightBytes = isSlow ? buffer.count : 0
        buffer.removeAll()
    }

    func write(_ shared: SharedBytes, from offset: Int) -> Int { 0 }

    func shutdown() {}

    func close() {
        isClosed = true
        isReading = false
        delegate = nil
    }

    /// Finishes the write in progress.
    func drain() {
        guard isWriting else { return }
        isWriting = false
        inFlightBytes = 0
        delegate?.streamDidDrain(self)
    }

    /// Passes bytes of the peer to the delegate, unless it has stopped reading.
    func receive(_ bytes: ArraySlice<UInt8>) {
        guard isReading, !bytes.isEmpty else { return }
        var copy = Array(bytes)
        var span = copy.mutableSpan
        var raw = span.mutableBytes
        delegate?.stream(self, didRead: &raw)
    }

    /// Ends the peer's side.
    func end() {
        hasEnded = true
        reportEnd()
    }

    private func reportEnd() {
        if isReading { delegate?.streamDidReachEnd(self) }
    }
}
