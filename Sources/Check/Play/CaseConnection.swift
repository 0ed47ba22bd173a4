import Conformance
import WSCore

/// Connects a ``CasePlayer`` with a stream.
final class CaseConnection: ByteStreamDelegate {
    /// The limits of a connection.
    struct Limits: Sendable {
        /// How long the peer may send and accept nothing.
        var idle: Duration
        /// How long a step `pause` takes.
        var pause: Duration
    }

    private let player: CasePlayer
    private let stream: any ByteStream
    private let limits: Limits
    private let completion: (CaseResult) -> Void
    private var rest = ByteBuffer()
    private var cannotWrite = false
    private var isReading = false
    /// The player's progress when the limit began.
    private var progress = -1
    private var idleTimer: Timer?
    /// A case that never stands still ends here.
    private let deadline: Duration
    /// The longest time of a case, in times of the limit.
    private static let maximumLimits = 100
    private var pauseTimer: Timer?
    /// The number of pieces after which there was a pause. The first ones cross the limits of most readers.
    private var pieceCount = 0
    private static let separatePieceCount = 20
    private static let pieceInterval = Duration.milliseconds(2)
    private var isBetweenPieces = false

    /// Begins to play. The stream keeps the connection alive.
    /// - Parameters:
    ///   - firstBytes: Bytes of the peer that have been read already.
    ///   - completion: Receives the result after the stream has been closed.
    init(
        _ player: CasePlayer, on stream: any ByteStream, firstBytes: [UInt8], limits: Limits,
        completion: @escaping (CaseResult) -> Void
    ) {
        self.player = player
        self.stream = stream
        self.limits = limits
        self.completion = completion
        deadline = stream.loop.now + limits.idle * Self.maximumLimits
        stream.delegate = self
        idleTimer = Timer(on: stream.loop) { [unowned self] in
            // A player with a result only waits for its last bytes to leave.
            if player.result != nil { return close() }
            player.expire()
            progress = -1
            proceed()
        }
        var first = firstBytes
        first.withUnsafeMutableBytes { player.receive($0) }
        proceed()
        guard !stream.isClosed else { return }
        startReading()
    }

    private func startReading() {
        guard !isReading else { return }
        isReading = true
        stream.startReading()
    }

    /// Does what the player wants, until it waits.
    private func proceed() {
        while !stream.isClosed {
            guard rest.isEmpty, !stream.isWriting, !isBetweenPieces else { break }
            guard let action = player.next() else { break }
            switch action {
            case .write(let bytes, let isPiece):
                if cannotWrite { continue }
                rest.append(bytes.span.bytes)
                write()
                if isPiece, pieceCount < Self.separatePieceCount { waitForReader() }
            case .shutdown: stream.shutdown()
            case .close: return close()
            case .stopReading:
                isReading = false
                stream.stopReading()
            case .startReading: startReading()
            case .pause:
                pauseTimer = Timer(on: stream.loop) { [unowned self] in
                    player.didPause()
                    proceed()
                }
                pauseTimer?.start(after: limits.pause)
            }
        }
        // What the peer sends by itself, and our answers to it, do not extend the limit.
        guard player.progress != progress else { return }
        progress = player.progress
        idleTimer?.start(after: max(.zero, min(limits.idle, deadline - stream.loop.now)))
    }

    /// Waits a moment, so that the peer reads a piece before the next one arrives.
    private func waitForReader() {
        pieceCount += 1
        isBetweenPieces = true
        pauseTimer = Timer(on: stream.loop) { [unowned self] in
            isBetweenPieces = false
            proceed()
        }
        pauseTimer?.start(after: Self.pieceInterval)
    }

    private func write() {
        do throws(StreamError) {
            try stream.write(&rest)
        } catch {
            giveUpWriting()
        }
    }

    /// The peer may have sent its reasons before.
    private func giveUpWriting() {
        cannotWrite = true
        rest.removeAll()
    }

    private func close() {
        idleTimer = nil
        pauseTimer = nil
        let result = player.result ?? .failed("the case has no result")
        stream.close()
        completion(result)
    }

    // MARK: Stream

    func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {
        bytes.withUnsafeMutableBytes { player.receive($0) }
        proceed()
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        player.receiveEnd()
        cannotWrite = true
        proceed()
    }

    func streamDidDrain(_ stream: any ByteStream) {
        if !rest.isEmpty { write() }
        progress = -1
        proceed()
    }

    func stream(_ stream: any ByteStream, didFailToRead error: StreamError) {
        giveUpWriting()
        player.receiveEnd()
        proceed()
    }

    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) {
        giveUpWriting()
        proceed()
    }
}
