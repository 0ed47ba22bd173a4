import Testing

@testable import LoadTest

@Suite struct ShardTests {
    @Test("the shards of all threads are all connections, each once", arguments: [1, 2, 3, 7], [7, 8, 100])
    func connections(threads: Int, connections: Int) {
        let shards = (0..<threads).map { Shard(index: $0, count: threads) }
        let numbers = shards.flatMap { shard in
            (0..<shard.connectionCount(of: connections)).map { shard.connectionNumber(at: $0) }
        }
        #expect(numbers.sorted() == (0..<UInt64(connections)).map { $0 })
    }

    @Test("messages go to the connections in turn, whichever thread has them", arguments: [1, 2, 3], [1, 6, 7, 1003])
    func messages(threads: Int, messages: Int) {
        let shards = (0..<threads).map { Shard(index: $0, count: threads) }
        let connections = 7
        for shard in shards {
            let own = (0..<messages).count { $0 % connections % threads == shard.index }
            #expect(shard.messageCount(of: messages, connectionCount: connections) == own)
        }
    }
}
