/// What a peer has sent, compared with what it was to send.
struct Transcript {
    /// What has been received.
    enum Event {
        /// The message with this number, from 0.
        case echo(Int)
        case pong(Int)
        case message(opcode: UInt8, [UInt8])
        case pongWith([UInt8])

        var isData: Bool {
            switch self {
            case .echo, .message: true
            case .pong, .pongWith: false
            }
        }
    }

    enum Match {
        /// No further event makes it match.
        case never
        case notYet
        case complete
    }

    private(set) var events: [Event] = []
    /// Grows with everything that the case waits for, but not with what the peer sends by itself.
    private(set) var progress = 0
    /// The messages that have not been echoed, and the pings without pongs.
    private var messages: [(opcode: UInt8, payload: [UInt8])] = []
    private var pings: [[UInt8]] = []
    private var messageCount = 0
    private var pingCount = 0
    private var firstMessage = 0
    private var firstPing = 0

    /// The message that is being received.
    private var opcode: UInt8 = 0
    private var receivedCount = 0
    private var kept: [UInt8] = []
    private var isEcho = false

    private static let keptBytes = 64 << 10
    /// The largest total size of messages that are not echoes, in bytes, and the largest number of pongs that answer no ping.
    /// Later ones are dropped.
    private static let maximumOtherBytes = 16 << 20
    private static let maximumOtherPongCount = 100
    private var otherBytes = 0
    private var otherPongCount = 0

    var awaitsEcho: Bool { firstMessage < messageCount }
    var awaitsPong: Bool { firstPing < pingCount }

    mutating func sent(_ payload: [UInt8], _ opcode: UInt8, times: Int) {
        for _ in 0..<times { messages.append((opcode, payload)) }
        messageCount += times
    }

    mutating func sentPing(_ payload: [UInt8], times: Int) {
        for _ in 0..<times { pings.append(payload) }
        pingCount += times
    }

    mutating func beginMessage(_ opcode: UInt8) {
        self.opcode = opcode
        receivedCount = 0
        kept = []
        isEcho = awaitsEcho && messages[firstMessage].opcode == opcode
    }

    mutating func receive(_ bytes: UnsafeRawBufferPointer) {
        if isEcho {
            let end = receivedCount + bytes.count
            isEcho = messages[firstMessage].payload.withUnsafeBytes {
                end <= $0.count && bytes.elementsEqual($0[receivedCount..<end])
            }
        }
        receivedCount += bytes.count
        if isEcho { progress += bytes.count }
        if kept.count < Self.keptBytes { kept += bytes.prefix(Self.keptBytes - kept.count) }
    }

    /// Ends a message. Returns whether it is an echo.
    mutating func endMessage() -> Bool {
        // A peer that echoes frame by frame begins before our last frame.
        isEcho =
            awaitsEcho && receivedCount == messages[firstMessage].payload.count
            && (isEcho || messages[firstMessage].opcode == opcode && messages[firstMessage].payload == kept)
        if isEcho {
            events.append(.echo(firstMessage))
            progress += 1
            if receivedCount > Self.keptBytes { messages[firstMessage].payload = [] }
            firstMessage += 1
        } else {
            otherBytes += kept.count + MemoryLayout<Event>.stride
            if otherBytes <= Self.maximumOtherBytes { events.append(.message(opcode: opcode, kept)) }
        }
        return isEcho
    }

    /// The beginning of the latest message.
    var lastMessage: [UInt8] { kept }

    /// The number of messages that are no echoes.
    var otherMessageCount: Int { events.count { if case .message = $0 { true } else { false } } }

    /// Whether the first message came back, even with an error in its frame.
    var resemblesEcho: Bool { firstMessage > 0 || messageCount > 0 && kept.starts(with: messages[0].payload) }

    /// Removes the latest event, a message that does not belong to the case.
    mutating func forgetLast() { if !events.isEmpty { events.removeLast() } }

    /// - Parameter keepsOthers: Whether pongs without a ping are events. They are permitted (RFC 6455 §5.5.3).
    mutating func receivePong(_ payload: [UInt8], keepsOthers: Bool) {
        guard otherPongCount < Self.maximumOtherPongCount else { return }
        guard let index = pings[firstPing...].firstIndex(of: payload) else {
            otherPongCount += 1
            if keepsOthers { events.append(.pongWith(payload)) }
            return
        }
        events.append(.pong(index))
        progress += 1
        firstPing = index + 1
    }

    /// Compares the events with those of an outcome.
    /// - Parameters:
    ///   - withData: Whether messages count.
    ///   - mayGrow: Whether more will be sent.
    func match(_ expected: [ExpectedEvent]?, withData: Bool, mayGrow: Bool) -> Match {
        guard let expected else { return .complete }
        let events = withData ? events : events.filter { !$0.isData }
        var index = 0
        var echo = 0
        var pong = 0
        for item in expected where withData || !item.isData {
            var count = 1
            switch item {
            case .echoes: count = messageCount - echo
            case .pongs: count = pingCount - pong
            default: break
            }
            for _ in 0..<count {
                guard index < events.count else { return .notYet }
                switch (item, events[index]) {
                case (.echo, .echo(echo)), (.echoes, .echo(echo)): echo += 1
                case (.pong, .pong(pong)), (.pongs, .pong(pong)): pong += 1
                case (.message(let opcode, let bytes), .message(let other, let received))
                where opcode == other && bytes == received:
                    break
                case (.message(let opcode, let bytes), .echo(let number))
                where messages[number].opcode == opcode && messages[number].payload == bytes: break
                case (.pongWith(let bytes), .pongWith(let received)) where bytes == received: break
                case (.pongWith(let bytes), .pong(let number)) where pings[number] == bytes: break
                default: return .never
                }
                index += 1
            }
            if mayGrow, item == .echoes || item == .pongs { return .notYet }
        }
        return index == events.count ? .complete : .never
    }
}
