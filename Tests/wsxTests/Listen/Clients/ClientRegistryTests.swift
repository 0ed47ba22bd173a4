import Testing
import WSCore

@testable import Listen

@Suite struct ClientRegistryTests {
    @Test("Clients are found by number, counted, and listed in order")
    func lookup() throws {
        try withRegistry(12) { directory, clients in
            #expect(clients.count == 12 && !clients.isEmpty)
            #expect(clients[7] === directory[7])
            #expect(clients[13] == nil)
            #expect(clients.inOrder.map(\.number) == Array(1...12))
            #expect(clients.loop === directory.loop)
            directory.removeAll()
            #expect(clients.isEmpty && clients[7] == nil)
        }
    }

    @Test("A broadcast reaches all clients but its sender, and is recorded for those not closing")
    func broadcast() throws {
        try withRegistry(3) { directory, clients in
            directory[3].isClosing = true
            #expect(Set(clients.receivers(but: nil, at: nil)) == [1, 2])
            #expect(clients.receivers(but: directory[1], at: nil) == [2])
            directory[2].path = "/a"
            #expect(
                clients.receivers(but: nil, at: "/a") == [2] && clients.receivers(but: directory[2], at: "/a") == [])
            var isOneFull = clients.send(Array("x".utf8).span.bytes, as: .text, toAllBut: directory[1], at: nil)
            #expect(!isOneFull)
            #expect(directory[1].sent == [] && directory[2].sent == ["text x"] && directory[3].sent == [])
            directory[2].isFull = true
            isOneFull = clients.send(RawSpan(), as: .text, toAllBut: nil, at: nil)
            #expect(isOneFull)
        }
    }

    @Test("A closing client is neither a recipient nor a slow reader")
    func closing() throws {
        try withRegistry(2) { directory, clients in
            for number in 1...2 {
                directory[number].isFull = true
                directory[number].unsentBytes = number * 100
            }
            #expect(clients.hasRecipients)
            #expect(Set(clients.fullReaders(but: nil)) == [1, 2])
            #expect(clients.fullReaders(but: 2) == [1])
            #expect(clients.readingStates[1]?.unsentBytes == 100)
            directory[1].isClosing = true
            #expect(clients.fullReaders(but: nil) == [2])
            #expect(clients.readingStates[1] == nil && clients.readingStates[3] == nil)
            directory[2].isClosing = true
            #expect(!clients.hasRecipients)
        }
    }

    @Test("All clients are paused and resumed, separately for each reason")
    func pauses() throws {
        try withRegistry(2) { directory, clients in
            directory[1].pauseReading(for: .program)
            clients.pause(for: .output)
            #expect(directory[1].pauseReasons == [.program, .output] && directory[2].pauseReasons == .output)
            clients.resume(after: .output)
            #expect(directory[1].pauseReasons == .program && directory[2].pauseReasons == [])
        }
    }

    private func withRegistry(
        _ count: Int, _ body: (FakeDirectory, ClientRegistry<FakeDirectory>) throws -> Void
    ) throws {
        let directory = FakeDirectory(count, on: try EventLoop())
        try body(directory, ClientRegistry(directory))
    }
}
