import Formats
import WSCore

/// A message to send to a channel.
struct PhoenixMessage: Equatable {
    let ref: Int
    let topic: String
    let event: String
    /// JSON, or binary data as ``JSONBytes``.
    var payload = Array("{}".utf8)

    /// The maximum size of a field in binary messages.
    private static let maximumFieldBytes = 255

    /// Checks whether the message can be encoded.
    /// - Throws: ``ProtocolInputError``.
    func check() throws(ProtocolInputError) {
        guard JSONBytes.bytes(of: payload) != nil else { return }
        guard topic.utf8.count <= Self.maximumFieldBytes, event.utf8.count <= Self.maximumFieldBytes else {
            throw ProtocolInputError("the topic or event of binary data has more than 255 bytes; shorten it")
        }
    }

    /// `[join_reference, message_reference, topic_name, event_name, payload]`, or the binary form of it.
    func encoded(joinRef: Int?) -> ProtocolOutput.Item {
        let joinRef = joinRef.map { "\($0)" }
        if let bytes = JSONBytes.bytes(of: payload) {
            let fields = [joinRef ?? "", "\(ref)", topic, event].map { Array($0.utf8) }
            return .send([0] + fields.map { UInt8(truncatingIfNeeded: $0.count) } + fields.joined() + bytes, .binary)
        }
        let elements = [
            joinRef.map { JSONText.string($0) } ?? Array("null".utf8), JSONText.string("\(ref)"),
            JSONText.string(topic), JSONText.string(event), payload,
        ]
        return .send(JSONText.array(elements), .text)
    }
}

/// A message of a Phoenix server.
struct PhoenixFrame: Equatable {
    var joinRef: String?
    var ref: String?
    var topic: String
    var event: String
    /// The status of a reply.
    var status: String?
    /// The payload, or the response of a reply.
    var payload: [UInt8]
    var isText = true

    /// Parses a message of Phoenix.Socket.V2.JSONSerializer.
    init(text: RawSpan) throws(PhoenixMessageError) {
        guard let elements = JSONText.elements(of: text), elements.count >= 5 else {
            throw PhoenixMessageError("not a message of Phoenix 2.0.0: an array of five elements")
        }
        guard let topic = JSONText.decoded(elements[2]), let event = JSONText.decoded(elements[3]) else {
            throw PhoenixMessageError("a message of Phoenix without a topic and an event")
        }
        (joinRef, ref) = (JSONText.text(elements[0]), JSONText.text(elements[1]))
        (self.topic, self.event) = (topic, event)
        payload = elements[4]
        if event == "phx_reply", let reply = JSONMembers(payload) {
            status = reply.string("status")
            payload = reply.json("response") ?? []
        }
    }

    /// Parses a binary message: the kind, the sizes of the fields, the fields, and the payload.
    init(binary bytes: [UInt8]) throws(PhoenixMessageError) {
        // Phoenix.Socket.V2.JSONSerializer: push, reply, and broadcast.
        let fieldCounts = [3, 4, 2]
        guard let kind = bytes.first.map(Int.init), fieldCounts.indices.contains(kind) else {
            throw PhoenixMessageError("not a binary message of Phoenix: its kind is not 0, 1, or 2")
        }
        let sizes = bytes.dropFirst().prefix(fieldCounts[kind]).map(Int.init)
        var rest = bytes.dropFirst(1 + sizes.count)
        guard sizes.count == fieldCounts[kind], sizes.reduce(0, +) <= rest.count else {
            throw PhoenixMessageError("a binary message of Phoenix is truncated")
        }
        var fields: [String] = []
        for size in sizes {
            let field = Array(rest.prefix(size))
            guard UTF8Validator.isValid(field.span.bytes) else {
                throw PhoenixMessageError("a field of a binary message of Phoenix is not UTF-8")
            }
            fields.append(String(decoding: field, as: UTF8.self))
            rest = rest.dropFirst(size)
        }
        payload = Array(rest)
        isText = false
        switch kind {
        case 0: (joinRef, topic, event) = (fields[0], fields[1], fields[2])
        case 1: (joinRef, ref, topic, event, status) = (fields[0], fields[1], fields[2], "phx_reply", fields[3])
        default: (topic, event) = (fields[0], fields[1])
        }
        if joinRef?.isEmpty == true { joinRef = nil }
    }
}

/// Why a message is not one of Phoenix.
struct PhoenixMessageError: Error, Equatable {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
