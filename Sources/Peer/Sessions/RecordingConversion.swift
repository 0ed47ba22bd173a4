import Formats
import UserInterface
import WSCore

/// Writes the connections and requests of a recording in another format.
package struct RecordingConversion<Writer: SessionWriter & ~Copyable>: ~Copyable {
    private let input: SessionInput
    private var reader = EventReader(readsTimes: true)
    private var writer: Writer
    /// Decodes the messages of the connection, or `nil` if they are as recorded.
    private var decoders: RecordedDecoders?
    /// The number of connections and events that may still be written.
    private var stepsLeft = Int.max

    /// Takes text that has been written.
    package typealias Sink = (inout ByteBuffer) throws(Failure) -> Void

    /// Prepares a conversion.
    package init(_ input: SessionInput, to writer: consuming Writer) {
        self.input = input
        self.writer = writer
    }

    /// Writes the file.
    /// - Parameters:
    ///   - stepCount: The maximum number of connections, requests, and events. Default: no limit.
    ///   - sink: Called after each connection's beginning, each request and event, and at the end.
    package mutating func write(
        _ contents: RecordingContents, atMost stepCount: Int = .max, to sink: Sink
    ) throws(Failure) {
        stepsLeft = stepCount
        var requests = contents.requests[...]
        for connection in contents.connections where stepsLeft > 0 {
            try write(&requests, before: connection.ranges.first?.lowerBound ?? 0, to: sink)
            decoders = connection.codecs.isEmpty ? nil : RecordedDecoders(connection.codecs)
            writer.begin(connection, try RecordedOpening(connection, in: input))
            try endStep(sink)
            // Events without a time have that of the one before.
            var time = connection.times?.lowerBound ?? .zero
            for (range, number) in zip(connection.ranges, connection.firstNumbers) where stepsLeft > 0 {
                try write(range, of: connection, from: number, at: &time, to: sink)
            }
            writer.end()
        }
        try write(&requests, before: .max, to: sink)
        writer.finish()
        try writer.withText(sink)
    }

    /// Writes the requests whose events precede an offset of the recording.
    private mutating func write(
        _ requests: inout ArraySlice<Range<Int>>, before offset: Int, to sink: Sink
    ) throws(Failure) {
        while stepsLeft > 0, let range = requests.first, range.lowerBound < offset {
            requests.removeFirst()
            writer.add(try RecordedRequest(at: range, in: input))
            try endStep(sink)
        }
    }

    /// The number of steps whose text fits into a file of this size, with its end.
    package mutating func stepCount(of contents: RecordingContents, within byteCount: Int) throws(Failure) -> Int {
        var sizes: (text: Int, last: Int) = (0, 0)
        var ends: [Int] = []
        try write(contents) { text in
            sizes = (sizes.text + text.count, text.count)
            ends.append(sizes.text)
            text.removeAll()
        }
        // The last piece is the end of the file, and of its last connection. Those of others may be a bit longer.
        return ends.dropLast().prefix { $0 + sizes.last + 64 <= byteCount }.count
    }

    /// Passes the text that the sink has not taken to `body`.
    package mutating func withText(_ body: Sink) throws(Failure) { try writer.withText(body) }

    private mutating func endStep(_ sink: Sink) throws(Failure) {
        stepsLeft -= 1
        try writer.withText(sink)
    }

    private mutating func write(
        _ range: Range<Int>, of connection: RecordedConnection, from firstNumber: Int, at time: inout Duration,
        to sink: Sink
    ) throws(Failure) {
        var failure: Failure?
        var number = firstNumber
        let input = input
        try input.forEachLine(in: range) { line in
            do throws(InputProblem) {
                let event = try reader.read(line)
                time = event.time ?? time
                guard case .item(let item) = event.kind, let direction = event.direction else { return true }
                let isSent = connection.isSent(direction)
                if case .message(let kind) = item {
                    let marks = Self.marks(of: line)
                    if let decoders {
                        for (record, kind) in reader.withPayload({ decoders.decode($0, as: kind, direction) }) {
                            writer.add(
                                record.span.bytes, as: kind, isSent: isSent, time: time, number: number, marks: marks)
                            number += 1
                        }
                    } else {
                        reader.withPayload {
                            writer.add($0, as: kind, isSent: isSent, time: time, number: number, marks: marks)
                        }
                        number += 1
                    }
                } else {
                    let payload = reader.withPayload { $0.withUnsafeBytes { Array($0) } }
                    if let control = RecordedControl(item, payload, in: line) {
                        writer.add(control, isSent: isSent, time: time)
                    }
                }
                do throws(Failure) {
                    try endStep(sink)
                } catch {
                    failure = error
                }
            } catch {
                failure = input.failure("it changed while it was read")
            }
            return failure == nil && stepsLeft > 0
        }
        if let failure { throw failure }
    }
}

