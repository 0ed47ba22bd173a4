import Conversation
import Formats
import UserInterface
import WSCore

/// Writes JSON events. It alone defines the fields of each event type.
///
/// All events of a turn of the loop share one timestamp, because they arrived together.
package final class EventWriter {
    private let writer: DescriptorWriter
    private let loop: EventLoop
    /// The secrets of the run, which a peer may repeat.
    private let secrets: SecretRecord
    private var clock = EventClock()
    private var clockTurn: UInt64?
    /// The text of the clock in that turn.
    private var time = ByteBuffer()

    /// Creates an event writer that appends to the output of `writer`.
    init(_ writer: DescriptorWriter, without secrets: SecretRecord, on loop: EventLoop) {
        self.secrets = secrets
        self.writer = writer
        self.loop = loop
    }

    /// Writes what has been appended, without waiting for the end of the turn.
    func flush() { writer.flush() }

    /// Writes a line without its line end.
    func write(line: [UInt8]) {
        writer.buffer.append(line.span.bytes)
        writer.buffer.append(byte: UInt8(ascii: "\n"))
        writer.schedule()
    }

    /// Writes an event.
    @inline(__always)
    package func write(_ type: StaticString, client: Int? = nil, _ addFields: (inout JSONEvent) -> Void) {
        var event = begin(type, atEndOf: &writer.buffer)
        addFields(&event)
        if let client { event.add("client", client) }
        writer.buffer = event.finish()
        writer.schedule()
    }

    /// Begins an event at the end of `buffer`, and takes ownership of its contents.
    @inline(__always)
    private func begin(_ type: StaticString, atEndOf buffer: inout ByteBuffer) -> JSONEvent {
        if clockTurn != loop.turnCount {
            clockTurn = loop.turnCount
            clock.update()
            time.removeAll()
            clock.text.withUnsafeBytes { time.append($0.bytes) }
        }
        return time.withReadableBytes { JSONEvent(type, time: $0, into: buffer.takeAll()) }
    }

    /// Writes a message.
    /// - Parameters:
    ///   - reply: The request it answers and its round trip, or `nil` if it is not a reply.
    ///   - mark: What a relay has done to it, or `nil` for nothing.
    ///   - role: The part that it plays, if that is to be written.
    package func writeMessage(
        _ payload: RawSpan, as kind: MessageKind, _ direction: EventDirection = .incoming, client: Int? = nil,
        reply: Reply? = nil, mark: MessageMark? = nil, role: Pipeline.Role = .message
    ) {
        write("message", client: client) { event in
            event.add(payload, as: kind, direction)
            event.add(reply)
            event.add(mark)
            event.add(role)
        }
    }

    /// Writes an event of an application protocol. Its data is the payload.
    /// - Parameters:
    ///   - name: The name of the protocol.
    ///   - reply: The request it answers and its round trip, or `nil` if it is not a reply.
    package func writeMessage(_ protocolEvent: ProtocolEvent, of name: String, reply: Reply? = nil) {
        write("message") { event in
            event.add(protocolEvent.payload.span.bytes, as: protocolEvent.isText ? .text : .binary, .incoming)
            event.add("protocol", protocolEvent.json(of: name))
            event.add(reply)
        }
    }

    /// Writes a message, or a record of it, that was decoded, or could not be.
    package func writeMessage(
        _ payload: RawSpan, _ decoding: Decoding, _ direction: EventDirection = .incoming, client: Int?,
        reply: Reply? = nil, mark: MessageMark? = nil, role: Pipeline.Role = .message
    ) {
        write("message", client: client) { event in
            event.add("direction", direction.word)
            event.add("opcode", decoding.kind == .text ? "text" as StaticString : "binary")
            event.add("bytes", decoding.byteCount)
            event.addPayload(payload, isText: false)
            if let position = decoding.position {
                event.add("record", position.number)
                event.add("records", position.count)
            }
            switch decoding.result {
            case .decoded(let codecs): event.add("decoded", codecs)
            case .failed(let problem): event.add("decode_error", problem)
            }
            event.add(reply)
            event.add(mark)
            event.add(role)
        }
    }

    /// Writes a message, or a record of it, as it is shown: decoded or as received.
    package func writeShown(
        _ payload: RawSpan, as kind: MessageKind, _ decoding: Decoding?, _ direction: EventDirection = .incoming,
        client: Int?, reply: Reply? = nil, mark: MessageMark? = nil, role: Pipeline.Role = .message
    ) {
        if let decoding {
            writeMessage(payload, decoding, direction, client: client, reply: reply, mark: mark, role: role)
        } else {
            writeMessage(payload, as: kind, direction, client: client, reply: reply, mark: mark, role: role)
        }
    }

    /// Writes one event per client for a message sent to several clients. The events share the payload, which is in
    /// memory once.
    package func writeMessage(_ payload: RawSpan, as kind: MessageKind, toClients clients: [Int]) {
        var buffer = ByteBuffer()
        var common = begin("message", atEndOf: &buffer)
        common.add(payload, as: kind, .outgoing)
        let beginning = SharedBytes(common.interrupt())
        for client in clients {
            writer.append(beginning)
            var event = JSONEvent(continuing: writer.buffer.takeAll())
            event.add("client", client)
            writer.buffer = event.finish()
        }
        writer.schedule()
    }

    /// Writes a ping or a pong.
    /// - Parameter roundTrip: The round-trip time if a pong answers a known ping.
    package func writeControl(
        _ opcode: Opcode, _ payload: RawSpan, _ direction: EventDirection = .incoming, roundTrip: Duration? = nil,
        client: Int? = nil
    ) {
        write(opcode == .ping ? "ping" : "pong", client: client) { event in
            event.add(control: payload, direction)
            if let roundTrip { event.add("rtt_us", Int(roundTrip / .microseconds(1))) }
        }
    }

    /// Writes the opening of a connection from a client.
    /// - Parameter heads: The request and the response, if they are to be written.
    package func writeOpen(
        url: String, subprotocol: String?, extensions: [ExtensionOffer], version: HTTPVersion,
        heads: (request: RequestHead, response: ResponseHead)? = nil, client: Int? = nil
    ) {
        write("open", client: client) { event in
            event.add(
                url: secrets.masking(line: SecretQuery.masking(url)), subprotocol.map { secrets.masking($0) },
                extensions)
            event.add("http", version.number)
            if let (request, response) = heads {
                event.add(request.fields, status: response.status, response.fields, without: secrets)
            }
        }
    }

    /// Writes a request that opened no WebSocket, and its response.
    /// - Parameter isSecure: Whether the client uses TLS.
    package func write(_ exchange: ServedRequest, isSecure: Bool) {
        let request = exchange.request
        write("http") { event in
            event.add("method", secrets.masking(request.method))
            event.add("url", secrets.masking(line: SecretQuery.masking(request.url(isSecure: isSecure))))
            event.add("http", request.version == .http1 ? "1.\(request.minorVersion)" : request.version.number)
            event.add(request.fields, status: exchange.status, exchange.fields, without: secrets)
            event.add("received_bytes", exchange.bodyBytes.received)
            event.add("sent_bytes", exchange.bodyBytes.sent)
            event.add("duration_us", Int(exchange.duration / .microseconds(1)))
            if !exchange.isComplete { event.add("cut", true) }
            if let reason = exchange.reason { event.add("reason", secrets.masking(line: reason)) }
        }
    }

    /// Writes the opening of a connection to a server, with everything known about it.
    package func writeOpen(_ opened: Connector.Opened) {
        write("open") { event in
            event.add(
                url: secrets.masking(line: "\(opened.request.url)"),
                opened.upgrade.subprotocol.map { secrets.masking($0) }, opened.upgrade.extensions)
            event.add("http", opened.request.version.number)
            event.add("status", opened.upgrade.response.status)
            event.add("headers", ReportedHead.json(opened.upgrade.response.fields, without: secrets))
            event.add("address", opened.peer)
            if let tls = opened.tls { event.add("tls", ReportedTLS.json(tls, without: secrets)) }
            event.add("timings", ReportedTimings.json(opened))
        }
    }

    /// Writes a failure.
    package func writeFailure(_ failure: Failure, client: Int? = nil) {
        guard let message = failure.message else { return }
        write("error", client: client) { $0.add(failure, message, without: secrets) }
    }

    /// Writes a sent close frame. The end of the connection is a separate event.
    package func writeClose(sent frame: CloseFrame, client: Int? = nil) {
        write("close", client: client) { $0.add(frame, .outgoing, without: secrets) }
    }

    /// Writes the end of a connection.
    package func writeClose(_ end: ConnectionEnd, client: Int? = nil) {
        write("close", client: client) { $0.add(end, without: secrets) }
    }
}

