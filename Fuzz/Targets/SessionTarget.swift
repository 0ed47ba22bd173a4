import SessionSupport
import WSCore

extension FuzzTarget {
    /// A client and a server session. The input determines who sends which messages, and how the bytes are split.
    ///
    /// - Each end receives the other's messages, pings, pongs, and close frame completely and in order, for all sizes
    ///   of
    ///   fragments and pieces, and with every kind of compression.
    /// - Neither end reports a violation by the other.
    /// - Each ping is answered. If many are pending, at least the latest is.
    /// - After either end has closed, both complete the closing handshake.
    static let session = FuzzTarget(name: "session") { input in
        var choices = ChoiceReader(input)
        var pair = SessionPair(&choices)
        while !choices.isAtEnd, pair.saidBytes < 1 << 20 { pair.act(&choices) }
        pair.deliverAll()
        pair.check()
    }
}

/// Records what an end sends and receives, and echoes messages if requested.
private struct EndHandler: SessionHandler {
    var echoesMessages = false
    /// The events this end has sent, except for answers to pings.
    var said: [SessionEvent] = []
    var saidBytes = 0
    /// The events this end has received, except for answers to pings.
    var heard: [SessionEvent] = []
    var pings: [[UInt8]] = []
    var answers: [[UInt8]] = []

    mutating func received(_ payload: RawSpan, as kind: MessageKind, outbox: inout Outbox) {
        heard.append(.message(kind, bytes(of: payload)))
        guard echoesMessages, outbox.send(payload, as: kind) else { return }
        said.append(.message(kind, bytes(of: payload)))
        saidBytes += payload.byteCount
    }

    mutating func receivedPing(_ payload: RawSpan, outbox: inout Outbox) {
        heard.append(.ping(bytes(of: payload)))
        pings.append(bytes(of: payload))
    }

    mutating func receivedPong(_ payload: RawSpan, outbox: inout Outbox) {
        if payload.byteCount > 0, payload.unsafeLoad(as: UInt8.self) == SessionPair.pingMark {
            answers.append(bytes(of: payload))
        } else {
            heard.append(.pong(bytes(of: payload)))
        }
    }

    mutating func receivedClose(_ frame: CloseFrame, outbox: inout Outbox) {
        heard.append(.close(frame))
        expect(outbox.isSendingOver, "a close frame was not answered")
        // The session itself has queued the answer.
        if let sent = outbox.closeFrame, !outbox.hasStartedClosing { said.append(.close(sent)) }
    }
}

/// One end of the connection.
private struct End: ~Copyable {
    var session: Session
    var handler = EndHandler()
    /// Whether the backlog has exceeded the limit up to which pings are answered one by one.
    var hadBacklog = false

    init(_ role: Role, _ choices: inout ChoiceReader, deflate: DeflateParameters?, memory: DeflateMemory) {
        let codec = deflate.map { memory.makeCodec(for: $0, role: role) }
        let fragmentBytes = [nil, 1, 2, 125, 126, 1000, 65_535, 65_536][Int(choices.byte() & 7)]
        session = Session(
            role: role, limits: Limits(maximumFragments: .max), maskingKeys: seededKeys(),
            fragmentBytes: fragmentBytes, compressor: codec?.compressor, decompressor: codec?.decompressor)
    }

    mutating func send(_ payload: [UInt8], as kind: MessageKind) {
        guard session.outbox.send(payload.span.bytes, as: kind) else { return }
        handler.said.append(.message(kind, payload))
        handler.saidBytes += payload.count
    }

    mutating func sendPing(_ payload: [UInt8]) {
        if session.outbox.sendPing(payload.span.bytes) { handler.said.append(.ping(payload)) }
    }

    mutating func sendPong(_ payload: [UInt8]) {
        if session.outbox.sendPong(payload.span.bytes) { handler.said.append(.pong(payload)) }
    }

    mutating func sendClose(_ frame: CloseFrame) {
        if session.outbox.sendClose(frame) { handler.said.append(.close(frame)) }
    }

    /// Takes up to `maximum` bytes that wait to be written.
    mutating func takeBytes(atMost maximum: Int) -> [UInt8] {
        if session.outbox.bytes.count > Outbox.pongBacklogBytes { hadBacklog = true }
        let taken = session.outbox.bytes.withReadableBytes { bytes(of: $0.extracting(first: maximum)) }
        session.outbox.bytes.consume(taken.count)
        session.outbox.bytesWereTaken()
        return taken
    }

    mutating func receive(_ bytes: [UInt8]) {
        do throws(ProtocolError) {
            try session.receive(bytes, handler: &handler)
        } catch {
            unexpected("one end reports a violation by the other: \(error)")
        }
        if session.outbox.bytes.count > Outbox.pongBacklogBytes { hadBacklog = true }
    }
}

/// Both ends, and the wire between them.
private struct SessionPair: ~Copyable {
    /// The first byte of each ping's payload, which distinguishes answers from other pongs.
    static let pingMark: UInt8 = 0xFF

    var client: End
    var server: End
    private var random = SeededRandom(seed: 2)
    private let deflateMemory = DeflateMemory()

    init(_ choices: inout ChoiceReader) {
        let setting = choices.byte()
        let deflate = setting & 2 == 0 ? nil : Self.agreement(setting, choices.byte())
        client = End(.client, &choices, deflate: deflate, memory: deflateMemory)
        server = End(.server, &choices, deflate: deflate, memory: deflateMemory)
        server.handler.echoesMessages = setting & 1 == 1
    }

