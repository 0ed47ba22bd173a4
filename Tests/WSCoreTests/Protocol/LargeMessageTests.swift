import SessionSupport
import TestSupport
import Testing

@testable import WSCore

@Suite struct LargeMessageTests {
    private static let payload = noise(1, byteCount: SharedBytes.largeMessageBytes + 5)

    private static func session(_ role: Role, fragmentBytes: Int? = nil) -> Session {
        Session(role: role, limits: .client, maskingKeys: countingKeys(), fragmentBytes: fragmentBytes)
    }

    @Test("a server sends a large message back without copying it")
    func echo() throws {
        var session = Self.session(.server)
        var handler = Echo()
        try receive(frame(0x82, Self.payload), by: &session, handler: &handler)
        let (queuedBytes, ownBytes) = (session.outbox.queuedBytes, session.outbox.bytes.count)
        expectEqual(ownBytes, 0)
        expectEqual(queuedBytes, Self.payload.count + 10)
        let sent = takeContents(of: &session.outbox)
        expectEqual(sent, frame(0x82, Self.payload))
        session.outbox.bytesWereTaken()
        expectNil(session.outbox.queue)
    }

    @Test("frames before and after a large message stay in order", arguments: Role.allCases)
    func order(role: Role) throws {
        var session = Self.session(role)
        var handler = Echo(sendsMore: true)
        for payload in [[1], Self.payload, [2]] {
            try receive(frame(0x82, payload), by: &session, handler: &handler)
        }
        let answers = [[1], Self.payload, [2]].flatMap { payload in
            [
                frame(0x81, "before"), frame(0x82, payload), frame(0x82, Array(payload.dropFirst())),
                frame(0x81, "after"),
            ]
        }
        let sent = takeContents(of: &session.outbox)
        expectEqual(sent, wire(answers, sentBy: role))
    }

    @Test("a large message is copied if it is divided into fragments")
    func fragments() throws {
        var session = Self.session(.server, fragmentBytes: Self.payload.count - 1)
        var handler = Echo()
        try receive(frame(0x82, Self.payload), by: &session, handler: &handler)
        let sent = takeContents(of: &session.outbox)
        expectEqual(sent, frame(0x02, Self.payload.dropLast()) + frame(0x80, Self.payload.suffix(1)))
    }

    @Test("a handler that does not answer leaves nothing in the outbox")
    func silence() throws {
        var session = Self.session(.server)
        var handler = RecordingHandler()
        try receive(frame(0x82, Self.payload), by: &session, handler: &handler)
        expectEqual(handler.events, [.binary(Self.payload)])
        expectNil(session.outbox.queue)
    }

    @Test("the storage of a message grows with the received bytes, not with the announced ones")
    func growth() throws {
        // No storage of this size is ever kept, whatever other tests do at the same time.
        let announcedBytes = LargeStorage.maximumKeptBytes + 1
        let limits = Limits(maximumMessageBytes: announcedBytes)
        var session = Session(role: .client, limits: limits, maskingKeys: countingKeys())
        var handler = RecordingHandler()
        try session.receive(header(0x82, payloadBytes: announcedBytes)[...], handler: &handler)
        let piece = [UInt8](repeating: 0, count: 50_000)
        for count in 1...20 {
            try session.receive(piece[...], handler: &handler)
            let storageBytes = session.receiver.partial?.message.storageBytes ?? 0
            #expect(storageBytes <= 2 * count * piece.count * 5 / 4)
        }
    }

    @Test("without a limit, a message of up to 2^63 - 1 bytes is received, and does not end the process")
    func unlimited() throws {
        var session = Session(
            role: .client, limits: Limits(maximumMessageBytes: .max), maskingKeys: countingKeys())
        var handler = RecordingHandler()
        try session.receive(header(0x02, payloadBytes: 1)[...] + [0x61], handler: &handler)
        try session.receive(header(0x80, payloadBytes: .max - 1)[...], handler: &handler)
        for _ in 0..<3 { try session.receive([UInt8](repeating: 0, count: 70_000)[...], handler: &handler) }
        expectEqual(session.receiver.progress, MessageProgress(bytes: 210_001, totalBytes: .max))
    }

    @Test("the storage of a message does not exceed its announced size by more than a quarter")
    func announced() throws {
        var session = Session(role: .client, limits: .client, maskingKeys: countingKeys())
        var handler = RecordingHandler()
        let announcedBytes = 333_333
        try session.receive(header(0x82, payloadBytes: announcedBytes)[...], handler: &handler)
        try session.receive([UInt8](repeating: 0, count: announcedBytes - 1)[...], handler: &handler)
        let storageBytes = session.receiver.partial?.message.storageBytes ?? 0
        #expect(storageBytes <= announcedBytes * 5 / 4)
    }

    @Test("a message in many fragments is not copied for each of them")
    func fragmentedGrowth() throws {
        var session = Session(role: .client, limits: .client, maskingKeys: countingKeys())
        var handler = RecordingHandler()
        var storages: Set<Int> = []
        for number in 0..<100 {
            // Each fragment arrives in two pieces.
            let fragment = frame(number == 0 ? 0x02 : 0x00, [UInt8](repeating: 0, count: 10_000))
            try session.receive(fragment[..<5000], handler: &handler)
            try session.receive(fragment[5000...], handler: &handler)
            storages.insert(session.receiver.partial?.message.storageBytes ?? 0)
        }
        #expect(storages.count < 12)
    }

    /// Passes a frame to the session in pieces, as a stream does.
    private func receive<Handler: SessionHandler>(
        _ frame: [UInt8], by session: inout Session, handler: inout Handler
    ) throws(ProtocolError) {
        let bytes = wire([frame], receivedBy: session.outbox.role)
        for start in stride(from: 0, to: bytes.count, by: 50_000) {
            try session.receive(bytes[start..<min(bytes.count, start + 50_000)], handler: &handler)
        }
    }
}

/// Sends each message back.
private struct Echo: SessionHandler {
    /// Whether to send other messages before and after it, and the message without its first byte.
    var sendsMore = false

    mutating func received(_ payload: RawSpan, as kind: MessageKind, outbox: inout Outbox) {
        if sendsMore { outbox.send("before".utf8Span.span.bytes, as: .text) }
        outbox.send(payload, as: kind)
        if sendsMore {
            outbox.send(payload.extracting(droppingFirst: 1), as: kind)
            outbox.send("after".utf8Span.span.bytes, as: .text)
        }
    }

    mutating func receivedPing(_ payload: RawSpan, outbox: inout Outbox) {}
    mutating func receivedPong(_ payload: RawSpan, outbox: inout Outbox) {}
    mutating func receivedClose(_ frame: CloseFrame, outbox: inout Outbox) {}
}
