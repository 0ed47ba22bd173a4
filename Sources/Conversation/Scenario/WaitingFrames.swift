import WSCore

/// Received messages, up to a limit, and the numbers of pings and pongs that no step has taken yet.
struct WaitingFrames {
    /// A message.
    struct Message {
        let kind: MessageKind
        let payload: [UInt8]
        /// The text that whole messages are compared with, or `nil` for the payload.
        var line: [UInt8]?

        fileprivate var byteCount: Int { payload.count + (line?.count ?? 0) + WaitingFrames.overheadBytes }
    }

    var pingCount = 0
    var pongCount = 0
    private var messages: [Message] = []
    /// The index of the first message; those before it have been taken.
    private var first = 0
    private var byteCount = 0

    /// The limit of the messages in bytes.
    static let mostBytes = 1 << 20
    /// The size of a message without its payload, in bytes.
    fileprivate static let overheadBytes = 64

    /// Whether no message is waiting.
    var isEmpty: Bool { first == messages.count }

    /// Adds a message.
    /// - Returns: Whether there is room for it. A single message always has room.
    mutating func append(_ payload: RawSpan, as kind: MessageKind, shownAs line: [UInt8]? = nil) -> Bool {
        guard hasRoom(for: payload.byteCount + (line?.count ?? 0)) else { return false }
        let message = Message(kind: kind, payload: payload.withUnsafeBytes { Array($0) }, line: line)
        messages.append(message)
        byteCount += message.byteCount
        return true
    }

    /// Whether there is room for a message of a size. A single message always has room.
    func hasRoom(for payloadBytes: Int) -> Bool {
        isEmpty || byteCount + payloadBytes + Self.overheadBytes <= Self.mostBytes
    }

    /// Removes the first message.
    mutating func takeFirst() -> Message? {
        guard first < messages.count else { return nil }
        let message = messages[first]
        messages[first] = Message(kind: .text, payload: [])
        first += 1
        byteCount -= message.byteCount
        // Compact only when more than half is unused, so each message moves a bounded number of times.
        if first * 2 > messages.count {
            messages.removeFirst(first)
            first = 0
        }
        return message
    }
}
