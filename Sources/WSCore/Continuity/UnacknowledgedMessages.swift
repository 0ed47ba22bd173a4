/// The messages that the peer may not have read. They are sent again, in order, on the next connection.
///
///      sent on this connection                                  to be sent
///      ├─ length, kind │ payload ─┼─ … ─┼─ … ─┼─ … ─┼─ … ─┤     ├─ … ─┼─ … ─┤
///                                 ↑ ping 1    ↑ ping 2   not covered by a ping yet
///
/// A pong proves that the peer has read everything sent before its ping, and so does the answer to our close frame.
/// When a connection is lost, messages not covered by either may or may not have arrived, and are sent again.
///
/// A ping is sent some time after the first message that needs one, not after each message. Servers answer pings as
/// they decode them, before the application has processed earlier messages. If pongs were always in flight, killing a
/// server would always lose messages that a pong had seemingly confirmed. Instead, that window opens only briefly,
/// twice a second.
///
/// Messages that cannot be sent yet wait: the caller takes them one by one when it can send them, and records each one
/// that it has sent. No ping or answer covers them until then.
public struct UnacknowledgedMessages: ~Copyable {
    /// The range that a ping covers: all messages sent on this connection up to this point, counted from the first one.
    private struct Mark {
        let number: UInt64
        let end: End
    }

    /// The end of a range of messages.
    private struct End {
        var bytes = 0
        var count = 0
    }

    /// A message that waits to be sent.
    public struct Waiting: Equatable {
        /// The payload.
        public let payload: [UInt8]
        /// The message type.
        public let kind: MessageKind
        /// Whether it was sent on a lost connection.
        public let wasSent: Bool

        /// Creates a message.
        public init(payload: [UInt8], kind: MessageKind, wasSent: Bool) {
            self.payload = payload
            self.kind = kind
            self.wasSent = wasSent
        }
    }

    /// The messages sent on this connection.
    private var sent = Records()
    /// The end of all messages sent on this connection.
    private var recorded = End()
    /// The messages to send, in order.
    private var waiting = Records()
    /// The number of waiting messages that have not been sent on any connection.
    public private(set) var waitingCount = 0
    private var marks: [Mark] = []
    private var pingCount: UInt64 = 0
    private var isConnected = false
    private var isInputOver = false
    /// The time the first message not covered by a ping was sent.
    private var firstUncoveredTime: Duration?

    private static let payload = NumberedPayload(word: "confirm")

    /// The number of bytes at which ``isFull`` asks the source of messages to pause. Messages are accepted regardless,
    /// so one may be larger than this.
    public static var limitBytes: Int { 16 << 20 }
    /// The delay between the first uncovered message and the ping that covers it.
    public static let pingDelay = Duration.milliseconds(500)

    /// Creates an empty store without a connection.
    public init() {}

    /// The number of messages.
    public var count: Int { sent.count + waiting.count }
    /// Whether there are no messages.
    public var isEmpty: Bool { count == 0 }
    /// Whether there are no messages that were sent on this connection.
    public var isConfirmed: Bool { sent.count == 0 }
    /// Whether messages wait to be sent or to be sent again. Later messages have to wait, too.
    public var hasWaiting: Bool { waiting.count > 0 }
    /// The memory used by the messages in bytes, including 8 bytes per message in addition to the payload.
    public var byteCount: Int { sent.byteCount + waiting.byteCount }
    /// Whether the source of messages should pause until more are confirmed.
    public var isFull: Bool { byteCount >= Self.limitBytes }

    // MARK: Sending

    /// Records a message that is being sent now, or waits.
    /// - Parameters:
    ///   - payload: The message, which is copied.
    ///   - kind: The message type.
    ///   - isSent: Whether the message is being sent now.
    ///   - now: The monotonic time.
    public mutating func record(_ payload: RawSpan, as kind: MessageKind, isSent: Bool, at now: Duration) {
        guard isSent else {
            waiting.append(payload, as: kind, wasSent: false)
            waitingCount += 1
            return
        }
        recorded.bytes += sent.append(payload, as: kind, wasSent: true)
        recorded.count += 1
        if firstUncoveredTime == nil { firstUncoveredTime = now }
    }