// The fields of each type of event.
extension JSONEvent {
    /// Adds the fields of an opening.
    package mutating func add(url: String, _ subprotocol: String?, _ extensions: [ExtensionOffer]) {
        add("url", url)
        if let subprotocol { add("subprotocol", subprotocol) }
        if !extensions.isEmpty { add("extensions", ExtensionHeader.value(of: extensions)) }
    }

    /// Adds the heads of a request and of its response, if there is one.
    /// - Parameter secrets: The secrets of the run, which the peer may know.
    mutating func add(_ request: HTTPFields, status: Int, _ response: HTTPFields?, without secrets: SecretRecord) {
        add("status", status)
        add("request_headers", ReportedHead.json(request, without: secrets))
        if let response { add("headers", ReportedHead.json(response, without: secrets)) }
    }

    /// Adds the fields of the end of a connection.
    /// - Parameter secrets: The secrets of the run, which the peer may repeat.
    package mutating func add(_ end: ConnectionEnd, without secrets: SecretRecord) {
        // The direction is `out` only if our close frame was not answered. A lost connection counts as ended by the
        // peer.
        let isOurs = end.closing.received == nil && end.closing.sent != nil
        add("direction", (isOurs ? EventDirection.outgoing : .incoming).word)
        add("code", Int(end.code.rawValue))
        add("reason", secrets.masking(end.reason))
        add("clean", end.isClean)
    }

