import TestSupport
import Testing

@testable import WSCore

@Suite struct HTTP2PoolTests {
    @Test("Connections for all WebSockets are opened at the same time") func pool() throws {
        try withLoop { loop in
            let (near, far) = try makeStreamPair(on: loop)
            let entry = HTTP2Pool(streamsPerConnection: 2).entry("a")
            var joined: [HTTP2Connection?] = []
            for _ in 0..<5 { entry.acquire { joined.append($0?.connection) } }
            #expect(joined.count == 3 && joined.allSatisfy { $0 == nil }, "three open connections, the others wait")
            let connection = HTTP2Connection(near)
            let stream = connection.makeStream()
            entry.add(HTTP2Pool.Shared(connection: connection, peer: "", tls: nil))
            #expect(joined.count == 4 && joined[3] === connection)
            entry.fail()
            expectEqual(joined.count, 4, "one more connection is being opened, which is enough")
            entry.fail()
            #expect(joined.count == 5 && joined[4] == nil, "after a failure, another one opens the connection")
            entry.acquire { joined.append($0?.connection) }
            expectEqual(joined.count, 5)
            stream.close()
            far.close()
        }
    }

    @Test("With one WebSocket per connection, none waits for another") func one() {
        let entry = HTTP2Pool(streamsPerConnection: 1).entry("a")
        var count = 0
        for _ in 0..<3 { entry.acquire { count += $0 == nil ? 1 : 0 } }
        expectEqual(count, 3)
    }
}
