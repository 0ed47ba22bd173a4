import SessionSupport
import TestSupport
import Testing
import WSCore

@Suite struct SessionTests {
    @Test(
        "RFC 6455 §6: everything one endpoint sends is received by the other, however the bytes are split",
        arguments: UInt64(1)...4)
    func roundTrip(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let fragmentBytes = [nil, 1, 7, 125, 1000].randomElement(using: &random) ?? nil
        var client = End(.client, fragmentBytes: fragmentBytes)
        var server = End(.server, fragmentBytes: fragmentBytes)
        for _ in 0..<40 {
            client.sendSomething(using: &random)
            server.sendSomething(using: &random)
            try deliver(from: &client, to: &server, using: &random)
            try deliver(from: &server, to: &client, using: &random)
        }
        client.close(CloseFrame(code: .normalClosure, reason: "done"))
        var isAnythingLeft = true
        while isAnythingLeft {
            let isFromClient = try deliver(from: &client, to: &server, using: &random)
            let isFromServer = try deliver(from: &server, to: &client, using: &random)
            isAnythingLeft = isFromClient || isFromServer
        }
        let (clientSent, serverReceived) = (client.sent, server.received)
        expectEqual(serverReceived, clientSent)
        let (serverSent, clientReceived) = (server.sent, client.receivedWithoutPongs)
        expectEqual(clientReceived, serverSent + [.close(1000)])
        // Not every ping has a pong: with a large backlog, only the latest is answered (§5.5.3).
        var pings = client.pings[...]
        let areInOrder = client.pongs.allSatisfy { pong in
            guard let index = pings.firstIndex(of: pong) else { return false }
            pings = pings[(index + 1)...]
            return true
        }
        expectTrue(areInOrder)
        let (clientClosing, serverClosing) = (client.session.closing, server.session.closing)
        #expect(clientClosing.isComplete && serverClosing.isComplete)
        #expect(clientClosing.wasStartedHere && !serverClosing.wasStartedHere)
    }

    @Test("RFC 6455 §5.5: a handler's output follows the answers to earlier frames", arguments: Role.allCases)
    func handlerSends(role: Role) throws {
        var session = Session(role: role, limits: .client, maskingKeys: countingKeys())
        var handler = EchoHandler()
        let frames = [frame(0x89, "1"), frame(0x81, "two"), frame(0x89, "3"), frame(0x82, [4]), closeFrame(1000)]
        try session.receive(wire(frames, receivedBy: role), handler: &handler)
        let answers = [frame(0x8A, "1"), frame(0x81, "two"), frame(0x8A, "3"), frame(0x82, [4]), closeFrame(1000)]
        expectEqual(contents(of: session.outbox.bytes), wire(answers, sentBy: role))
    }

    @Test("RFC 6455 §5.5.1: messages a handler sends after the close frame are discarded", arguments: Role.allCases)
    func handlerSendsAfterClose(role: Role) throws {
        var session = Session(role: role, limits: .client, maskingKeys: countingKeys())
        var handler = EchoHandler(sendsOnClose: true)
        try session.receive(wire([closeFrame(1000)], receivedBy: role), handler: &handler)
        expectEqual(contents(of: session.outbox.bytes), wire([closeFrame(1000)], sentBy: role))
    }

    @Test(
        "RFC 6455 §7.1.7: input after a violation is ignored without a second report", arguments: Role.allCases)
    func ignoredAfterViolation(role: Role) throws {
        var session = Session(role: role, limits: .client, maskingKeys: countingKeys())
        var handler = RecordingHandler()
        #expect(throws: ProtocolError.invalidText) {
            try session.receive(wire([frame(0x81, [0xFF])], receivedBy: role), handler: &handler)
        }
        try session.receive(wire([frame(0x81, "late"), frame(0x83)], receivedBy: role), handler: &handler)
        expectEqual(handler.events, [])
    }
}

/// Echoes every message.
struct EchoHandler: SessionHandler {
    var sendsOnClose = false

