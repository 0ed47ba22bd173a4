import Formats
import UserInterface
import WSCore

/// A connection of a recording, and the places of its events.
package struct RecordedConnection {
    /// The client's number in a server's recording.
    let client: Int?
    /// The range of the event `open` in the file, or `nil` if the recording began later.
    var opening: Range<Int>?
    /// The times of the first and the last event, since 1970-01-01 UTC.
    package var times: ClosedRange<Duration>?
    /// The messages that the client sent.
    package var sentCount = 0
    /// The messages that the client received.
    package var receivedCount = 0
    /// The number of pings and pongs.
    package var pingCount = 0
    /// The codes of close frames.
    package var closeCodes: Set<UInt16> = []
    /// The ranges of lines with its events, in order. Adjacent ones are merged.
    var ranges: [Range<Int>] = []
    /// The number of the first message in each of these ranges, or after them, among those of the recording.
    var firstNumbers: [Int] = []
    /// How its messages are decoded.
    let codecs: RecordedCodecs

    /// Whether the client sent an item.
    func isSent(_ direction: EventDirection) -> Bool { (direction == .outgoing) == (client == nil) }
}

/// The contents of a recording.
package struct RecordingContents {
    package var connections: [RecordedConnection] = []
    /// The ranges of events about requests that opened no WebSocket, each a line with its end.
    package var requests: [Range<Int>] = []

    package var isEmpty: Bool { connections.isEmpty && requests.isEmpty }
}

/// Finds the connections of a recording. A connection begins with the event `open`.
package struct RecordingIndex: ~Copyable {
    private(set) var contents = RecordingContents()
    private var connections: [RecordedConnection] {
        get { contents.connections }
        _modify { yield &contents.connections }
    }
    private var reader = EventReader(readsTimes: true)
    private var codecs = RecordedCodecs()
    /// The decoders of the connections, for their counts.
    private var decoders: [Int: RecordedDecoders] = [:]
    /// The latest connection of each client.
    private var latest: [Int?: Int] = [:]
    /// The number of the next message.
    private var nextNumber: Int

    /// Begins with the number of the first message, as the prompt counts them.
    init(firstNumber: Int = 1) {
        nextNumber = firstNumber
    }

    /// Adds a line.
    /// - Parameter range: The range of the line in the file, with its line end.
    mutating func add(_ line: RawSpan, at range: Range<Int>) throws(InputProblem) {
        let event = try reader.read(line)
        switch event.kind {
        case .recording: codecs = RecordedCodecs(line)
        case .exchange: contents.requests.append(range)
        case .report: return
        case .open:
            let index = begin(event.client)
            connections[index].opening = range
            note(event.time, at: range, in: index)
        case .item(let item):
            guard let direction = event.direction else { throw .missingMember("direction") }
            // In a server's recording, an item without a client number was sent to all clients.
            let isForAll = event.client == nil && latest.keys.contains { $0 != nil }
            let clients = isForAll ? latest.keys.filter { $0 != nil } : [event.client]
            var messageCount = 0
            for client in clients.sorted(by: { $0 ?? 0 < $1 ?? 0 }) {
                let index = latest[client] ?? begin(client)
                messageCount = count(item, direction, in: index)
                note(event.time, at: range, in: index)
            }
            nextNumber += messageCount
        }
    }

    private mutating func begin(_ client: Int?) -> Int {
        connections.append(RecordedConnection(client: client, codecs: codecs))
        if !codecs.isEmpty { decoders[connections.count - 1] = RecordedDecoders(codecs) }
        latest[client] = connections.count - 1
        return connections.count - 1
    }

    /// - Returns: The number of messages.
    private mutating func count(_ item: InputItem, _ direction: EventDirection, in index: Int) -> Int {
        switch item {
        case .message(let kind):
            let count = reader.withPayload { decoders[index]?.decode($0, as: kind, direction) }?.count ?? 1
            if connections[index].isSent(direction) {
                connections[index].sentCount += count
            } else {
                connections[index].receivedCount += count
            }
            return count
        case .ping, .pong: connections[index].pingCount += 1
        case .close(let frame), .end(let frame as CloseFrame?):
            if let code = frame?.code { connections[index].closeCodes.insert(code.rawValue) }
        }
        return 0
    }

    private mutating func note(_ time: Duration?, at range: Range<Int>, in index: Int) {
        if let time {
            let times = connections[index].times ?? time...time
            connections[index].times = min(times.lowerBound, time)...max(times.upperBound, time)
        }
        let last = connections[index].ranges.count - 1
        if last >= 0, connections[index].ranges[last].upperBound == range.lowerBound {
            connections[index].ranges[last] = connections[index].ranges[last].lowerBound..<range.upperBound
        } else {
            connections[index].ranges.append(range)
            connections[index].firstNumbers.append(nextNumber)
        }
    }
}

extension RecordingIndex {
    /// Finds the connections and requests of a recording.
    /// - Parameter firstNumber: The number of its first message.
    /// - Throws: ``Failure/badArgument(what:why:)``, which names the line.
    package static func contents(
        of input: SessionInput, firstNumber: Int = 1
    ) throws(Failure) -> RecordingContents {
        var index = RecordingIndex(firstNumber: firstNumber)
        var (number, offset) = (0, 0)
        var failure: Failure?
        try input.forEachLine(in: 0..<Int.max) { line in
            number += 1
            let range = offset..<offset + line.byteCount + 1
            offset = range.upperBound
            guard !line.withUnsafeBytes({ $0.allSatisfy(\.isBlank) }) else { return true }
            do throws(InputProblem) {
                try index.add(line, at: range)
            } catch {
                failure = input.failure(inLine: number, error)
            }
            return failure == nil
        }
        if let failure { throw failure }
        return index.contents
    }
}