    /// The result of negotiation between a client and a server with these preferences.
    private static func agreement(_ setting: UInt8, _ wishes: UInt8) -> DeflateParameters {
        let client = DeflatePreferences(windowBits: 8 + Int(wishes & 7), keepsContext: setting & 4 == 0)
        let server = DeflatePreferences(windowBits: 8 + Int(wishes >> 4 & 7), keepsContext: setting & 8 == 0)
        // wsx mentions 8 bits only if the peer does, but other implementations may do so.
        let smallest = ExtensionOffer(
            name: DeflateParameters.extensionName,
            parameters: [.init("server_max_window_bits", "8"), .init("client_max_window_bits", "8")])
        let offer = wishes & 7 == 0 ? smallest : client.offer
        do throws(DeflateNegotiationError) {
            guard let (parameters, answer) = server.accept([offer]),
                let agreed = try DeflateAnswer.parameters(in: [answer], to: [offer])
            else { unexpected("the server declined") }
            expectEqual(parameters, agreed, "the parameters at both ends")
            return agreed
        } catch {
            unexpected("the client refused the answer: \(error)")
        }
    }

    var saidBytes: Int { client.handler.saidBytes + server.handler.saidBytes }

    /// Performs the next action of the input.
    mutating func act(_ choices: inout ChoiceReader) {
        let choice = choices.byte()
        if choice & 0x40 != 0 { _ = deflateMemory.releaseIdle() }
        if choice & 0x80 == 0 {
            Self.act(choice, &choices, from: &client, to: &server, &random)
        } else {
            Self.act(choice, &choices, from: &server, to: &client, &random)
        }
    }

    private static func act(
        _ choice: UInt8, _ choices: inout ChoiceReader, from end: inout End, to other: inout End,
        _ random: inout SeededRandom
    ) {
        switch choice & 7 {
        case 0: end.send(text(of: size(&choices)), as: .text)
        case 1: end.send((0..<size(&choices)).map { _ in UInt8(truncatingIfNeeded: random.next()) }, as: .binary)
        case 2: end.sendPing([pingMark] + text(of: Int(choices.byte() & 0x7F)))
        case 3: end.sendPong(text(of: Int(choices.byte() & 0x7F)))
        case 4: end.sendClose(closeFrame(&choices))
        case 5, 6: other.receive(end.takeBytes(atMost: Int(choices.byte())))
        default: other.receive(end.takeBytes(atMost: .max))
        }
    }

    /// A size around the values at which the frame header changes.
    private static func size(_ choices: inout ChoiceReader) -> Int {
        let byte = Int(choices.byte())
        return byte < 200 ? byte : [125, 126, 65_535, 65_536, 1000, 100_000, 4096, 32_768][byte & 7]
    }

    private static func text(of byteCount: Int) -> [UInt8] {
        let unit = Array("aé水🎈".utf8)
        let text = (0..<byteCount / unit.count).flatMap { _ in unit }
        return text + [UInt8](repeating: UInt8(ascii: "."), count: byteCount - text.count)
    }

    private static func closeFrame(_ choices: inout ChoiceReader) -> CloseFrame {
        let code = UInt16(choices.byte()) << 8 | UInt16(choices.byte())
        return CloseFrame(
            code: CloseCode(rawValue: code), reason: String(decoding: text(of: Int(choices.byte())), as: UTF8.self))
    }

    /// Delivers everything that has been sent.
    mutating func deliverAll() {
        while !client.session.outbox.bytes.isEmpty || !server.session.outbox.bytes.isEmpty {
            server.receive(client.takeBytes(atMost: .max))
            client.receive(server.takeBytes(atMost: .max))
        }
    }

    func check() {
        Self.check(client, server)
        Self.check(server, client)
    }

    private static func check(_ speaker: borrowing End, _ listener: borrowing End) {
        let said = speaker.handler.said
        let heard = listener.handler.heard
        for (index, (left, right)) in zip(said, heard).enumerated() {
            expect(left == right, "item \(index) arrived as another one")
        }
        expectEqual(said.count, heard.count, "the number of items sent and received")
        expectEqual(speaker.session.closing.sent, listener.session.closing.received, "the close frame")
        let hasClosed = speaker.session.closing.sent != nil || listener.session.closing.sent != nil
        expectEqual(speaker.session.closing.isComplete, hasClosed, "whether the closing handshake is complete")
        checkAnswers(of: speaker, to: listener)
    }

    /// Checks how `speaker` answered the pings of `listener`.
    private static func checkAnswers(of speaker: borrowing End, to listener: borrowing End) {
        let pings = speaker.handler.pings
        let answers = listener.handler.answers
        var rest = pings[...]
        for answer in answers {
            guard let index = rest.firstIndex(of: answer) else { unexpected("a pong answers no ping, or out of order") }
            rest = rest[(index + 1)...]
        }
        // After an end has closed, answers to it no longer count.
        guard listener.session.closing.sent == nil else { return }
        expectEqual(answers.last, pings.last, "the answer to the latest ping")
        if !speaker.hadBacklog { expectEqual(answers.count, pings.count, "the number of answers to pings") }
    }
}
