import Formats
import WSCore

/// Parses JSON events, one per line: the output of `--output json` and `--record`, and the input of `--input json`.
///
///     {"type":"message","direction":"out","opcode":"text","data":"hello"} → .item(.message(.text)), payload hello
///
/// Events of unknown types, unknown members, members without a meaning for the event type, and null members are ignored,
/// except a null `client`. So a later version may add types and members.
package struct EventReader: ~Copyable {
    private enum Member: String {
        case type, time, direction, opcode, data, base64, code, reason, client, dropped
    }

    private let readsTimes: Bool
    /// The value of each known member, as a range of the line.
    private var values: [Member: JSONToken] = [:]
    private var payload = ByteBuffer()
    private var decodedString = ByteBuffer()

    /// The valid close codes (RFC 6455 §7.4.2). Some of them never appear in a frame.
    private static let closeCodes = 1000...4999

    /// Creates a reader. Times are parsed only if `readsTimes` is true.
    package init(readsTimes: Bool = false) {
        self.readsTimes = readsTimes
    }

    /// Passes the payload of the last event to `body`.
    package func withPayload<R>(_ body: (RawSpan) -> R) -> R {
        payload.withReadableBytes(body)
    }

    /// Parses a line without its line end.
    package mutating func read(_ line: RawSpan) throws(InputProblem) -> InputEvent {
        payload.removeAll()
        try findMembers(of: line)
        guard let kind = try kind(in: line) else {
            // Its members may have other meanings.
            return InputEvent(kind: .report, direction: nil, client: nil, time: nil, isDropped: false)
        }
        return InputEvent(
            kind: kind, direction: try direction(in: line), client: try client(in: line),
            time: readsTimes ? try time(in: line) : nil, isDropped: isDropped(in: line))
    }

    // MARK: Members

    private mutating func findMembers(of line: RawSpan) throws(InputProblem) {
        guard UTF8Validator.isValid(line) else { throw .notTextEvent }
        values.removeAll(keepingCapacity: true)
        var reader = JSONReader()
        guard try Self.nextToken(of: &reader, in: line)?.kind == .beginObject else { throw .notAnObject }
        var member: Member?
        while let token = try Self.nextToken(of: &reader, in: line) {
            if token.kind == .key, reader.depth == 1 {
                // A key with an unpaired surrogate matches no known member.
                member = (try? decode(token, in: line, for: .type)).flatMap(Member.init)
            } else if let name = member {
                member = nil
                // A null client is an error: ignoring it would send the message to all clients.
                let isNull = token.kind == .literal && Self.isNull(line.extracting(token.range))
                if isNull, name != .client { continue }
                guard values.updateValue(token, forKey: name) == nil else { throw .repeatedMember(name.rawValue) }
            }
        }
    }

    private static func nextToken(
        of reader: inout JSONReader, in line: RawSpan
    ) throws(InputProblem) -> JSONToken? {
        do throws(JSONError) {
            return try reader.next(in: line)
        } catch {
            throw .notJSON(error)
        }
    }

    private static func isNull(_ literal: RawSpan) -> Bool {
        literal.unsafeLoad(fromByteOffset: 0, as: UInt8.self) == UInt8(ascii: "n")
    }

    /// Returns the value of a string member, or `nil` if it is absent.
    private mutating func text(_ member: Member, in line: RawSpan) throws(InputProblem) -> String? {
        guard let token = values[member] else { return nil }
        guard token.kind == .string else { throw .badMember(member.rawValue, expected: "a string") }
        return try decode(token, in: line, for: member)
    }

    private mutating func decode(
        _ token: JSONToken, in line: RawSpan, for member: Member
    ) throws(InputProblem) -> String {
        decodedString.removeAll()
        guard JSONString.appendDecoded(line.extracting(token.range), to: &decodedString) else {
            throw .halfSurrogate(member.rawValue)
        }
        return decodedString.withReadableBytes { bytes in
            bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Returns the value of an integer member, or `nil` if it is absent.
    private func number(_ member: Member, in line: RawSpan, expected: String) throws(InputProblem) -> Int? {
        guard let token = values[member] else { return nil }
        let digits = line.extracting(token.range).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        guard token.kind == .number, let number = Int(digits) else {
            throw .badMember(member.rawValue, expected: expected)
        }
        return number
    }

    private mutating func direction(in line: RawSpan) throws(InputProblem) -> EventDirection? {
        guard let word = try text(.direction, in: line) else { return nil }
        guard let direction = EventDirection(word: word) else {
            throw .badMember("direction", expected: "'in' or 'out'")
        }
        return direction
    }

    private func client(in line: RawSpan) throws(InputProblem) -> Int? {
        let expected = "a client number of 1 or more"
        let number = try number(.client, in: line, expected: expected)
        guard number.map({ $0 >= 1 }) ?? true else { throw .badMember("client", expected: expected) }
        return number
    }

    /// Whether the message was dropped as a whole, as opposed to some of its records.
    private func isDropped(in line: RawSpan) -> Bool {
        values[.dropped].map { line.extracting($0.range).isEqual(to: Array("true".utf8).span.bytes) } ?? false
    }

    private mutating func time(in line: RawSpan) throws(InputProblem) -> Duration? {
        guard let text = try text(.time, in: line) else { return nil }
        guard let time = EventTime.parse(text) else {
            throw .badMember("time", expected: "an RFC 3339 time such as 2026-01-31T15:04:05.123456Z")
        }
        return time
    }

    // MARK: Types

    /// Returns the kind of the event, or `nil` for an unknown type.
    private mutating func kind(in line: RawSpan) throws(InputProblem) -> InputEvent.Kind? {
        switch try text(.type, in: line) {
        case nil: throw .missingMember("type")
        case "message": return .item(.message(try messageKind(in: line)))
        case "ping": return .item(try control(.ping, in: line))
        case "pong": return .item(try control(.pong, in: line))
        case "close": return .item(.close(try closeFrame(in: line)))
        case "recording": return .recording
        case "open": return .open
        case "http": return .exchange
        case "listening", "error": return .report
        default: return nil
        }
    }

    /// Decodes the payload of a message and returns its kind. Base64 payloads are binary unless `opcode` says
    /// otherwise.
    private mutating func messageKind(in line: RawSpan) throws(InputProblem) -> MessageKind {
        guard try readPayload(in: line) else { throw .noPayload }
        switch try text(.opcode, in: line) {
        case nil: return values[.base64] == nil ? .text : .binary
        case "binary": return .binary
        case "text":
            let isText = payload.withReadableBytes { UTF8Validator.isValid($0) }
            guard isText else { throw .badMember("base64", expected: "UTF-8, which a text message must be") }
            return .text
        default: throw .badMember("opcode", expected: "'text' or 'binary'")
        }
    }

    private mutating func control(_ item: InputItem, in line: RawSpan) throws(InputProblem) -> InputItem {
        _ = try readPayload(in: line)
        let limit = FrameHeader.maximumControlPayloadBytes
        guard payload.count <= limit else {
            throw .tooLong(values[.base64] == nil ? "data" : "base64", byteCount: payload.count, limit: limit)
        }
        return item
    }

    /// Decodes the payload, if any.
    /// - Returns: Whether the event has a payload.
    private mutating func readPayload(in line: RawSpan) throws(InputProblem) -> Bool {
        switch (values[.data], values[.base64]) {
        case (nil, nil): return false
        case (_?, _?): throw .twoPayloads
        case (let token?, nil):
            guard token.kind == .string else { throw .badMember("data", expected: "a string") }
            let isText = JSONString.appendDecoded(line.extracting(token.range), to: &payload)
            guard isText else { throw .halfSurrogate("data") }
        case (nil, _?):
            // Decode the JSON string first: a slash may be escaped.
            _ = try text(.base64, in: line)
            try decodeBase64()
        }
        return true
    }

    private mutating func decodeBase64() throws(InputProblem) {
        let text = decodedString.takeAll()
        do throws(EncodedTextError) {
            try text.withReadableBytes { (text) throws(EncodedTextError) in
                try Base64.appendDecoded(text, to: &payload)
            }
        } catch {
            throw .notBase64(error)
        }
    }

    /// Returns the close frame for an event, or `nil` if its code must not be sent.
    private mutating func closeFrame(in line: RawSpan) throws(InputProblem) -> CloseFrame? {
        let expected = "a close code from \(Self.closeCodes.lowerBound) to \(Self.closeCodes.upperBound)"
        let number = try number(.code, in: line, expected: expected)
        guard number.map(Self.closeCodes.contains) ?? true else { throw .badMember("code", expected: expected) }
        let code = number.map { CloseCode(rawValue: UInt16($0)) } ?? .noStatus
        let reason = try text(.reason, in: line) ?? ""
        let limit = CloseFrame.maximumReasonBytes
        guard reason.utf8.count <= limit else {
            throw .tooLong("reason", byteCount: reason.utf8.count, limit: limit)
        }
        if code == .noStatus {
            guard reason.isEmpty else { throw .badMember("reason", expected: "empty, which it must be without a code") }
            return CloseFrame(code: nil)
        }
        return code.mayTravel ? CloseFrame(code: code, reason: reason) : nil
    }
}

/// A JSON event of the input.
package struct InputEvent: Equatable {
    /// The type of the event.
    package enum Kind: Equatable {
        /// An item that can be sent. Its payload is passed separately.
        case item(InputItem)
        /// The header of a recording.
        case recording
        /// A connection was opened. Nothing is sent.
        case open
        /// A request that opened no WebSocket, and its response. Nothing is sent.
        case exchange
        /// Another informational event: `listening`, `error`, or one of an unknown type. Nothing is sent.
        case report
    }

    package let kind: Kind
    /// The direction, or `nil` if the event has none.
    package let direction: EventDirection?
    /// The client to send it to, or `nil` for all clients.
    package let client: Int?
    /// The time since 1970-01-01 UTC, or `nil` if it is absent or was not requested.
    package let time: Duration?
    /// Whether a message was dropped, so it is not sent again.
    package let isDropped: Bool
}
