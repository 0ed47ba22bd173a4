import Formats
import WSCore

/// Writes the connections of a recording as a HAR file.
struct RecordingConversion: ~Copyable {
    private let input: ConvertInput
    private var reader = EventReader(readsTimes: true)
    private var writer = HARWriter(version: wsx.version)

    /// Prepares a conversion.
    init(_ input: ConvertInput) {
        self.input = input
    }

    /// Finds the connections of a recording.
    /// - Throws: ``Failure/badArgument(what:why:)``, which names the line.
    static func connections(in input: ConvertInput) throws(Failure) -> [RecordedConnection] {
        var index = RecordingIndex()
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
        return index.connections
    }

    /// Writes the file.
    mutating func write(_ connections: [RecordedConnection], to output: borrowing ConvertOutput) throws(Failure) {
        for connection in connections {
            writer.begin(try entry(of: connection))
            // Messages without a time have that of the one before.
            var time = connection.times?.lowerBound ?? .zero
            for range in connection.ranges { try write(range, of: connection, at: &time, to: output) }
            writer.end()
        }
        writer.finish()
        try output.write(&writer.text)
    }

    private mutating func write(
        _ range: Range<Int>, of connection: RecordedConnection, at time: inout Duration,
        to output: borrowing ConvertOutput
    ) throws(Failure) {
        var failure: Failure?
        let input = input
        try input.forEachLine(in: range) { line in
            do throws(InputProblem) {
                let event = try reader.read(line)
                time = event.time ?? time
                guard case .item(.message(let kind)) = event.kind, let direction = event.direction else { return true }
                let isSent = connection.isSent(direction)
                reader.withPayload { writer.add($0, as: kind, isSent: isSent, time: time) }
                do throws(Failure) { try output.writeIfLarge(&writer.text) } catch { failure = error }
            } catch {
                failure = input.failure("it changed while it was read")
            }
            return failure == nil
        }
        if let failure { throw failure }
    }

    /// The connection without its messages, and without secrets.
    private func entry(of connection: RecordedConnection) throws(Failure) -> HARConnection {
        let opening = try RecordedOpening(connection, in: input)
        let start = connection.times?.lowerBound ?? .zero
        var entry = HARConnection(url: opening.url, start: start)
        entry.timings = opening.timings
        entry.timings.open = (connection.times?.upperBound ?? start) - start
        entry.start = max(.zero, start - entry.timings.untilOpen)
        entry.status = opening.status
        entry.address = opening.address
        entry.responseFields = opening.fields.map { ($0.name, ReportedHead.value(of: $0)) }
        return entry
    }
}

/// The contents of the event `open`.
struct RecordedOpening {
    /// The URL without secrets.
    var url = "ws://unknown.invalid/"
    var status = 101
    var fields: [HeaderField] = []
    /// The IP address of the server.
    var address: String?
    var timings = HARConnection.Timings()

    /// Reads the event of a connection. Without the event, the URL is `ws://unknown.invalid/`.
    init(_ connection: RecordedConnection, in input: ConvertInput) throws(Failure) {
        guard let range = connection.opening else { return }
        var event: JSONValue?
        try input.forEachLine(in: range) { line in
            event = try? JSONValue(parsing: line)
            return false
        }
        guard case .object(let members)? = event else { return }
        if case .number(let text)? = members["status"], let status = Int(text) { self.status = status }
        if case .string(let peer)? = members["address"] { readAddress(peer) }
        // The URL of the built-in echo server has no host.
        if case .string(let url)? = members["url"], url != "echo:" || address == nil {
            self.url = WebSocketURL.shown(url)
        }
        if case .object(let fields)? = members["headers"] { readFields(fields) }
        if fields.isEmpty, case .string(let name)? = members["subprotocol"],
            let field = try? HeaderField(name: "Sec-WebSocket-Protocol", value: name)
        {
            fields.append(field)
        }
        if case .object(let timings)? = members["timings"] { readTimings(timings) }
    }

    private mutating func readAddress(_ peer: String) {
        guard let colon = peer.utf8.lastIndex(of: UInt8(ascii: ":")) else { return }
        let host = peer[..<colon].filter { $0 != "[" && $0 != "]" }
        guard !host.isEmpty, host.utf8.allSatisfy({ HexDigits.value($0) != nil || ".:".utf8.contains($0) }) else {
            return
        }
        address = host
        url = "ws://\(peer)/"
    }

    private mutating func readFields(_ members: [ExactString: JSONValue]) {
        for (name, values) in members.sorted(by: { $0.key < $1.key }) {
            guard case .array(let values) = values else { continue }
            for case .string(let value) in values {
                if let field = try? HeaderField(name: name.text, value: value) { fields.append(field) }
            }
        }
    }

    private mutating func readTimings(_ members: [ExactString: JSONValue]) {
        func duration(_ name: ExactString) -> Duration? {
            guard case .number(let text)? = members[name], let number = Int(text), 0...3_600_000_000 ~= number else {
                return nil
            }
            return .microseconds(number)
        }
        timings.lookup = duration("lookup_us")
        timings.connect = duration("connect_us").map { $0 + (duration("proxy_us") ?? .zero) }
        timings.tls = duration("tls_us")
        timings.upgrade = duration("upgrade_us") ?? .zero
    }
}
