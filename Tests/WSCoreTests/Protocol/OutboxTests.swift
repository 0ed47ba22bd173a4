import SessionSupport
import TestSupport
import Testing
import WSCore

@Suite struct OutboxTests {
    @Test(
        "RFC 6455 §5.1: messages of every length encoding are sent, masked only by clients",
        arguments: [0, 1, 125, 126, 127, 128, 65535, 65536], Role.allCases)
    func messages(count: Int, role: Role) {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        var outbox = Outbox(role: role, maskingKeys: countingKeys())
        let isTextSent = outbox.send(payload.span.bytes, as: .text)
        let isBinarySent = outbox.send(payload.span.bytes, as: .binary)
        #expect(isTextSent && isBinarySent)
        expectEqual(contents(of: outbox.bytes), wire([frame(0x81, payload), frame(0x82, payload)], sentBy: role))
    }

    @Test("RFC 6455 §5.7: the masked text message in the examples")
    func example() {
        let source = MaskingKeySource { buffer in
            buffer.copyBytes(from: repeatElement(exampleKey, count: 1024).joined())
        }
        var outbox = Outbox(role: .client, maskingKeys: source)
        outbox.sendText("Hello")
        expectEqual(contents(of: outbox.bytes), [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
    }

    @Test("RFC 6455 §5.3: every frame has a different key, including control frames and fragments")
    func keys() {
        var outbox = Outbox(role: .client, maskingKeys: countingKeys(), fragmentBytes: 2)
        outbox.sendText("abcde")
        outbox.ping("p")
        outbox.pong("q")
        outbox.sendText("f")
        outbox.sendClose(CloseFrame(code: .normalClosure))
        let frames = [
            frame(0x01, "ab"), frame(0x00, "cd"), frame(0x80, "e"), frame(0x89, "p"), frame(0x8A, "q"),
            frame(0x81, "f"),
            closeFrame(1000),
        ]
        expectEqual(contents(of: outbox.bytes), wire(frames, sentBy: .client))
    }

    @Test(
        "an observer sees every frame with its header as sent and its payload unmasked", arguments: Role.allCases)
    func observed(role: Role) {
        let observer = RecordingObserver()
        var outbox = Outbox(role: role, maskingKeys: countingKeys(), fragmentBytes: 2)
        outbox.observer = observer
        outbox.sendText("abc")
        outbox.ping("p")
        outbox.sendClose(CloseFrame(code: nil))
        expectEqual(observer.payloads, ["ab", "c", "p", ""])
        expectEqual(observer.headers.map(\.opcode), [.text, .continuation, .ping, .close])
        expectEqual(observer.headers.map(\.isFinal), [false, true, true, true])
        #expect(observer.headers.allSatisfy { ($0.maskingKey != nil) == (role == .client) })
        var sent = ByteBuffer()
        observer.headers.first?.encode(into: &sent)
        #expect(contents(of: outbox.bytes).starts(with: contents(of: sent)))
    }

    @Test("RFC 6455 §5.3: keys stay unique across many blocks of random bytes")
    func freshKeys() {
        var outbox = Outbox(role: .client, maskingKeys: countingKeys())
        var keys: Set<[UInt8]> = []
        for _ in 0..<5000 {
            outbox.sendText("x")
            keys.insert(Array(contents(of: outbox.bytes)[2..<6]))
            outbox.bytes.removeAll()
        }
        expectEqual(keys.count, 5000)
    }

    @Test("RFC 6455 §5.4: a message longer than the fragment size is sent in fragments", arguments: Role.allCases)
    func fragments(role: Role) {
        let vectors: [(String, [[UInt8]])] = [
            ("", [frame(0x81)]),
            ("abc", [frame(0x81, "abc")]),
            ("abcd", [frame(0x01, "abc"), frame(0x80, "d")]),
            ("abcdef", [frame(0x01, "abc"), frame(0x80, "def")]),
            ("abcdefg", [frame(0x01, "abc"), frame(0x00, "def"), frame(0x80, "g")]),
        ]
        for (text, frames) in vectors {
            var outbox = Outbox(role: role, maskingKeys: countingKeys(), fragmentBytes: 3)
            outbox.sendText(text)
            expectEqual(contents(of: outbox.bytes), wire(frames, sentBy: role))
        }
    }

    @Test("RFC 6455 §5.4: a fragment size below 1 is raised to 1", arguments: [0, -5])
    func smallestFragments(fragmentBytes: Int) {
        var outbox = Outbox(role: .server, maskingKeys: countingKeys(), fragmentBytes: fragmentBytes)
        outbox.sendText("ab")
        expectEqual(contents(of: outbox.bytes), frame(0x01, "a") + frame(0x80, "b"))
    }

    @Test("RFC 6455 §5.5: a control frame of 125 bytes is sent and one of 126 bytes is not", arguments: Role.allCases)
    func controlLength(role: Role) {
        let longest = String(repeating: "x", count: 125)
        var outbox = Outbox(role: role, maskingKeys: countingKeys())
        let areLongestSent = [outbox.ping(longest), outbox.pong(longest)]
        let areLongerSent = [outbox.ping(longest + "x"), outbox.pong(longest + "x")]
        expectEqual(areLongestSent, [true, true])
        expectEqual(areLongerSent, [false, false])
        expectEqual(contents(of: outbox.bytes), wire([frame(0x89, longest), frame(0x8A, longest)], sentBy: role))
    }

    @Test("RFC 6455 §5.5.1: only pongs are sent after the close frame", arguments: Role.allCases)
    func afterClose(role: Role) {
        var session = Session(role: role, limits: .client, maskingKeys: countingKeys())
        let areSent = [
            session.outbox.sendClose(CloseFrame(code: .goingAway, reason: "bye")),
            session.outbox.sendClose(CloseFrame(code: .normalClosure)),
            session.outbox.sendText("late"),
            session.outbox.ping("late"),
            session.outbox.pong("late"),
        ]
        expectEqual(areSent, [true, false, false, false, false])
        expectEqual(contents(of: session.outbox.bytes), wire([closeFrame(1001, "bye")], sentBy: role))
    }

    @Test(
        "RFC 6455 §5.5.2: pings are answered after our close frame until the peer's arrives", arguments: Role.allCases)
    func pingAfterClose(role: Role) throws {
        var session = Session(role: role, limits: .client, maskingKeys: countingKeys())
        var handler = RecordingHandler()
        session.outbox.sendClose(CloseFrame(code: .goingAway))
        try session.receive(wire([frame(0x89, "one")], receivedBy: role), handler: &handler)
        try session.receive(wire([closeFrame(1001), frame(0x89, "two")], receivedBy: role), handler: &handler)
        let expected = wire([closeFrame(1001), frame(0x8A, "one")], sentBy: role)
        expectEqual(contents(of: session.outbox.bytes), expected)
    }

    @Test("RFC 6455 §7.4.1: a code that must not travel is not sent", arguments: [999, 1005, 1006, 1015, 5000])
    func codeThatMustNotTravel(code: UInt16) {
        var outbox = Outbox(role: .server, maskingKeys: countingKeys())
        outbox.sendClose(CloseFrame(code: CloseCode(rawValue: code), reason: "dropped with it"))
        expectEqual(contents(of: outbox.bytes), [0x88, 0x00])
    }

    @Test(
        "RFC 6455 §5.5.1: close frames are sent with code and reason, with a code only, or empty",
        arguments: Role.allCases)
    func close(role: Role) {
        let vectors: [(CloseFrame, [UInt8])] = [
            (CloseFrame(code: nil), [0x88, 0x00]),
            (CloseFrame(code: .normalClosure), [0x88, 0x02, 0x03, 0xE8]),
            (CloseFrame(code: CloseCode(rawValue: 4999), reason: "é"), [0x88, 0x04, 0x13, 0x87, 0xC3, 0xA9]),
        ]
        for (close, bytes) in vectors {
            var outbox = Outbox(role: role, maskingKeys: countingKeys())
            outbox.sendClose(close)
            expectEqual(contents(of: outbox.bytes), wire([bytes], sentBy: role))
        }
    }
}

@Suite struct OutboxPongTests {
    @Test("RFC 6455 §5.5.3: with a large backlog, only the latest of many pings is answered", arguments: Role.allCases)
    func backlog(role: Role) throws {
        var session = backloggedSession(role)
        var handler = RecordingHandler()
        for number in 0..<1000 {
            try session.receive(wire([frame(0x89, "\(number)")], receivedBy: role), handler: &handler)
        }
        expectEqual(handler.events.count, 1000)
        expectEqual(contents(of: session.outbox.bytes).count, Outbox.pongBacklogBytes + 1)
        session.take(Outbox.pongBacklogBytes + 1)
        expectEqual(contents(of: session.outbox.bytes), wire([frame(0x8A, "999")], sentBy: role))
        session.outbox.bytesWereTaken()
        expectEqual(contents(of: session.outbox.bytes), wire([frame(0x8A, "999")], sentBy: role))
    }

    @Test("RFC 6455 §5.5.2: with a backlog of exactly the limit, every ping is answered")
    func belowBacklog() throws {
        var session = Session(role: .server, limits: .server, maskingKeys: countingKeys())
        var handler = RecordingHandler()
        session.outbox.bytes.append(String(repeating: "x", count: Outbox.pongBacklogBytes))
        try session.receive(masked(frame(0x89, "a")), handler: &handler)
        expectEqual(contents(of: session.outbox.bytes).suffix(3), frame(0x8A, "a"))
    }

    @Test("pongs do not accumulate when a peer reads one byte per ping")
    func slowReader() throws {
        var session = backloggedSession(.server)
        var handler = RecordingHandler()
        let ping = masked(frame(0x89, String(repeating: "p", count: 125)))
        for _ in 0..<1000 {
            try session.receive(ping, handler: &handler)
            session.take(1)
        }
        #expect(contents(of: session.outbox.bytes).count <= Outbox.pongBacklogBytes + 127)
    }

    @Test("an old ping is not answered after a newer one")
    func order() throws {
        var session = backloggedSession(.server)
        var handler = RecordingHandler()
        try session.receive(masked(frame(0x89, "old")), handler: &handler)
        session.outbox.bytes.removeAll()
        try session.receive(masked(frame(0x89, "new")), handler: &handler)
        session.outbox.bytesWereTaken()
        expectEqual(contents(of: session.outbox.bytes), frame(0x8A, "new"))
    }

    @Test("RFC 6455 §5.5.2: a held-back pong is not sent after the peer's close frame", arguments: Role.allCases)
    func closedMeanwhile(role: Role) throws {
        var session = backloggedSession(role)
        var handler = RecordingHandler()
        try session.receive(wire([frame(0x89, "ping")], receivedBy: role), handler: &handler)
        try session.receive(wire([closeFrame(1000)], receivedBy: role), handler: &handler)
        session.take(Outbox.pongBacklogBytes + 1)
        expectEqual(contents(of: session.outbox.bytes), wire([closeFrame(1000)], sentBy: role))
    }

    @Test(
        "an endpoint that does not answer pings still reports them and answers a close frame", arguments: Role.allCases)
    func noPongs(role: Role) throws {
        var session = Session(role: role, limits: .client, maskingKeys: countingKeys(), answersPings: false)
        var handler = RecordingHandler()
        try session.receive(wire([frame(0x89, "ping")], receivedBy: role), handler: &handler)
        expectEqual(handler.events, [.ping(Array("ping".utf8))])
        expectEqual(contents(of: session.outbox.bytes), [])
        try session.receive(wire([closeFrame(1000)], receivedBy: role), handler: &handler)
        expectEqual(contents(of: session.outbox.bytes), wire([closeFrame(1000)], sentBy: role))
    }

    private func backloggedSession(_ role: Role) -> Session {
        var session = Session(role: role, limits: .client, maskingKeys: countingKeys())
        session.outbox.bytes.append(String(repeating: "x", count: Outbox.pongBacklogBytes + 1))
        return session
    }
}

extension Session {
    /// Removes bytes from the front of the outbox, as a socket does.
    fileprivate mutating func take(_ count: Int) {
        outbox.bytes.consume(count)
        outbox.bytesWereTaken()
    }
}

extension Outbox {
    /// Sends a string as a text message.
    @discardableResult
    mutating func sendText(_ text: String) -> Bool {
        send(Array(text.utf8).span.bytes, as: .text)
    }

    /// Sends a ping with a string as its payload.
    @discardableResult
    mutating func ping(_ text: String) -> Bool {
        sendPing(Array(text.utf8).span.bytes)
    }

    /// Sends a pong with a string as its payload.
    @discardableResult
    mutating func pong(_ text: String) -> Bool {
        sendPong(Array(text.utf8).span.bytes)
    }
}

/// Records the frames that are sent.
private final class RecordingObserver: SentFrameObserver {
    var headers: [FrameHeader] = []
    var payloads: [String] = []

    func sent(_ header: FrameHeader, payload: RawSpan) {
        headers.append(header)
        payloads.append(String(decoding: bytes(of: payload), as: UTF8.self))
    }
}
