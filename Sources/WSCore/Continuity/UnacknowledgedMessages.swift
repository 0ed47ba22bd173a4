/// The messages that the peer may not have read. They are sent again, in order, on the next connection.
///
///      records ├─ length, kind │ payload ─┼─ … ─┼─ … ─┼─ … ─┼─ … ─┤
///                                               ↑ ping 1    ↑ ping 2   what no ping covers yet
///
/// A pong proves that the peer has read everything that was sent before its ping, and so does the answer to our close
/// frame. What neither has covered when a connection is lost may or may not have arrived: it is sent again.
///
/// A ping is sent a while after the first message that needs one, and not after each. Servers answer pings as they
/// decode them, before the application has taken the messages that came before. Were there a pong on its way at
/// any time, one who kills a server would always destroy messages that a pong seemed to have proved read; as it is,
/// that window is open for a moment twice a second.
///
/// Messages may be recorded while there is no connection; they wait for it here.
public struct UnacknowledgedMessages: ~Copyable {
    /// What a ping covers: everything up to here, counted from the first message of all.
    private struct Mark {
        let number: UInt64
        let endBytes: Int
        let endCount: Int
    }

    private var records = ByteBuffer()
    private var recordedBytes = 0
    private var recordedCount = 0
    private var confirmedCount = 0
    private var marks: [Mark] = []
    private var pingCount: UInt64 = 0
    private var isConnected = false
    private var isInputOver = false
    /// When the first message was sent that no ping covers.
    private var firstUncoveredTime: Duration?

    private static let payload = NumberedPayload(word: "confirm")
    private static let recordHeaderBytes = MemoryLayout<Int>.size
    /// What is kept for further messages once all are confirmed, in bytes.
    private static let keptStorageBytes = 1 << 20

    /// With this many bytes unconfirmed, ``isFull`` says that the source of the messages is to pause. A message is taken
    /// in any case, so that one may be larger than this.
    public static var limitBytes: Int { 16 << 20 }
    /// How long the first message waits for the ping that covers it.
    public static let pingDelay = Duration.milliseconds(500)

    /// Makes an empty store without a connection.
    public init() {}

    /// The number of messages.
    public var count: Int { recordedCount - confirmedCount }
    /// Whether there are none.
    public var isEmpty: Bool { records.isEmpty }
    /// The bytes of memory that the messages take, which counts a few for each beside its payload.
    public var byteCount: Int { records.count }
    /// Whether the source of the messages is to pause until more are confirmed.
    public var isFull: Bool { byteCount >= Self.limitBytes }

    // MARK: Sending

    /// Takes note of a message that is being sent, or is to be as soon as there is a connection.
    /// - Parameters:
    ///   - payload: The message, which is copied.
    ///   - kind: Text or binary.
    ///   - now: The monotonic time.
    public mutating func record(_ payload: RawSpan, as kind: MessageKind, at now: Duration) {
        let recordBytes = Self.recordHeaderBytes + payload.byteCount
        let target = records.reserve(recordBytes)
        target.storeBytes(of: payload.byteCount << 1 | (kind == .text ? 1 : 0), as: Int.self)
        payload.withUnsafeBytes { source in
            if let base = source.baseAddress {
                (target + Self.recordHeaderBytes).copyMemory(from: base, byteCount: source.count)
            }
        }
        records.commit(recordBytes)
        recordedBytes += recordBytes
        recordedCount += 1
        if firstUncoveredTime == nil { firstUncoveredTime = now }
    }

    /// Takes note that no further message comes, so that the last ones are not kept waiting for their ping.
    public mutating func inputEnded() {
        isInputOver = true
    }

    /// When the next ping is due, which may have passed; nil: there is nothing for it to cover, or no connection.
    ///
    /// It is due at once when the input has ended, and when half of ``limitBytes`` is covered by none: the other half
    /// fills while the pong is on its way.
    public var pingDueTime: Duration? {
        guard isConnected, let firstUncoveredTime else { return nil }
        let isUrgent = isInputOver || uncoveredBytes >= Self.limitBytes / 2
        return isUrgent ? firstUncoveredTime : firstUncoveredTime + Self.pingDelay
    }

    /// Whether a ping is due.
    public func needsPing(at now: Duration) -> Bool {
        pingDueTime.map { $0 <= now } ?? false
    }

    /// Returns the payload of a ping that is to be sent now: it covers every message so far.
    public mutating func makePing() -> [UInt8] {
        pingCount += 1
        marks.append(Mark(number: pingCount, endBytes: recordedBytes, endCount: recordedCount))
        firstUncoveredTime = nil
        return Self.payload.bytes(pingCount)
    }

    private var uncoveredBytes: Int { marks.last.map { recordedBytes - $0.endBytes } ?? byteCount }

    // MARK: Confirming

    /// Takes a pong: forgets the messages that its ping covers.
    ///
    /// RFC 6455 §5.5.3: the peer may answer the most recent ping only, so a pong speaks for earlier pings too. One that
    /// answers no ping of ours proves nothing.
    /// - Returns: The number of messages that it confirmed.
    @discardableResult
    public mutating func pongReceived(_ payload: RawSpan) -> Int {
        guard let number = Self.payload.number(in: payload),
            let index = marks.firstIndex(where: { $0.number == number })
        else { return 0 }
        let mark = marks[index]
        marks.removeSubrange(...index)
        return confirm(mark)
    }

    /// Takes the peer's answer to our close frame, before which everything was sent.
    /// - Returns: The number of messages that it confirmed.
    @discardableResult
    public mutating func closeConfirmed() -> Int {
        marks.removeAll()
        firstUncoveredTime = nil
        return confirm(Mark(number: pingCount, endBytes: recordedBytes, endCount: recordedCount))
    }

    private mutating func confirm(_ mark: Mark) -> Int {
        let count = mark.endCount - confirmedCount
        records.consume(byteCount - (recordedBytes - mark.endBytes))
        records.releaseStorage(above: Self.keptStorageBytes)
        confirmedCount = mark.endCount
        return count
    }

    // MARK: Connections

    /// Takes note of a connection, and gives `send` every message that is to be sent on it, in order.
    /// - Parameters:
    ///   - now: The monotonic time.
    ///   - send: Sends a message; it must not use this store.
    public mutating func connectionOpened(at now: Duration, send: (RawSpan, MessageKind) -> Void) {
        isConnected = true
        marks.removeAll()
        firstUncoveredTime = isEmpty ? nil : now
        records.withReadableBytes { bytes in
            var offset = 0
            while offset < bytes.byteCount {
                let header = bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Int.self)
                let start = offset + Self.recordHeaderBytes
                offset = start + (header >> 1)
                send(bytes.extracting(start..<offset), header & 1 == 1 ? .text : .binary)
            }
        }
    }

    /// Takes note that the connection is lost: no pong can come for what was sent on it.
    public mutating func connectionLost() {
        isConnected = false
        marks.removeAll()
    }
}
