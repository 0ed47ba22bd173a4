import Testing

@testable import wsx

@Suite struct LoadShareTests {
    @Test("the shares of all threads are all connections, each once", arguments: [1, 2, 3, 7], [7, 8, 100])
    func connections(threads: Int, connections: Int) {
        let shares = (0..<threads).map { LoadShare(index: $0, count: threads) }
        let numbers = shares.flatMap { share in
            (0..<share.connectionCount(of: connections)).map { share.connectionNumber(at: $0) }
        }
        #expect(numbers.sorted() == (0..<UInt64(connections)).map { $0 })
    }

    @Test("messages go to the connections in turn, whichever thread has them", arguments: [1, 2, 3], [1, 6, 7, 1003])
    func messages(threads: Int, messages: Int) {
        let shares = (0..<threads).map { LoadShare(index: $0, count: threads) }
        let connections = 7
        for share in shares {
            let own = (0..<messages).count { $0 % connections % threads == share.index }
            #expect(share.messageCount(of: messages, connectionCount: connections) == own)
        }
    }
}
