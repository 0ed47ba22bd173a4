import Conversation
import Testing
import WSCore

@testable import Listen
@testable import Peer
@testable import UserInterface

@Suite struct FaultsTests {
    @Test("Requests are rejected as often as requested")
    func rejections() throws {
        let request = RequestHead(method: "GET", target: "/", fields: HTTPFields([]))
        try withFaults {
            $0.faults.rejection = Rejection(status: 503, count: 1)
        } _: { faults, _, _ in
            let policy = try ServerPolicy()
            let refusal = faults.rejection(of: request, policy: policy)
            #expect(refusal?.status == 503 && refusal?.reason == "This server rejects requests (--reject).")
            #expect(faults.rejection(of: request, policy: policy) == nil)
        }
    }

    @Test("A client has a gate with delays or drops, and in a replay")
    func gates() throws {
        try withFaults { _ in
        } _: { faults, _, _ in
            #expect(!faults.useGates && faults.makeGate(ofClient: 1) == nil)
        }
        try withFaults {
            $0.faults.dropRate = 0.5
        } _: { faults, _, _ in
            #expect(faults.makeGate(ofClient: 1) != nil)
        }
        try withFaults {
            $0.mode = .replay(path: "x")
        } _: { faults, _, _ in
            #expect(faults.useGates)
        }
    }

    @Test(
        "In a relay, faults affect the messages of the chosen side",
        arguments: [(nil, true, true), (.server, true, false), (.client, false, true)] as [(RelaySide?, Bool, Bool)])
    func sides(side: RelaySide?, affectsClient: Bool, affectsServer: Bool) throws {
        try withFaults {
            $0.mode = .relay(RelayMode(server: ClientArguments()))
            $0.faults.dropRate = 1
            $0.faults.side = side
        } _: { faults, host, _ in
            #expect(faults.makeGate(ofClient: 1)?.letsThrough(.message(.text), RawSpan()) == !affectsClient)
            let gate = faults.makeServerGate(ofClient: 1, host: host)
            #expect(gate?.letsThrough(.message(.text), RawSpan()) ?? true == !affectsServer)
        }
    }

    @Test("A dropped message is not sent, and --verbose reports it")
    func drops() throws {
        try withFaults {
            $0.faults.dropRate = 1
            $0.transcript.verbosity = 1
        } _: { faults, host, diagnostics in
            let client = host.add(1, of: faults)
            #expect(!client.letsThrough(.message(.text), "abc"))
            // Control frames are not messages.
            #expect(client.letsThrough(.ping) && client.letsThrough(.pong))
            #expect(diagnostics.take() == ["Client 1: dropped a message of 3 B"])
        }
    }

    @Test("A message is delayed, and later ones do not overtake it")
    func delays() throws {
        try withFaults {
            $0.faults.delay = .milliseconds(20) ... .milliseconds(20)
            $0.transcript.verbosity = 1
        } _: { faults, host, diagnostics in
            let client = host.add(1, of: faults)
            let begin = faults.loop.now
            #expect(!client.letsThrough(.message(.text), "a"))
            #expect(!client.letsThrough(.ping, "b"))
            #expect(client.gate?.isHolding ?? false)
            faults.loop.turn { client.sent.count == 2 }
            #expect(client.sent == ["text a", "ping b"])
            #expect(faults.loop.now - begin >= .milliseconds(20))
            #expect(client.gate?.isHolding == false)
            #expect(diagnostics.take() == ["Client 1: delayed a message of 1 B by 20 ms"])
        }
    }

    @Test("Items that are due wait for room in the client's queue")
    func room() throws {
        try withFaults {
            $0.faults.delay = .milliseconds(1) ... .milliseconds(1)
        } _: { faults, host, _ in
            let client = host.add(1, of: faults)
            client.isFull = true
            #expect(!client.letsThrough(.message(.text)))
            for _ in 0..<3 { faults.loop.runOnce() }
            client.isFull = false
            client.gate?.resume()
            faults.loop.turn { client.sent == ["text "] }
        }
    }

    @Test("A full gate pauses the client whose messages it answers until it is half empty")
    func fullEcho() throws {
        try withFaults {
            $0.mode = .echo
            $0.faults.delay = .milliseconds(5) ... .milliseconds(5)
        } _: { faults, host, _ in
            let client = host.add(1, of: faults)
            fill(client)
            #expect(client.hasFullGate && client.pauseReasons == .gate)
            #expect(!faults.holdInput && !faults.holdBroadcasts)
            faults.loop.turn { !client.hasFullGate }
            #expect(client.pauseReasons == [] && client.gateDrainCount == 1)
        }
    }