    /// Adds the fields of a failure.
    /// - Parameter secrets: The secrets of the run, which the peer may repeat.
    package mutating func add(_ failure: Failure, _ message: String, without secrets: SecretRecord) {
        add("kind", failure.kind.rawValue)
        add("message", secrets.masking(line: message))
        if case .violationByServer = failure { add("from", "server" as StaticString) }
        guard let (head, body, _) = failure.refusal else { return }
        add("status", head.status)
        add("body", String(decoding: secrets.masking(body), as: UTF8.self))
    }

    /// Adds the fields of a message.
    @inline(__always)
    package mutating func add(_ payload: RawSpan, as kind: MessageKind, _ direction: EventDirection) {
        add("direction", direction.word)
        add("opcode", kind == .text ? "text" as StaticString : "binary")
        add("bytes", payload.byteCount)
        addPayload(payload, isText: kind == .text)
    }

    /// Adds the fields of a reply.
    @inline(__always)
    mutating func add(_ reply: Reply?) {
        guard let reply else { return }
        add("request", reply.number)
        add("rtt_us", Int(reply.roundTrip / .microseconds(1)))
    }

    /// Adds what a relay has done to a message.
    @inline(__always)
    mutating func add(_ mark: MessageMark?) {
        switch mark {
        case nil, .forwarded: break
        case .injected: add("injected", true)
        case .edited(let edit):
            if !edit.rewrittenRecords.isEmpty { add("rewritten", true) }
            if edit.isEdited { add("edited", true) }
            if edit.isDropped { add("dropped", true) }
            if !edit.droppedRecords.isEmpty { add("dropped", edit.droppedRecords) }
        }
    }

    /// Adds the part that a message plays.
    @inline(__always)
    mutating func add(_ role: Pipeline.Role) {
        switch role {
        case .message, .login: break
        case .answered: add("answered", true)
        case .hidden: add("hidden", true)
        }
    }

    /// Adds the fields of a ping or a pong.
    package mutating func add(control payload: RawSpan, _ direction: EventDirection) {
        add("direction", direction.word)
        add("bytes", payload.byteCount)
        addPayload(payload, isText: false)
    }

    /// Adds the fields of a close frame.
    /// - Parameter secrets: The secrets of the run. A relay passes on the reason of a peer.
    mutating func add(_ frame: CloseFrame, _ direction: EventDirection, without secrets: SecretRecord) {
        add("direction", direction.word)
        add("code", Int((frame.code ?? .noStatus).rawValue))
        add("reason", secrets.masking(frame.reason))
    }
}

extension ProtocolEvent {
    /// The object `protocol` of an event.
    /// - Parameter protocolName: The name of the protocol.
    func json(of protocolName: String) -> JSONWriter {
        var json = JSONWriter()
        json.add("name", protocolName)
        json.add("role", role.word)
        if role.isError { json.add("error", true) }
        if let name { json.add("event", name) }
        if let topic { json.add("topic", topic) }
        if let id { json.add("id", id) }
        if !attributes.isEmpty {
            json.beginObject("attributes")
            for (name, value) in attributes.sorted(by: { $0.key < $1.key }) { json.add(named: name, value) }
            json.endObject()
        }
        json.endObject()
        return json
    }
}

extension ProtocolEvent.Role {
    /// The word used in events.
    fileprivate var word: String {
        switch self {
        case .event: "event"
        case .reply: "reply"
        case .refusal: "refusal"
        case .notice: "notice"
        case .hidden: "hidden"
        }
    }
}
