import Conversation
import Formats
import WSCore

/// Writes JSON events. It alone defines the fields of each event type.
///
/// All events of a turn of the loop share one timestamp, because they arrived together.
final class EventWriter {
    private let writer: DescriptorWriter
    private let loop: EventLoop
    private var clock = EventClock()
    private var clockTurn: UInt64?
    /// The text of the clock in that turn.
    private var time = ByteBuffer()

    /// Creates an event writer that appends to the output of `writer`.
    init(_ writer: DescriptorWriter, on loop: EventLoop) {
        self.writer = writer
        self.loop = loop
    }

    /// Writes an event.
    @inline(__always)
    func write(_ type: StaticString, client: Int? = nil, _ addFields: (inout JSONEvent) -> Void) {
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
    /// - Parameter reply: The request it answers and its round trip, or `nil` if it is not a reply.
    func writeMessage(
        _ payload: RawSpan, as kind: MessageKind, _ direction: EventDirection = .incoming, client: Int? = nil,
        reply: Reply? = nil
    ) {
        write("message", client: client) { event in
            Self.add(payload, as: kind, direction, to: &event)
            if let reply {
                event.add("request", reply.number)
                event.add("rtt_us", Int(reply.roundTrip / .microseconds(1)))
            }
        }
    }

    /// Writes one event per client for a message sent to several clients. The events share the payload, which is in
    /// memory once.
    func writeMessage(_ payload: RawSpan, as kind: MessageKind, toClients clients: [Int]) {
        var buffer = ByteBuffer()
        var common = begin("message", atEndOf: &buffer)
        Self.add(payload, as: kind, .outgoing, to: &common)
        let beginning = SharedBytes(common.interrupt())
        for client in clients {
            writer.append(beginning)
            var event = JSONEvent(continuing: writer.buffer.takeAll())
            event.add("client", client)
            writer.buffer = event.finish()
        }
        writer.schedule()
    }

    @inline(__always)
    private static func add(
        _ payload: RawSpan, as kind: MessageKind, _ direction: EventDirection, to event: inout JSONEvent
    ) {
        event.add("direction", direction.word)
        event.add("opcode", kind == .text ? "text" as StaticString : "binary")
        event.add("bytes", payload.byteCount)
        event.addPayload(payload, isText: kind == .text)
    }

    /// Writes a ping or a pong.
    /// - Parameter roundTrip: The round-trip time if a pong answers a known ping.
    func writeControl(
        _ opcode: Opcode, _ payload: RawSpan, _ direction: EventDirection = .incoming, roundTrip: Duration? = nil,
        client: Int? = nil
    ) {
        write(opcode == .ping ? "ping" : "pong", client: client) { event in
            event.add("direction", direction.word)
            event.add("bytes", payload.byteCount)
            event.addPayload(payload, isText: false)
            if let roundTrip { event.add("rtt_us", Int(roundTrip / .microseconds(1))) }
        }
    }

    /// Writes the opening of a connection from a client.
    func writeOpen(url: String, subprotocol: String?, extensions: [ExtensionOffer], client: Int? = nil) {
        write("open", client: client) { Self.add(url: url, subprotocol, extensions, to: &$0) }
    }

    /// Writes the opening of a connection to a server, with everything known about it.
    func writeOpen(_ opened: Connector.Opened) {
        write("open") { event in
            Self.add(url: "\(opened.request.url)", opened.upgrade.subprotocol, opened.upgrade.extensions, to: &event)
            event.add("status", opened.upgrade.response.status)
            event.add("headers", ReportedHead.json(opened.upgrade.response.fields))
            event.add("address", opened.peer)
            if let tls = opened.tls { event.add("tls", ReportedTLS.json(tls)) }
            event.add("timings", ReportedTimings.json(opened))
        }
    }

    private static func add(
        url: String, _ subprotocol: String?, _ extensions: [ExtensionOffer], to event: inout JSONEvent
    ) {
        event.add("url", url)
        if let subprotocol { event.add("subprotocol", subprotocol) }
        if !extensions.isEmpty { event.add("extensions", ExtensionHeader.value(of: extensions)) }
    }

    /// Writes a failure.
    func writeFailure(_ failure: Failure, client: Int? = nil) {
        guard let message = failure.message else { return }
        write("error", client: client) { event in
            event.add("kind", failure.kind.rawValue)
            event.add("message", message)
            if let (head, body, _) = failure.refusal {
                event.add("status", head.status)
                event.add("body", String(decoding: body, as: UTF8.self))
            }
        }
    }

    /// Writes a sent close frame. The end of the connection is a separate event.
    func writeClose(sent frame: CloseFrame, client: Int? = nil) {
        write("close", client: client) { event in
            event.add("direction", EventDirection.outgoing.word)
            event.add("code", Int((frame.code ?? .noStatus).rawValue))
            event.add("reason", frame.reason)
        }
    }

    /// Writes the end of a connection.
    func writeClose(_ end: ConnectionEnd, client: Int? = nil) {
        write("close", client: client) { event in
            // The direction is `out` only if our close frame was not answered. A lost connection counts as ended by the
            // peer.
            let isOurs = end.closing.received == nil && end.closing.sent != nil
            event.add("direction", (isOurs ? EventDirection.outgoing : .incoming).word)
            event.add("code", Int(end.code.rawValue))
            event.add("reason", end.reason)
            event.add("clean", end.isClean)
        }
    }
}

/// Formats timestamps for events and transcripts. It computes the calendar date only once per second.
struct EventClock {
    /// The time of the latest ``update()`` in RFC 3339 format, in UTC with microseconds: `2026-05-01T12:00:00.000000Z`.
    private(set) var text = [UInt8]("0000-00-00T00:00:00.000000Z".utf8)

    private var lastSeconds: Int?
    private static let microsecondsOffset = 20
    private static let microsecondsDigits = 6

    /// Sets the text to the current time.
    mutating func update() {
        let now = WallTime.now
        if now.seconds != lastSeconds {
            lastSeconds = now.seconds
            text = [UInt8](EventTime.text(of: now).utf8)
        }
        var rest = now.microseconds
        for index in (0..<Self.microsecondsDigits).reversed() {
            text[Self.microsecondsOffset + index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
    }
}
