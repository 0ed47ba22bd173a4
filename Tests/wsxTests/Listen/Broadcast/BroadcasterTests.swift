import Testing
import WSCore

@testable import Listen
@testable import Peer
@testable import UserInterface

@Suite struct BroadcasterTests {
    @Test("Input goes to each client, or to the one it names")
    func input() throws {
        try withBroadcaster { broadcaster, directory, diagnostics in
            broadcaster.received(input: .message(.text), Array("a".utf8).span.bytes, client: nil)
            broadcaster.received(input: .message(.binary), Array("b".utf8).span.bytes, client: 2)
            broadcaster.received(input: .ping, Array("c".utf8).span.bytes, client: nil)
            broadcaster.received(input: .pong, Array("d".utf8).span.bytes, client: 1)
            #expect(directory[1].sent == ["text a", "ping c", "pong d"])
            #expect(directory[2].sent == ["text a", "binary b", "ping c"])
            #expect(diagnostics.take() == [])
        }
    }

    @Test("A close event of the input closes clients, and is ignored without a code")
    func inputClose() throws {
        try withBroadcaster { broadcaster, directory, _ in
            broadcaster.received(input: .close(nil), RawSpan(), client: nil)
            broadcaster.received(input: .close(CloseFrame(code: .goingAway)), RawSpan(), client: 1)
            broadcaster.received(input: .message(.text), Array("x".utf8).span.bytes, client: nil)
            #expect(directory[1].sent == ["close 1001 "] && directory[2].sent == ["text x"])
        }
    }

    @Test("A client that is closed no longer keeps POST requests waiting")
    func postsAfterClose() throws {
        try withBroadcaster { broadcaster, directory, _ in
            directory[1].isFull = true
            #expect(broadcaster.count(of: .client(1)) == nil)
            broadcaster.close(slowReader: 1, because: "reads too slowly")
            #expect(directory.retryCount == 1 && broadcaster.count(of: .client(1)) == 0)
        }
    }

