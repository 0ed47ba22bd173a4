import Formats
import Testing
import WSCore

@testable import Peer

@Suite struct RecordingIndexTests {
    /// The connections of a recording with these lines, each 100 bytes after the one before.
    private static func connections(
        _ lines: String..., firstNumber: Int = 1
    ) throws(InputProblem) -> [RecordedConnection] {
        var index = RecordingIndex(firstNumber: firstNumber)
        for (number, line) in lines.enumerated() {
            try index.add(Array(line.utf8).span.bytes, at: number * 100..<(number + 1) * 100)
        }
        return index.contents.connections
    }

    @Test("A connection begins when it opens, or with its first message") func beginnings() throws {
        let connections = try Self.connections(
            #"{"type":"recording"}"#, #"{"type":"message","direction":"out","data":"a"}"#, #"{"type":"open"}"#,
            #"{"type":"message","direction":"in","data":"b"}"#, #"{"type":"open"}"#)
        #expect(connections.map(\.opening) == [nil, 200..<300, 400..<500])
        #expect(connections.map(\.sentCount) == [1, 0, 0])
        #expect(connections.map(\.receivedCount) == [0, 1, 0])
        #expect(connections.map(\.ranges) == [[100..<200], [200..<400], [400..<500]])
    }

    @Test("A server's recording is seen from its clients, and messages without a number went to all of them")
    func clients() throws {
        let connections = try Self.connections(
            #"{"type":"open","client":1}"#, #"{"type":"open","client":2}"#,
            #"{"type":"message","direction":"in","data":"a","client":2}"#,
            #"{"type":"message","direction":"out","data":"all"}"#)
        #expect(connections.map(\.sentCount) == [0, 1])
        #expect(connections.map(\.receivedCount) == [1, 1])
        #expect(connections.map(\.ranges) == [[0..<100, 300..<400], [100..<400]])
    }

    @Test("Messages are numbered through the connections, and a message to all clients has one number")
    func numbers() throws {
        let connections = try Self.connections(
            #"{"type":"open","client":1}"#, #"{"type":"open","client":2}"#,
            #"{"type":"message","direction":"in","data":"a","client":2}"#,
            #"{"type":"ping","direction":"in","client":2}"#,
            #"{"type":"message","direction":"out","data":"all"}"#,
            #"{"type":"message","direction":"in","data":"b","client":1}"#, firstNumber: 7)
        #expect(connections.map(\.ranges) == [[0..<100, 400..<600], [100..<500]])
        #expect(connections.map(\.firstNumbers) == [[7, 8], [7]])
    }

    @Test("Pings, pongs, and close codes are counted, and times compared") func omissions() throws {
        let connection = try #require(
            try Self.connections(
                #"{"type":"ping","direction":"out","time":"2026-01-01T00:00:02Z"}"#,
                #"{"type":"pong","direction":"in"}"#,
                #"{"type":"close","direction":"out","code":1000,"time":"2026-01-01T00:00:01Z"}"#,
                #"{"type":"close","direction":"in","code":1000}"#
            ).first)
        #expect(connection.pingCount == 2)
        #expect(connection.closeCodes == [1000])
        let times = try #require(connection.times)
        #expect(times.upperBound - times.lowerBound == .seconds(1))
    }

    @Test("An event without a direction is an error") func direction() {
        #expect(throws: InputProblem.missingMember("direction")) {
            try Self.connections(#"{"type":"message","data":"a"}"#)
        }
    }
}