extension RecordingConversion where Writer: ~Copyable {
    /// What a relay has done to a message. These members follow the payload; without them, nothing is parsed.
    private static func marks(of line: RawSpan) -> [StaticString] {
        let end = line.extracting(max(0, line.byteCount - 256)..<line.byteCount).withUnsafeBytes { Array($0) }
        guard end[...].firstRange(of: Array("true".utf8)) != nil,
            case .object(let members)? = try? JSONValue(parsing: line)
        else { return [] }
        let marks: [StaticString] = ["injected", "edited", "rewritten", "dropped", "answered"]
        return marks.filter { members[ExactString("\($0)")] == .bool(true) }
    }
}

/// The contents of the event `open`.
package struct RecordedOpening {
    /// The URL without secrets.
    package var url = "ws://unknown.invalid/"
    package var status = 101
    /// The fields of the request, if they were recorded.
    var requestFields: [HeaderField] = []
    /// The fields of the response.
    var fields: [HeaderField] = []
    /// Without secrets.
    var subprotocol: String?
    /// Without secrets.
    var extensions: String?
    /// The IP address of the server.
    var address: String?
    /// The version and the cipher of TLS.
    var tls: String?
    var timings = HARConnection.Timings()
}

extension RecordedOpening {
    /// Reads the event of a connection. Without the event, the URL is `ws://unknown.invalid/`.
    package init(_ connection: RecordedConnection, in input: SessionInput) throws(Failure) {
        self.init(
            try connection.opening.map { (range) throws(Failure) in try Self.members(at: range, in: input) } ?? [:])
    }

    /// The members of an event. An event that cannot be read has none.
    static func members(
        at range: Range<Int>, in input: SessionInput
    ) throws(Failure) -> [ExactString: JSONValue] {
        var event: JSONValue?
        try input.forEachLine(in: range) { line in
            event = try? JSONValue(parsing: line)
            return false
        }
        guard case .object(let members)? = event else { return [:] }
        return members
    }

    /// - Parameter unknown: The URL and the status of an event without them.
    init(_ members: [ExactString: JSONValue], or unknown: (url: String, status: Int) = ("ws://unknown.invalid/", 101)) {
        self.init()
        (url, status) = unknown
        if case .number(let text)? = members["status"], let status = Int(text) { self.status = status }
        if case .string(let peer)? = members["address"] { readAddress(peer) }
        switch members["url"] {
        // The URL of the built-in echo server has no host; its requests name this one.
        case .string("echo:")?: if address == nil { url = "ws://localhost/" }
        case .string(let shown)?: url = WebSocketURL.shown(shown)
        default: break
        }
        fields = Self.fields(members["headers"])
        requestFields = Self.fields(members["request_headers"])
        subprotocol = Self.value(of: "Sec-WebSocket-Protocol", members["subprotocol"], or: fields)
        extensions = Self.value(of: "Sec-WebSocket-Extensions", members["extensions"], or: fields)
        if case .object(let timings)? = members["timings"] { readTimings(timings) }
        if case .object(let members)? = members["tls"], case .string(let version)? = members["version"],
            case .string(let cipher)? = members["cipher"]
        {
            tls = "\(version), \(cipher)"
        }
    }

    private static func value(of name: String, _ member: JSONValue?, or fields: [HeaderField]) -> String? {
        if case .string(let text)? = member, let field = try? HeaderField(name: name, value: text) {
            return ReportedHead.value(of: field)
        }
        return fields.first { $0.isNamed(name) }.map(ReportedHead.value(of:))
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

    private static func fields(_ member: JSONValue?) -> [HeaderField] {
        guard case .object(let members)? = member else { return [] }
        var fields: [HeaderField] = []
        for (name, values) in members.sorted(by: { $0.key < $1.key }) {
            guard case .array(let values) = values else { continue }
            for case .string(let value) in values {
                if let field = try? HeaderField(name: name.text, value: value) { fields.append(field) }
            }
        }
        return fields
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

extension HARConnection.Timings {
    /// The known phases in microseconds, as in the event `open`.
    var json: JSONWriter {
        var json = JSONWriter()
        for (name, duration) in [
            ("lookup_us" as StaticString, lookup), ("connect_us", connect), ("tls_us", tls), ("upgrade_us", upgrade),
            ("total_us", untilOpen),
        ] {
            if let duration, duration > .zero { json.add(name, Int(duration / .microseconds(1))) }
        }
        json.endObject()
        return json
    }
}
