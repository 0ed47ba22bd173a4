import WSCore

/// Finds the WebSocket connections in a HAR 1.2 file of any size. Other entries, and all bodies, are skipped.
///
/// Chromium, Playwright, and mitmproxy write the messages of a connection to the array `_webSocketMessages` of its entry.
/// Firefox writes entries without messages.
package struct HARReader: ~Copyable {
    private var stream: HARStream
    private var entries: [HAREntry] = []
    private var entryCount = 0

    /// The maximum length of the fields of a request or response, in bytes of the text.
    private static let maximumFieldsBytes = 1 << 20

    private init(_ stream: consuming JSONStream) {
        self.stream = HARStream(stream)
    }

    /// Reads a file to its end.
    /// - Returns: Its connections, without the fields of their requests and responses.
    /// - Throws: ``HARError``.
    package static func connections(in source: @escaping JSONStream.Source) throws(HARError) -> [HAREntry] {
        var reader = HARReader(JSONStream(source: source))
        try reader.readFile()
        return reader.entries
    }

    /// Reads one of these connections again, with the fields of its request and response.
    /// - Throws: ``HARError``.
    package static func whole(_ entry: HAREntry, in source: @escaping JSONStream.Source) throws(HARError) -> HAREntry {
        var reader = HARReader(JSONStream(at: entry.offset, source: source))
        return try reader.readEntry(entry.number)
    }

    private mutating func readFile() throws(HARError) {
        guard try stream.enter(.object) else { throw .notAnArchive }
        var hasEntries = false
        while let name = try stream.nextMember() {
            guard name == "log", try stream.enter(.object) else {
                try stream.skip()
                continue
            }
            while let name = try stream.nextMember() {
                guard name == "entries", try stream.enter(.array) else {
                    try stream.skip()
                    continue
                }
                hasEntries = true
                try readEntries()
            }
        }
        try stream.finish()
        guard hasEntries else { throw .notAnArchive }
    }

    private mutating func readEntries() throws(HARError) {
        while try stream.nextElement() {
            entryCount += 1
            var (entry, isWebSocket) = try readAnyEntry(entryCount)
            guard isWebSocket else { continue }
            guard !entry.url.isEmpty else {
                throw .badValue(.entry(entry.number, "request.url"), expected: "a URL")
            }
            (entry.requestFields, entry.responseFields) = ([], [])
            entries.append(entry)
        }
    }

    private mutating func readEntry(_ number: Int) throws(HARError) -> HAREntry { try readAnyEntry(number).0 }

    private mutating func readAnyEntry(_ number: Int) throws(HARError) -> (HAREntry, isWebSocket: Bool) {
        var entry = HAREntry(number: number, offset: stream.offset)
        guard try stream.enter(.object) else { throw .badValue(.entry(number, ""), expected: "an object") }
        var type: String?
        while let name = try stream.nextMember() {
            switch name {
            case "_resourceType": type = try stream.string(at: .entry(number, name))
            case "startedDateTime":
                entry.start = try stream.string(at: .entry(number, name)).flatMap(EventTime.parse).map {
                    max($0, .zero)
                }
            case "request" where try stream.enter(.object): try readRequest(of: &entry)
            case "response" where try stream.enter(.object): try readResponse(of: &entry)
            case "timings" where try stream.enter(.object): try readTimings(of: &entry)
            case "_webSocketMessages": try readMessages(of: &entry)
            default: try stream.skip()
            }
        }
        let scheme = String(entry.url.prefix { $0 != ":" }).lowercased()
        let isWebSocket =
            type == "websocket" || entry.messages != nil || scheme == "ws" || scheme == "wss"
            // Firefox has no type.
            || entry.status == 101 && HTTPFields(entry.responseFields).first(named: "Upgrade") == "websocket"
        if isWebSocket, scheme == "http" || scheme == "https" {
            entry.url = "ws" + entry.url.dropFirst("http".count)
        }
        return (entry, isWebSocket)
    }

    private mutating func readRequest(of entry: inout HAREntry) throws(HARError) {
        while let name = try stream.nextMember() {
            switch name {
            case "url": entry.url = try stream.string(at: .entry(entry.number, "request.url")) ?? ""
            case "headers":
                let text = try stream.take(limitBytes: Self.maximumFieldsBytes)
                entry.requestFields = text.withReadableBytes(Self.fields)
            default: try stream.skip()
            }
        }
    }

    private mutating func readResponse(of entry: inout HAREntry) throws(HARError) {
        while let name = try stream.nextMember() {
            switch name {
            case "status": entry.status = max(0, try stream.integer(at: .entry(entry.number, "response.status")))
            case "headers":
                let text = try stream.take(limitBytes: Self.maximumFieldsBytes)
                entry.responseFields = text.withReadableBytes(Self.fields)
            default: try stream.skip()
            }
        }
    }

    /// Reads milliseconds. Others than numbers from 0 are unknown.
    private mutating func readTimings(of entry: inout HAREntry) throws(HARError) {
        while let name = try stream.nextMember() {
            let text = try stream.take(limitBytes: Self.maximumFieldsBytes)
            // There may also be a comment.
            let number = text.withReadableBytes { try? HARValue.number($0, at: .entry(0, name)) }
            guard let number, 0...3_600_000 ~= number else { continue }
            let time = Duration.milliseconds(1) * number
            switch name {
            case "dns": entry.timings.lookup = time
            case "connect": entry.timings.connect = time
            case "ssl": entry.timings.tls = time
            case "wait": entry.timings.upgrade = time
            default: continue
            }
        }
        // In HAR, `connect` includes `ssl`.
        entry.timings.connect = entry.timings.connect.map { max(.zero, $0 - (entry.timings.tls ?? .zero)) }
    }

    /// The valid fields of an array of names and values. HTTP/2 has names such as `:status`, which are none.
    private static func fields(in text: RawSpan) -> [HeaderField] {
        guard case .array(let elements)? = try? JSONValue(parsing: text) else { return [] }
        return elements.compactMap { element in
            guard case .object(let members) = element, case .string(let name)? = members["name"],
                case .string(let value)? = members["value"]
            else { return nil }
            return try? HeaderField(name: name, value: value)
        }
    }

    /// Counts the messages, and finds their times. ``HARMessageReader`` checks them.
    private mutating func readMessages(of entry: inout HAREntry) throws(HARError) {
        var messages = HAREntry.Messages(offset: stream.offset)
        guard try stream.enter(.array) else {
            let text = try stream.take(limitBytes: Self.maximumFieldsBytes)
            guard text.withReadableBytes(HARValue.isNull) else {
                throw .badValue(.entry(entry.number, "_webSocketMessages"), expected: "an array")
            }
            return
        }
        var number = 0
        while try stream.nextElement() {
            number += 1
            guard try stream.enter(.object) else { throw .badValue(.message(number, ""), expected: "an object") }
            while let name = try stream.nextMember() {
                switch name {
                case "type":
                    let type = try stream.string(at: .message(number, name))
                    if type == "send" { messages.sentCount += 1 }
                    if type == "receive" { messages.receivedCount += 1 }
                case "time":
                    guard let time = try stream.time(at: .message(number, name)) else { continue }
                    let times = messages.times ?? time...time
                    messages.times = min(times.lowerBound, time)...max(times.upperBound, time)
                default: try stream.skip()
                }
            }
        }
        entry.messages = messages
    }
}