    @Test("Input for a departed client, and invalid input, is reported")
    func badInput() throws {
        try withBroadcaster { broadcaster, directory, diagnostics in
            broadcaster.received(input: .ping, RawSpan(), client: 9)
            directory[2].isClosing = true
            broadcaster.received(input: .ping, RawSpan(), client: 2)
            broadcaster.received(badInput: "input line 3", .notText)
            broadcaster.inputEnded(.accessDenied)
            broadcaster.inputEnded(.badDescriptor)
            #expect(
                diagnostics.take() == [
                    "wsx: input was not sent: there is no client 9",
                    "wsx: input was not sent: client 2 is being closed",
                    "wsx: input line 3 was not sent: \(InputProblem.notText)",
                    "wsx: reading standard input: \(IOError.accessDenied)",
                ])
            #expect(directory[2].sent == [])
        }
    }

    @Test("A typed message is sent and shown once, or the reason against it is returned")
    func typed() throws {
        try withBroadcaster { broadcaster, directory, diagnostics in
            let payload = Array("x".utf8)
            func send(_ item: InputItem, to client: Int?) -> DeliveryProblem? {
                broadcaster.send(typed: item, payload.span.bytes, to: client)
            }
            #expect(send(.message(.text), to: 1) == nil)
            #expect(diagnostics.take() == ["#1 → text      1 B  x"])
            #expect(send(.ping, to: nil) == nil)
            #expect(diagnostics.take() == ["→ ping      1 B  x"])
            #expect(send(.message(.text), to: nil) == nil)
            #expect(directory[1].sent == ["text x", "ping x", "text x"])
            #expect(send(.ping, to: 3) == .noClient(3))
            directory[1].isClosing = true
            #expect(send(.ping, to: 1) == .isClosing(1))
            #expect(send(.ping, to: nil) == nil)
            directory[2].isClosing = true
            #expect(send(.ping, to: nil) == .allAreClosing)
            directory.removeAll()
            #expect(send(.ping, to: nil) == .noClients)
            #expect(directory.connections.isEmpty)
        }
    }

    @Test("A client's message goes to all others, and a full queue pauses the client")
    func relay() throws {
        try withBroadcaster(3) { broadcaster, directory, _ in
            broadcaster.relay(Array("x".utf8).span.bytes, as: .text, from: directory[1])
            #expect(directory[1].sent == [] && directory[2].sent == ["text x"] && directory[3].sent == ["text x"])
            #expect(broadcaster.slowReaders.isEmpty)
            directory[3].isFull = true
            broadcaster.relay(RawSpan(), as: .text, from: directory[1])
            #expect(!broadcaster.slowReaders.isEmpty && directory[1].pauseReasons == .slowReader)
            directory[3].isFull = false
            broadcaster.slowReaders.clientDidDrain(3)
            #expect(directory[1].pauseReasons == [])
        }
    }

    @Test("A client that reads nothing while others wait is closed with 1013")
    func slowReader() throws {
        try withBroadcaster { broadcaster, directory, diagnostics in
            directory[2].isFull = true
            directory[2].unsentBytes = 100
            directory[1].hasUnreadBytes = true
            broadcaster.relay(RawSpan(), as: .text, from: directory[1])
            directory.loop.turn { directory[2].isClosing }
            #expect(directory[2].sent.last == "close 1013 reading too slowly")
            #expect(diagnostics.take() == ["Client 2 reads nothing and holds up the others: closed with 1013"])
            broadcaster.close(slowReader: 9, because: "has left")
            #expect(diagnostics.take() == [])
        }
    }

    @Test("With --drop each message passes through each client's gate")
    func gates() throws {
        try withBroadcaster(2) {
            $0.faults.dropRate = 1
        } _: { broadcaster, directory, _ in
            for client in directory.connections.values {
                client.gate = broadcaster.faults.makeGate(ofClient: client.number)
            }
            broadcaster.sendToAll(RawSpan(), as: .text)
            broadcaster.relay(RawSpan(), as: .text, from: directory[1])
            broadcaster.send(.message(.text), RawSpan(), to: directory[1])
            #expect(directory[1].sent == [] && directory[2].sent == [])
            broadcaster.send(.ping, RawSpan(), to: directory[1])
            #expect(directory[1].sent == ["ping "])
            broadcaster.waitForSlowReaders()
            broadcaster.gatesDidDrain()
        }
    }

    @Test("Messages in a gate are sent when they are due")
    func delays() throws {
        try withBroadcaster(2) {
            $0.faults.delay = .milliseconds(1) ... .milliseconds(1)
        } _: { broadcaster, directory, _ in
            for client in directory.connections.values {
                client.gate = broadcaster.faults.makeGate(ofClient: client.number)
            }
            broadcaster.sendToAll(Array("x".utf8).span.bytes, as: .text)
            #expect(directory[1].sent == [])
            directory.loop.turn { directory.connections.values.allSatisfy { $0.sent == ["text x"] } }
        }
    }

    @Test("A sender waits for the next turn when its messages have used up their share")
    func budget() throws {
        try withBroadcaster { broadcaster, directory, _ in
            let message = [UInt8](repeating: 0, count: 8 << 20)
            broadcaster.relay(message.span.bytes, as: .binary, from: directory[1])
            #expect(directory[1].pauseReasons == .turn)
            directory.loop.turn { directory[1].pauseReasons == [] }
            broadcaster.sendToAll(message.span.bytes, as: .binary)
            #expect(broadcaster.budget.holdsInput)
            directory.loop.turn { !broadcaster.budget.holdsInput }
        }
    }

    @Test("A replay checks for room, sends only to its client, and closes it")
    func replay() throws {
        try withBroadcaster { broadcaster, directory, _ in
            #expect(broadcaster.hasRoom(for: 1) && !broadcaster.hasRoom(for: 9))
            directory[1].isFull = true
            #expect(!broadcaster.hasRoom(for: 1))
            broadcaster.pauseForReplay(1)
            #expect(directory[1].pauseReasons == .replay)
            broadcaster.resumeAfterReplay(1)
            #expect(directory[1].pauseReasons == [])
            broadcaster.send(.message(.text), Array("x".utf8).span.bytes, after: .zero, to: 1)
            broadcaster.send(.ping, RawSpan(), after: .zero, to: 9)
            broadcaster.closeAfterReplay(1)
            #expect(directory[1].sent == ["text x", "close 1012 "])
        }
    }

    @Test("Clients and the input are paused and resumed individually or together")
    func senders() throws {
        try withBroadcaster { broadcaster, directory, _ in
            broadcaster.pauseSender(1, for: .turn)
            broadcaster.pauseSender(nil, for: .turn)
            broadcaster.pauseClients(for: .output)
            #expect(directory[1].pauseReasons == [.turn, .output] && directory[2].pauseReasons == .output)
            broadcaster.resumeClients(after: .output)
            broadcaster.resumeSender(1, after: .turn)
            broadcaster.resumeSender(nil, after: .turn)
            #expect(directory[1].pauseReasons == [] && directory[2].pauseReasons == [])
            broadcaster.endTurn()
            broadcaster.endInput()
            #expect(broadcaster.reader == nil && broadcaster.gatedConnection(of: 2) === directory[2])
        }
    }

    private func withBroadcaster(
        _ count: Int = 2, _ change: (inout ListenArguments) -> Void = { _ in },
        _ body: (Broadcaster<FakeDirectory>, FakeDirectory, ReadableDiagnostics) throws -> Void
    ) throws {
        var arguments = ListenArguments()
        arguments.transcript.timestamps = .off
        change(&arguments)
        let loop = try EventLoop()
        let diagnostics = try ReadableDiagnostics()
        let faults = Faults(arguments, diagnostics: diagnostics.diagnostics, on: loop)
        let outputs = try ListenOutputs(
            arguments, isPrompt: false, to: nil, faults: faults, diagnostics: diagnostics.diagnostics, on: loop)
        let directory = FakeDirectory(count, on: loop)
        let broadcaster = Broadcaster(
            to: directory, input: nil, answersByItself: false, outputs: outputs, faults: faults)
        try body(broadcaster, directory, diagnostics)
    }
}