    @Test("A full gate pauses the input of broadcasts, and other clients with --broadcast")
    func fullForAll() throws {
        for mode in [ListenMode.conversation, .broadcast(.all)] {
            try withFaults {
                $0.mode = mode
                $0.faults.delay = .seconds(60) ... .seconds(60)
            } _: { faults, host, _ in
                #expect(faults.areForAll)
                let client = host.add(1, of: faults)
                fill(client)
                #expect(faults.holdInput && faults.holdBroadcasts == (mode == .broadcast(.all)))
                #expect(client.pauseReasons == [])
                // A client that leaves does not block others.
                client.gate?.cancel()
                #expect(!faults.holdInput && !faults.holdBroadcasts && host.drainCount == 1)
            }
        }
    }

    @Test("The program checks a full gate of its client itself")
    func fullProgram() throws {
        try withFaults {
            $0.mode = .exec(["cat"])
            $0.faults.delay = .milliseconds(5) ... .milliseconds(5)
        } _: { faults, host, _ in
            let client = host.add(1, of: faults)
            fill(client)
            #expect(!faults.areForAll && !faults.holdInput && client.pauseReasons == [])
            faults.loop.turn { !client.hasFullGate }
            #expect(client.gateDrainCount == 1)
        }
    }

    @Test("A client with a full queue does not block broadcasts")
    func slowReader() throws {
        try withFaults {
            $0.faults.delay = .milliseconds(1) ... .milliseconds(1)
        } _: { faults, host, _ in
            let client = host.add(1, of: faults)
            #expect(!client.letsThrough(.message(.text)))
            host.fillsClients = true
            faults.loop.turn { host.holdCount > 0 }
            #expect(client.sent == ["text "])
        }
    }

    @Test("--close-after with a number closes after that many messages")
    func closeAfterMessages() throws {
        try withFaults {
            $0.faults.closeLimit = .messages(2)
        } _: { faults, host, _ in
            let gate = try #require(host.add(1, of: faults).gate)
            #expect(!gate.countAnswered() && !gate.ignoresClient)
            #expect(gate.countAnswered() && gate.ignoresClient)
        }
        try withFaults {
            $0.faults.dropRate = 1
        } _: { faults, host, _ in
            #expect(host.add(1, of: faults).gate?.countAnswered() == false)
        }
    }

    @Test("--close-after with a duration closes then, and nothing follows the close frame")
    func closeAfterTime() throws {
        try withFaults {
            $0.faults.closeLimit = .time(.milliseconds(10))
            $0.faults.closeFrame.closeReason = "over"
        } _: { faults, host, _ in
            let client = host.add(1, of: faults)
            client.isFull = true
            faults.loop.turn { client.isClosing }
            #expect(client.sent == ["close 1012 over"] && !client.answersPings)
            #expect(!client.takesMessages && !client.letsThrough(.message(.text)))
            #expect(client.gate?.ignoresClient ?? false)
        }
    }

    @Test("A close event without a code sends nothing, and nothing follows a sent close frame")
    func closeFrames() throws {
        try withFaults {
            $0.faults.dropRate = 1
        } _: { faults, host, _ in
            let client = host.add(1, of: faults)
            #expect(!client.letsThrough(.close(nil)) && client.takesMessages)
            #expect(client.letsThrough(.close(CloseFrame(code: .normalClosure))))
            #expect(!client.takesMessages && !client.letsThrough(.ping))
        }
    }

    private func fill(_ client: FakeClient) {
        let message = [UInt8](repeating: 0, count: 1 << 20)
        for _ in 0..<17 { _ = client.letsThrough(.message(.binary), message.span.bytes, nil, after: .zero) }
    }

    private func withFaults(
        _ change: (inout ListenArguments) -> Void, _ body: (Faults, FakeFaultHost, ReadableDiagnostics) throws -> Void
    ) throws {
        var arguments = ListenArguments()
        change(&arguments)
        let diagnostics = try ReadableDiagnostics()
        let faults = Faults(arguments, diagnostics: diagnostics.diagnostics, on: try EventLoop())
        let host = FakeFaultHost()
        faults.host = host
        try body(faults, host, diagnostics)
    }
}

/// A server with clients that have gates.
private final class FakeFaultHost: FaultHost {
    var clients: [Int: FakeClient] = [:]
    var holdCount = 0
    var drainCount = 0
    /// Whether a client's queue is full after any item.
    var fillsClients = false

    func add(_ number: Int, of faults: Faults) -> FakeClient {
        let client = FakeClient(number)
        clients[number] = client
        client.gate = faults.makeGate(ofClient: number)
        return client
    }

    func gatedConnection(of client: Int) -> (any GatedConnection)? { clients[client] }

    func sendDue(_ item: InputItem, _ payload: RawSpan, _ mark: MessageMark?, for number: Int) {
        guard let client = clients[number] else { return }
        switch item {
        case .message(let kind): _ = client.send(payload, as: kind)
        case .ping: _ = client.sendPing(payload)
        case .pong: _ = client.sendPong(payload)
        case .close(let frame?), .end(let frame): _ = client.close(frame)
        case .close(nil): break
        }
        if fillsClients { client.isFull = true }
    }

    func waitForSlowReaders() { holdCount += 1 }
    func gatesDidDrain() { drainCount += 1 }
}
