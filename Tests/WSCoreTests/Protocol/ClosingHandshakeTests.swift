import SessionSupport
import TestSupport
import Testing
import WSCore

@Suite struct ClosingHandshakeTests {
    private let bye = CloseFrame(code: .goingAway, reason: "bye")

    @Test("RFC 6455 §7.1: a new connection has not started the closing handshake", arguments: Role.allCases)
    func open(role: Role) {
        let closing = session(role).closing
        expectEqual(closing, ClosingHandshake())
        expectFalse(closing.isComplete)
    }

    @Test(
        "RFC 6455 §7.1.2: a closing handshake started here is complete when the peer answers", arguments: Role.allCases)
    func startedHere(role: Role) throws {
        var session = session(role)
        var handler = RecordingHandler()
        session.outbox.sendClose(bye)
        var closing = session.closing
        #expect(closing.sent == bye && closing.received == nil)
        #expect(closing.wasStartedHere && !closing.isComplete)

        try session.receive(wire([closeFrame(1001)], receivedBy: role), handler: &handler)
        closing = session.closing
        #expect(closing.sent == bye && closing.received == CloseFrame(code: .goingAway))
        #expect(closing.wasStartedHere && closing.isComplete)
        expectEqual(handler.events, [.close(1001)])
        expectEqual(contents(of: session.outbox.bytes), wire([closeFrame(1001, "bye")], sentBy: role))
    }

    @Test("RFC 6455 §5.5.1: data the peer sends before its answer is still received", arguments: Role.allCases)
    func dataBeforeAnswer(role: Role) throws {
        var session = session(role)
        var handler = RecordingHandler()
        session.outbox.sendClose(bye)
        let bytes = wire([frame(0x81, "last words"), closeFrame(1001)], receivedBy: role)
        try session.receive(bytes, handler: &handler)
        expectEqual(handler.events, [.text("last words"), .close(1001)])
    }

    @Test(
        "RFC 6455 §7.1.2: a closing handshake started by the peer is complete when we answer", arguments: Role.allCases)
    func startedByPeer(role: Role) throws {
        var session = session(role)
        var handler = RecordingHandler()
        try session.receive(wire([closeFrame(3000, "done")], receivedBy: role), handler: &handler)
        let closing = session.closing
        expectEqual(closing.received, CloseFrame(code: CloseCode(rawValue: 3000), reason: "done"))
        expectEqual(closing.sent, CloseFrame(code: CloseCode(rawValue: 3000)))
        #expect(closing.isComplete && !closing.wasStartedHere)
        expectEqual(contents(of: session.outbox.bytes), wire([closeFrame(3000)], sentBy: role))
    }

    @Test("RFC 6455 §7.1: simultaneous closes complete the handshake at both ends with one close frame each")
    func simultaneous() throws {
        var client = session(.client)
        var server = session(.server)
        var handler = RecordingHandler()
        client.outbox.sendClose(CloseFrame(code: .normalClosure, reason: "client"))
        server.outbox.sendClose(CloseFrame(code: .goingAway, reason: "server"))
        let fromClient = contents(of: client.outbox.bytes)
        let fromServer = contents(of: server.outbox.bytes)
        try server.receive(fromClient, handler: &handler)
        try client.receive(fromServer, handler: &handler)
        expectEqual(handler.events, [.close(1000, "client"), .close(1001, "server")])
        expectEqual(contents(of: client.outbox.bytes), fromClient)
        expectEqual(contents(of: server.outbox.bytes), fromServer)
        let (clientClosing, serverClosing) = (client.closing, server.closing)
        #expect(clientClosing.isComplete && clientClosing.wasStartedHere)
        #expect(serverClosing.isComplete && serverClosing.wasStartedHere)
    }

    @Test(
        "RFC 6455 §7.1.7: a connection failed by a violation has sent a close frame but not received one",
        arguments: Role.allCases)
    func failed(role: Role) {
        var session = session(role)
        var handler = RecordingHandler()
        #expect(throws: ProtocolError.reservedOpcode(3)) {
            try session.receive(wire([frame(0x83)], receivedBy: role), handler: &handler)
        }
        let closing = session.closing
        expectEqual(closing.sent, CloseFrame(code: .protocolError, reason: "opcode 3 is reserved"))
        #expect(closing.received == nil && !closing.isComplete && closing.wasStartedHere)
    }

    @Test(
        "RFC 6455 §7.1.7: a violation after our close frame is reported without a second close frame",
        arguments: Role.allCases)
    func violationAfterClose(role: Role) {
        var session = session(role)
        var handler = RecordingHandler()
        session.outbox.sendClose(bye)
        #expect(throws: ProtocolError.invalidCloseCode(1005)) {
            try session.receive(wire([closeFrame(1005)], receivedBy: role), handler: &handler)
        }
        expectEqual(contents(of: session.outbox.bytes), wire([closeFrame(1001, "bye")], sentBy: role))
        let closing = session.closing
        expectFalse(closing.isComplete)
    }

    private func session(_ role: Role) -> Session {
        Session(role: role, limits: .client, maskingKeys: countingKeys())
    }
}