    /// Removes and returns the first message that waits, or returns `nil` if there is none.
    public mutating func takeWaiting() -> Waiting? {
        guard let first = waiting.removeFirst() else { return nil }
        if !first.wasSent { waitingCount -= 1 }
        return first
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
        marks.append(Mark(number: pingCount, end: recorded))
        firstUncoveredTime = nil
        return Self.payload.bytes(pingCount)
    }

    private var uncoveredBytes: Int { marks.last.map { recorded.bytes - $0.end.bytes } ?? sent.byteCount }

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
        return confirm(recorded)
    }

    private mutating func confirm(_ end: End) -> Int {
        sent.removeFirst(
            byteCount: sent.byteCount - (recorded.bytes - end.bytes), count: sent.count - (recorded.count - end.count))
    }

    // MARK: Connections

    /// Records a new connection. The messages that wait can be sent on it.
    public mutating func connectionOpened() {
        isConnected = true
    }

    /// Records the loss of the connection. Pongs for its pings can no longer arrive, and unconfirmed messages wait for
    /// the next connection.
    /// - Parameter unsent: Messages that were taken to be sent on this connection, and were not. They follow those that
    ///   were sent.
    public mutating func connectionLost(unsent: [Waiting] = []) {
        isConnected = false
        marks.removeAll()
        firstUncoveredTime = nil
        recorded = End()
        guard sent.count > 0 || !unsent.isEmpty else { return }
        for message in unsent {
            sent.append(message.payload.span.bytes, as: message.kind, wasSent: message.wasSent)
            if !message.wasSent { waitingCount += 1 }
        }
        sent.append(waiting)
        waiting = sent.takeAll()
    }
}

/// Messages in a queue.
///
///     length, flags │ payload │ length, flags │ payload │ …
private struct Records: ~Copyable {
    private static let headerBytes = MemoryLayout<Int>.size
    /// The maximum storage kept without messages, in bytes.
    private static let keptStorageBytes = 1 << 20

    private var bytes = ByteBuffer()
    private(set) var count = 0

    var byteCount: Int { bytes.count }

    /// Returns the size of the record in bytes.
    @discardableResult
    mutating func append(_ payload: RawSpan, as kind: MessageKind, wasSent: Bool) -> Int {
        let recordBytes = Self.headerBytes + payload.byteCount
        let target = bytes.reserve(recordBytes)
        let header = payload.byteCount << 2 | (wasSent ? 2 : 0) | (kind == .text ? 1 : 0)
        target.storeBytes(of: header, as: Int.self)
        payload.withUnsafeBytes { source in
            if let base = source.baseAddress {
                (target + Self.headerBytes).copyMemory(from: base, byteCount: source.count)
            }
        }
        bytes.commit(recordBytes)
        count += 1
        return recordBytes
    }

    mutating func append(_ other: borrowing Records) {
        other.bytes.withReadableBytes { bytes.append($0) }
        count += other.count
    }

    mutating func removeFirst() -> UnacknowledgedMessages.Waiting? {
        guard count > 0 else { return nil }
        let (message, recordBytes) = bytes.withReadableBytes { bytes in
            let header = bytes.unsafeLoadUnaligned(fromByteOffset: 0, as: Int.self)
            let end = Self.headerBytes + header >> 2
            let payload = bytes.extracting(Self.headerBytes..<end).withUnsafeBytes { Array($0) }
            return (
                UnacknowledgedMessages.Waiting(
                    payload: payload, kind: header & 1 == 1 ? .text : .binary, wasSent: header & 2 == 2),
                end
            )
        }
        removeFirst(byteCount: recordBytes, count: 1)
        return message
    }

    /// Removes messages with this total size. Returns their number.
    @discardableResult
    mutating func removeFirst(byteCount: Int, count removedCount: Int) -> Int {
        bytes.consume(byteCount)
        bytes.releaseStorage(above: Self.keptStorageBytes)
        count -= removedCount
        return removedCount
    }

    mutating func takeAll() -> Records {
        var taken = Records()
        swap(&taken, &self)
        return taken
    }
}
