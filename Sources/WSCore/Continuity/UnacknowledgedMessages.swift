/// The messages that the peer may not have read. They are sent again, in order, on the next connection.
///
///      records ├─ length, kind │ payload ─┼─ … ─┼─ … ─┼─ … ─┼─ … ─┤
///                                               ↑ ping 1    ↑ ping 2   not covered by a ping yet
///
/// A pong proves that the peer has read everything sent before its ping, and so does the answer to our close frame.
/// When a connection is lost, messages not covered by either may or may not have arrived, and are sent again.
///
/// A ping is sent some time after the first message that needs one, not after each message. Servers answer pings as
/// they decode them, before the application has processed earlier messages. If pongs were always in flight, killing a
/// server would always lose messages that a pong had seemingly confirmed. Instead, that window opens only briefly,
/// twice a second.
///
/// Messages recorded without a connection wait for the next one. No ping or answer covers them until they are sent.
public struct UnacknowledgedMessages: ~Copyable {
    /// The range that a ping covers: all messages up to this point, counted from the very first one.
    private struct Mark {
        let number: UInt64
        let end: End
    }

    /// The end of a range of messages.
    private struct End {
        var bytes = 0
        var count = 0
    }

    private var records = ByteBuffer()
    /// The end of all messages.
    private var recorded = End()
    /// The end of the messages that have been sent on any connection.
    private var sent = End()
    private var confirmedCount = 0
    private var marks: [Mark] = []
    private var pingCount: UInt64 = 0
    private var isConnected = false
    private var isInputOver = false
    /// The time the first message not covered by a ping was recorded.
    private var firstUncoveredTime: Duration?

    private static let payload = NumberedPayload(word: "confirm")
    private static let recordHeaderBytes = MemoryLayout<Int>.size
    /// The maximum storage kept when all messages are confirmed, in bytes.
    private static let keptStorageBytes = 1 << 20

    /// The number of unconfirmed bytes at which ``isFull`` asks the source of messages to pause. Messages are accepted
    /// regardless, so one may be larger than this.
    public static var limitBytes: Int { 16 << 20 }
    /// The delay between the first uncovered message and the ping that covers it.
    public static let pingDelay = Duration.milliseconds(500)

    /// Creates an empty store without a connection.
    public init() {}

    /// The number of unconfirmed messages.
    public var count: Int { recorded.count - confirmedCount }
    /// The number of messages that have not been sent on any connection. They are the last ones.
    public var waitingCount: Int { recorded.count - sent.count }
    /// Whether there are no unconfirmed messages.
    public var isEmpty: Bool { records.isEmpty }
    /// The memory used by the messages in bytes, including 8 bytes per message in addition to the payload.
    public var byteCount: Int { records.count }
    /// Whether the source of messages should pause until more are confirmed.
    public var isFull: Bool { byteCount >= Self.limitBytes }

    // MARK: Sending

    /// Records a message that is being sent now, or will be sent on the next connection.
    /// - Parameters:
    ///   - payload: The message, which is copied.
    ///   - kind: The message type.
    ///   - isSent: Whether the message is being sent now. All earlier messages have been sent, too.
    ///   - now: The monotonic time.
    public mutating func record(_ payload: RawSpan, as kind: MessageKind, isSent: Bool, at now: Duration) {
        let recordBytes = Self.recordHeaderBytes + payload.byteCount
        let target = records.reserve(recordBytes)
        target.storeBytes(of: payload.byteCount << 1 | (kind == .text ? 1 : 0), as: Int.self)
        payload.withUnsafeBytes { source in
            if let base = source.baseAddress {
                (target + Self.recordHeaderBytes).copyMemory(from: base, byteCount: source.count)
            }
        }
        records.commit(recordBytes)
        recorded.bytes += recordBytes
        recorded.count += 1
        guard isSent else { return }
        sent = recorded
        if firstUncoveredTime == nil { firstUncoveredTime = now }
    }

    /// Declares the input complete. The last messages then need not wait for their ping.
    public mutating func inputEnded() {
        isInputOver = true
    }

    /// The time the next ping is due, possibly in the past; nil if there is nothing to cover or no connection.
    ///
    /// A ping is due at once if the input has ended or half of ``limitBytes`` is not covered. The other half can then
    /// fill while the pong is in flight.
    public var pingDueTime: Duration? {
        guard isConnected, let firstUncoveredTime else { return nil }
        let isUrgent = isInputOver || uncoveredBytes >= Self.limitBytes / 2
        return isUrgent ? firstUncoveredTime : firstUncoveredTime + Self.pingDelay
    }

    /// Whether a ping is due.
    public func needsPing(at now: Duration) -> Bool {
        pingDueTime.map { $0 <= now } ?? false
    }

    /// Creates a ping that covers all messages sent so far. Returns its payload, which must be sent now.
    public mutating func makePing() -> [UInt8] {
        pingCount += 1
        marks.append(Mark(number: pingCount, end: sent))
        firstUncoveredTime = nil
        return Self.payload.bytes(pingCount)
    }

    private var uncoveredBytes: Int { marks.last.map { recorded.bytes - $0.end.bytes } ?? byteCount }

    // MARK: Confirming

    /// Processes a pong: removes the messages covered by its ping.
    ///
    /// RFC 6455 §5.5.3: the peer may answer only the most recent ping, so a pong also confirms earlier pings. A pong
    /// that answers none of our pings confirms nothing.
    /// - Returns: The number of messages confirmed.
    @discardableResult
    public mutating func pongReceived(_ payload: RawSpan) -> Int {
        guard let number = Self.payload.number(in: payload),
            let index = marks.firstIndex(where: { $0.number == number })
        else { return 0 }
        let mark = marks[index]
        marks.removeSubrange(...index)
        return confirm(mark.end)
    }

    /// Processes the peer's answer to our close frame, which confirms all messages sent.
    /// - Returns: The number of messages confirmed.
    @discardableResult
    public mutating func closeConfirmed() -> Int {
        marks.removeAll()
        firstUncoveredTime = nil
        return confirm(sent)
    }

    private mutating func confirm(_ end: End) -> Int {
        let count = end.count - confirmedCount
        records.consume(byteCount - (recorded.bytes - end.bytes))
        records.releaseStorage(above: Self.keptStorageBytes)
        confirmedCount = end.count
        return count
    }

    // MARK: Connections

    /// Records a new connection and calls `send` for every unconfirmed message, in order.
    /// - Parameters:
    ///   - now: The monotonic time.
    ///   - send: Sends a message. It must not access this store.
    public mutating func connectionOpened(at now: Duration, send: (RawSpan, MessageKind) -> Void) {
        isConnected = true
        marks.removeAll()
        sent = recorded
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

    /// Records the loss of the connection. Pongs for its pings can no longer arrive.
    public mutating func connectionLost() {
        isConnected = false
        marks.removeAll()
    }
}
