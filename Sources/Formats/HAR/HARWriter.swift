import WSCore

/// Writes a HAR 1.2 file with WebSocket connections and other requests, as Chromium does. The caller removes the text written so far.
package struct HARWriter: ~Copyable {
    /// The text that the caller has not taken.
    package var text = ByteBuffer()
    private var needsComma = false

    /// Begins a file.
    /// - Parameter version: The version of the program.
    package init(version: String) {
        var creator = JSONWriter()
        creator.add("name", "wsx")
        creator.add("version", version)
        creator.endObject()
        text.append(literal: "{\"log\":{\"version\":\"1.2\",\"creator\":")
        creator.text.withReadableBytes { text.append($0) }
        text.append(literal: ",\"pages\":[],\"entries\":[")
    }

    /// Begins a connection. Its messages follow.
    package mutating func begin(_ entry: HARConnection) {
        var json = JSONWriter()
        json.add("_resourceType", "websocket")
        addMembers(of: entry, to: &json)
        json.beginArray("_webSocketMessages")
        append(json)
        needsComma = false
    }

    /// Adds a request that opened no WebSocket.
    package mutating func add(_ entry: HARConnection) {
        var json = JSONWriter()
        addMembers(of: entry, to: &json)
        json.endObject()
        append(json)
        needsComma = true
    }

    private mutating func append(_ json: borrowing JSONWriter) {
        text.append(literal: needsComma ? ",\n" : "\n")
        json.text.withReadableBytes { text.append($0) }
    }

    private func addMembers(of entry: HARConnection, to json: inout JSONWriter) {
        json.add("startedDateTime", EventTime.text(sinceEpoch: entry.start))
        json.add("time", Self.milliseconds(entry.timings.total), digits: 3)
        entry.addRequest(to: &json)
        entry.addResponse(to: &json)
        json.beginObject("cache")
        json.endObject()
        entry.timings.add(to: &json)
        if let address = entry.address { json.add("serverIPAddress", address) }
    }

    /// Adds a message.
    /// - Parameter time: The time since 1970-01-01 UTC.
    package mutating func add(_ payload: RawSpan, as kind: MessageKind, isSent: Bool, time: Duration) {
        text.append(literal: needsComma ? ",\n" : "\n")
        needsComma = true
        text.append(literal: isSent ? "{\"type\":\"send\",\"time\":" : "{\"type\":\"receive\",\"time\":")
        let (seconds, microseconds) = EventTime.parts(of: max(.zero, time))
        text.append(decimal: seconds)
        text.append(literal: ".")
        text.append(padded(microseconds, to: 6))
        text.append(literal: kind == .text ? ",\"opcode\":1,\"data\":" : ",\"opcode\":2,\"data\":\"")
        switch kind {
        case .text: JSONString.append(payload, to: &text)
        case .binary:
            Base64.append(payload, to: &text)
            text.append(literal: "\"")
        }
        text.append(literal: "}")
    }

    /// Ends the connection.
    package mutating func end() {
        text.append(literal: "]}")
        needsComma = true
    }

    /// Ends the file.
    package mutating func finish() {
        text.append(literal: "\n]}}\n")
    }

    fileprivate static func milliseconds(_ duration: Duration) -> Double { duration / .milliseconds(1) }
}

/// A connection or another request to write, without secrets.
package struct HARConnection {
    /// The phases of a connection.
    package struct Timings {
        package var lookup: Duration?
        /// Without TLS.
        package var connect: Duration?
        package var tls: Duration?
        package var upgrade = Duration.zero
        /// From the opening of the connection to its end.
        package var open = Duration.zero

        package init() {}

        /// From the beginning of the request to the opening.
        package var untilOpen: Duration {
            (lookup ?? .zero) + (connect ?? .zero) + (tls ?? .zero) + upgrade
        }

        fileprivate var total: Duration { untilOpen + open }

        /// Adds the object `timings`. In HAR, `connect` includes `ssl`.
        fileprivate func add(to json: inout JSONWriter) {
            let wholeConnect = connect.map { $0 + (tls ?? .zero) } ?? tls
            json.beginObject("timings")
            for (name, duration) in [("dns" as StaticString, lookup), ("connect", wholeConnect), ("ssl", tls)] {
                if let duration {
                    json.add(name, HARWriter.milliseconds(duration), digits: 3)
                } else {
                    json.add(name, -1)
                }
            }
            json.add("blocked", -1)
            json.add("send", 0)
            json.add("wait", HARWriter.milliseconds(upgrade), digits: 3)
            json.add("receive", HARWriter.milliseconds(open), digits: 3)
            json.endObject()
        }
    }

    package var url: String
    /// The time at which the request began, since 1970-01-01 UTC.
    package var start: Duration
    package var status = 101
    package var requestFields: [(name: String, value: String)] = []
    package var responseFields: [(name: String, value: String)] = []
    package var timings = Timings()
    /// The IP address of the server.
    package var address: String?
    /// What differs from an upgrade, if the request opened no WebSocket.
    package var page: Page?

    /// A request for a page, and its response. `error` says why the response is incomplete, as in Chromium's files; nil if it
    /// is complete.
    package typealias Page = (
        method: String, version: String, requestBytes: Int, responseBytes: Int, error: String?, comment: String?
    )

    package init(url: String, start: Duration) {
        self.url = url
        self.start = start
    }

    fileprivate func addRequest(to json: inout JSONWriter) {
        json.beginObject("request")
        json.add("method", page?.method ?? "GET")
        json.add("url", url)
        json.add("httpVersion", version)
        json.add("cookies", [])
        Self.add("headers", requestFields, to: &json)
        Self.add("queryString", parameters, to: &json)
        json.add("headersSize", -1)
        json.add("bodySize", page?.requestBytes ?? 0)
        json.endObject()
    }

    fileprivate func addResponse(to json: inout JSONWriter) {
        json.beginObject("response")
        json.add("status", status)
        json.add("statusText", HTTPStatus.reason(of: status))
        json.add("httpVersion", version)
        json.add("cookies", [])
        Self.add("headers", responseFields, to: &json)
        json.beginObject("content")
        json.add("size", page?.responseBytes ?? 0)
        json.add("mimeType", value(of: "content-type") ?? "x-unknown")
        json.endObject()
        json.add("redirectURL", value(of: "location") ?? "")
        json.add("headersSize", -1)
        json.add("bodySize", page?.responseBytes ?? -1)
        if let error = page?.error { json.add("_error", error) }
        if let comment = page?.comment { json.add("comment", comment) }
        json.endObject()
    }

    private var version: String { "HTTP/" + (page?.version ?? "1.1") }

    private func value(of name: String) -> String? { responseFields.first { $0.name.lowercased() == name }?.value }

    private static func add(_ name: StaticString, _ pairs: [(name: String, value: String)], to json: inout JSONWriter) {
        json.beginArray(name)
        for pair in pairs {
            json.beginElement()
            json.add("name", pair.name)
            json.add("value", pair.value)
            json.endObject()
        }
        json.endArray()
    }

    /// The parameters of the URL's query, as written.
    private var parameters: [(name: String, value: String)] {
        let url = url.prefix { $0 != "#" }
        guard let mark = url.firstIndex(of: "?") else { return [] }
        return url[url.index(after: mark)...].split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }
    }
}