    mutating func received(_ payload: RawSpan, as kind: MessageKind, outbox: inout Outbox) {
        outbox.send(payload, as: kind)
    }
    mutating func receivedPing(_ payload: RawSpan, outbox: inout Outbox) {}
    mutating func receivedPong(_ payload: RawSpan, outbox: inout Outbox) {}
    mutating func receivedClose(_ frame: CloseFrame, outbox: inout Outbox) {
        if sendsOnClose { outbox.sendText("late") }
    }
}

/// An endpoint with the events it has sent and received.
private struct End: ~Copyable {
    var session: Session
    var handler = RecordingHandler()
    var sent: [Event] = []
    private(set) var pings: [Event] = []

    init(_ role: Role, fragmentBytes: Int?) {
        session = Session(role: role, limits: .client, maskingKeys: countingKeys(), fragmentBytes: fragmentBytes)
    }

    var received: [Event] { handler.events }
    var receivedWithoutPongs: [Event] { handler.events.filter { !Self.isPong($0) } }
    var pongs: [Event] { handler.events.filter(Self.isPong) }

    /// Sends some messages and control frames. Only the client sends pings and unsolicited pongs, so the test can tell
    /// answers from other events.
    mutating func sendSomething(using random: inout SeededRandom) {
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let isClient = session.outbox.role == .client
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                let count = Int.random(in: 0...[3, 130, 2000].randomElement(using: &random)!, using: &random)
                let scalars = (0..<count).map { _ in "aé€🦜".unicodeScalars.randomElement(using: &random)! }
                var text = String.UnicodeScalarView()
                text.append(contentsOf: scalars)
                session.outbox.sendText(String(text))
                sent.append(.text(String(text)))
            case 4..<8:
                let limit = [3, 130, 130, 1000, 70_000].randomElement(using: &random) ?? 3
                let payload = randomBytes(Int.random(in: 0...limit, using: &random), using: &random)
                session.outbox.send(payload.span.bytes, as: .binary)
                sent.append(.binary(payload))
            case 8 where isClient:
                let payload = randomBytes(Int.random(in: 0...125, using: &random), using: &random)
                session.outbox.sendPing(payload.span.bytes)
                sent.append(.ping(payload))
                pings.append(.pong(payload))
            case 9 where isClient:
                let payload = randomBytes(Int.random(in: 0...125, using: &random), using: &random)
                session.outbox.sendPong(payload.span.bytes)
                sent.append(.pong(payload))
            default: break
            }
        }
    }

    mutating func close(_ frame: CloseFrame) {
        session.outbox.sendClose(frame)
        sent.append(.close(frame))
    }

    /// Removes part of the outbox, as a socket would.
    mutating func takeSome(using random: inout SeededRandom) -> [UInt8] {
        let all = contents(of: session.outbox.bytes)
        let limit = [1, 20, 5000, 200_000].randomElement(using: &random) ?? 1
        let count = min(all.count, Int.random(in: 0...limit, using: &random) + (all.isEmpty ? 0 : 1))
        session.outbox.bytes.consume(count)
        session.outbox.bytesWereTaken()
        return Array(all[..<count])
    }

    mutating func receive(_ bytes: [UInt8]) throws(ProtocolError) {
        try session.receive(bytes, handler: &handler)
    }

    private func randomBytes(_ count: Int, using random: inout SeededRandom) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    private static func isPong(_ event: Event) -> Bool {
        if case .pong = event { true } else { false }
    }
}

/// Carries some of one endpoint's output to the other. Returns whether there was any.
@discardableResult
private func deliver(from sender: inout End, to receiver: inout End, using random: inout SeededRandom) throws -> Bool {
    var wasAny = false
    for _ in 0..<10 {
        let bytes = sender.takeSome(using: &random)
        wasAny = wasAny || !bytes.isEmpty
        try receiver.receive(bytes)
    }
    return wasAny
}
