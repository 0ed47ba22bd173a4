import Formats
import UserInterface
import WSCore

/// Writes the connections of a session in a format.
package protocol SessionWriter: ~Copyable {
    /// Begins a connection. Its events follow, in their order.
    mutating func begin(_ connection: RecordedConnection, _ opening: RecordedOpening)
    /// Adds a message.
    /// - Parameters:
    ///   - time: The time since 1970-01-01 UTC.
    ///   - number: The number at the prompt, if it has shown all messages of the recording.
    ///   - marks: What a relay has done to it.
    mutating func add(
        _ payload: RawSpan, as kind: MessageKind, isSent: Bool, time: Duration, number: Int, marks: [StaticString])
    /// Adds a ping, a pong, or the end of the connection, unless the format has none.
    mutating func add(_ control: RecordedControl, isSent: Bool, time: Duration)
    /// Ends the connection.
    mutating func end()
    /// Adds a request between connections, unless the format has none.
    mutating func add(_ request: RecordedRequest)
    /// Ends the file.
    mutating func finish()
    /// Passes the text that has not been written to `body`, which removes it.
    mutating func withText(_ body: (inout ByteBuffer) throws(Failure) -> Void) throws(Failure)
}

/// A control frame of a recording.
package enum RecordedControl {
    case ping([UInt8])
    case pong([UInt8])
    /// - `code`: 0 without a code.
    case close(code: Int, reason: String)

    /// Reads an event.
    /// - Parameters:
    ///   - line: The event.
    ///   - payload: The decoded payload of a ping or pong.
    init?(_ item: InputItem, _ payload: [UInt8], in line: RawSpan) {
        switch item {
        case .message: return nil
        case .ping: self = .ping(payload)
        case .pong: self = .pong(payload)
        case .close, .end:
            // The item lacks codes that must not be sent, such as that of a lost connection.
            var (code, reason) = (0, "")
            if case .object(let members)? = try? JSONValue(parsing: line) {
                if case .number(let text)? = members["code"] { code = Int(text) ?? 0 }
                if case .string(let text)? = members["reason"] { reason = text }
            }
            self = .close(code: code, reason: reason)
        }
    }
}

extension HARConnection {
    fileprivate mutating func setFields(of opening: RecordedOpening) {
        responseFields = opening.fields.map { ($0.name, ReportedHead.value(of: $0)) }
        if opening.fields.isEmpty, let subprotocol = opening.subprotocol {
            responseFields = [("Sec-WebSocket-Protocol", subprotocol)]
        }
        requestFields = opening.requestFields.map { ($0.name, ReportedHead.value(of: $0)) }
    }
}

extension HARWriter: SessionWriter {
    package mutating func begin(_ connection: RecordedConnection, _ opening: RecordedOpening) {
        let start = connection.times?.lowerBound ?? .zero
        var entry = HARConnection(url: opening.url, start: start)
        entry.timings = opening.timings
        entry.timings.open = (connection.times?.upperBound ?? start) - start
        entry.start = max(.zero, start - entry.timings.untilOpen)
        entry.status = opening.status
        entry.address = opening.address
        entry.setFields(of: opening)
        begin(entry)
    }

    package mutating func add(_ request: RecordedRequest) {
        var entry = HARConnection(url: request.heads.url, start: max(.zero, request.endTime - request.duration))
        entry.timings.upgrade = request.duration
        entry.status = request.heads.status
        entry.setFields(of: request.heads)
        entry.page = (
            method: request.method, version: request.version, requestBytes: request.receivedBytes,
            responseBytes: request.sentBytes, error: request.isCut ? request.reason ?? "cut short" : nil,
            comment: request.reason
        )
        add(entry)
    }

    package mutating func add(
        _ payload: RawSpan, as kind: MessageKind, isSent: Bool, time: Duration, number: Int, marks: [StaticString]
    ) {
        add(payload, as: kind, isSent: isSent, time: time)
    }

    package mutating func add(_ control: RecordedControl, isSent: Bool, time: Duration) {}

    package mutating func withText(_ body: (inout ByteBuffer) throws(Failure) -> Void) throws(Failure) {
        try body(&text)
    }
}
