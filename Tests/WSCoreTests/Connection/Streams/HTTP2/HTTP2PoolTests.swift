import Testing

@testable import WSCore

@Suite struct HTTP2PoolTests {
    @Test("A connection serves a number of WebSockets, and the next one opens another") func pool() throws {
        try withLoop { loop in
            let (near, far) = try makeStreamPair(on: loop)
            let place = HTTP2Pool(streamsPerConnection: 2).place("a")
            var joined: [HTTP2Connection?] = []
            for _ in 0..<3 { place.join { joined.append($0?.connection) } }
            #expect(joined.count == 1 && joined[0] == nil, "the first one opens a connection, the others wait")
            let connection = HTTP2Connection(near)
            let stream = connection.makeStream()
            place.add(HTTP2Pool.Shared(connection: connection, peer: "", tls: nil))
            #expect(joined.count == 3 && joined[1] === connection && joined[2] == nil)
            place.fail()
            place.join { joined.append($0?.connection) }
            #expect(joined.count == 4 && joined[3] == nil, "after a failure, another one opens the connection")
            stream.close()
            far.close()
        }
    }
}
