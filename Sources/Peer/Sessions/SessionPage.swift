import Conversation
import Formats
import UserInterface
import WSCore

/// Writes a page that shows the connections of a session, as one file that loads nothing.
///
/// Each connection is a script element with a JSON object, followed by script elements with its events, which the page
/// reads when it shows the connection. An event is a line of a JSON array:
///
///     [1234,"out text",7,5,"hello"]
///
/// These are microseconds since the first event, direction, type, and marks such as `edited`, the number of the message or
/// 0, size in bytes, and text or Base64; for a close frame, the code and the reason.
package struct SessionPage: ~Copyable, SessionWriter {
    private static let dataLine = #"<script type="application/json" class="connection"></script>"#
    /// The size of the events in a script element, in bytes. Browsers limit the length of a text.
    private static let chunkBytes = 4 << 20

    private var text = ByteBuffer()
    private var line = ByteBuffer()
    /// The part of the page after the data.
    private let ending: String
    /// The time of the connection's first event.
    private var start = Duration.zero
    /// The bytes of the open script element with events, or 0 without one.
    private var openBytes = 0

    /// Begins a page.
    package init() {
        let page = EmbeddedPage.session
        let parts = page.parts(around: Self.dataLine, replacing: [EmbeddedPage.policyLine: page.filePolicy])
        ending = parts.after
        text.append(parts.before)
    }

    package mutating func begin(_ connection: RecordedConnection, _ opening: RecordedOpening) {
        start = connection.times?.lowerBound ?? .zero
        var facts = JSONWriter()
        facts.add("url", opening.url)
        facts.add("start_us", Self.microseconds(start))
        facts.add("status", opening.status)
        if let client = connection.client { facts.add("client", client) }
        if let subprotocol = opening.subprotocol { facts.add("subprotocol", subprotocol) }
        if let extensions = opening.extensions { facts.add("extensions", extensions) }
        if let address = opening.address { facts.add("address", address) }
        if let tls = opening.tls { facts.add("tls", tls) }
        if !opening.requestFields.isEmpty { facts.add("request", Self.head(opening.requestFields)) }
        if !opening.fields.isEmpty { facts.add("response", Self.head(opening.fields)) }
        if opening.timings.untilOpen > .zero { facts.add("timings", opening.timings.json) }
        facts.add("sent", connection.sentCount)
        facts.add("received", connection.receivedCount)
        facts.endObject()
        text.append(literal: #"<script type="application/json" class="connection">"#)
        facts.text.withReadableBytes { EmbeddedPage.appendMarkupFree($0, to: &text) }
        text.append(literal: "</script>\n")
        if connection.opening != nil {
            add("in open", time: start) { line in
                line.append(literal: "0,")
                JSONString.append(Array(opening.url.utf8).span.bytes, to: &line)
            }
        }
    }

    private static func head(_ fields: [HeaderField]) -> JSONWriter {
        ReportedHead.json(HTTPFields(fields), without: SecretRecord())
    }

    package mutating func add(
        _ payload: RawSpan, as kind: MessageKind, isSent: Bool, time: Duration, number: Int, marks: [StaticString]
    ) {
        let name: StaticString =
            switch (kind, isSent) {
            case (.text, true): "out text"
            case (.text, false): "in text"
            case (.binary, true): "out binary"
            case (.binary, false): "in binary"
            }
        add(name, marks: marks, number: number, time: time) { line in
            line.append(decimal: payload.byteCount)
            line.append(literal: ",")
            switch kind {
            case .text: JSONString.append(payload, to: &line)
            case .binary: Self.append(base64: payload, to: &line)
            }
        }
    }

    package mutating func add(_ control: RecordedControl, isSent: Bool, time: Duration) {
        switch control {
        case .ping(let payload): add(isSent ? "out ping" : "in ping", payload, time: time)
        case .pong(let payload): add(isSent ? "out pong" : "in pong", payload, time: time)
        case .close(let code, let reason):
            add(isSent ? "out close" : "in close", time: time) { line in
                line.append(decimal: code)
                line.append(literal: ",")
                JSONString.append(Array(reason.utf8).span.bytes, to: &line)
            }
        }
    }

    private mutating func add(_ name: StaticString, _ payload: [UInt8], time: Duration) {
        add(name, time: time) { line in
            line.append(decimal: payload.count)
            line.append(literal: ",")
            Self.append(base64: payload.span.bytes, to: &line)
        }
    }

    private static func append(base64 payload: RawSpan, to line: inout ByteBuffer) {
        line.append(literal: "\"")
        Base64.append(payload, to: &line)
        line.append(literal: "\"")
    }

    private mutating func add(
        _ name: StaticString, marks: [StaticString] = [], number: Int = 0, time: Duration,
        _ addRest: (inout ByteBuffer) -> Void
    ) {
        if openBytes > Self.chunkBytes { endEvents() }
        text.append(literal: openBytes == 0 ? "<script type=\"application/json\" class=\"events\">[\n" : ",\n")
        var line = self.line.takeAll()
        line.append(literal: "[")
        line.append(decimal: Self.microseconds(time - start))
        line.append(literal: ",\"")
        line.append(literal: name)
        for mark in marks {
            line.append(literal: " ")
            line.append(literal: mark)
        }
        line.append(literal: "\",")
        line.append(decimal: number)
        line.append(literal: ",")
        addRest(&line)
        line.append(literal: "]")
        openBytes += line.count
        line.withReadableBytes { EmbeddedPage.appendMarkupFree($0, to: &text) }
        line.removeAll()
        line.releaseStorage(above: Self.chunkBytes)
        self.line = line
    }

    private mutating func endEvents() {
        guard openBytes > 0 else { return }
        text.append(literal: "\n]</script>\n")
        openBytes = 0
    }

    package mutating func add(_ request: RecordedRequest) {
        var opening = request.heads
        opening.url = "\(request.method) \(opening.url)"
        opening.timings.upgrade = request.duration
        var connection = RecordedConnection(client: nil, codecs: RecordedCodecs())
        connection.opening = 0..<0
        connection.times = max(.zero, request.endTime - request.duration)...max(.zero, request.endTime)
        begin(connection, opening)
        end()
    }

    package mutating func end() { endEvents() }

    package mutating func finish() { text.append(ending) }

    package mutating func withText(_ body: (inout ByteBuffer) throws(Failure) -> Void) throws(Failure) {
        try body(&text)
    }

    private static func microseconds(_ time: Duration) -> Int {
        let (seconds, microseconds) = EventTime.parts(of: time)
        return seconds * 1_000_000 + microseconds
    }
}
