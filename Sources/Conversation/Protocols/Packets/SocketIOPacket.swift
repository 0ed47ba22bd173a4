import Formats
import WSCore

/// A packet of Socket.IO without the type of its Engine.IO packet.
///
///     <packet type>[<# of binary attachments>-][<namespace>,][<acknowledgment id>][JSON-stringified payload]
///
/// Sections refer to the Socket.IO protocol.
struct SocketIOPacket: Equatable {
    enum Kind: UInt8 {
        case connect = 0x30
        case disconnect
        case event
        case ack
        case connectError
        case binaryEvent
        case binaryAck
    }

    let kind: Kind
    var namespace = "/"
    var id: Int?
    /// The payload of a packet that is not an event or an acknowledgement.
    var payload: [UInt8] = []
    /// The elements of the payload of an event, including its name, or of an acknowledgement.
    var arguments: [[UInt8]] = []
    var attachmentCount = 0

    /// The maximum number of attachments of a packet.
    private static let maximumAttachmentCount = 1000

    /// Parses a packet.
    init(_ text: [UInt8]) throws(SocketIOPacketError) {
        guard let kind = text.first.flatMap(Kind.init) else {
            throw SocketIOPacketError("not a Socket.IO packet: its type is not 0 through 6")
        }
        self.kind = kind
        var rest = text[1...]
        if kind == .binaryEvent || kind == .binaryAck {
            // Format: "[<# of binary attachments>-]"
            guard let count = Self.number(&rest), rest.popFirst() == UInt8(ascii: "-") else {
                throw SocketIOPacketError("a binary packet without the number of its attachments")
            }
            guard count <= Self.maximumAttachmentCount else {
                throw SocketIOPacketError("a packet with more than \(Self.maximumAttachmentCount) attachments")
            }
            attachmentCount = count
        }
        if rest.first == UInt8(ascii: "/") {
            // "the namespace is only included if it is different from the main namespace"
            let end = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
            namespace = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
            rest = rest[min(end + 1, rest.endIndex)...]
        }
        if let first = rest.first, UInt8(ascii: "0")...UInt8(ascii: "9") ~= first {
            guard let number = Self.number(&rest) else { throw SocketIOPacketError("the id of a packet is too large") }
            id = number
        }
        try parsePayload(Array(rest))
    }

    private mutating func parsePayload(_ text: [UInt8]) throws(SocketIOPacketError) {
        switch kind {
        case .connect, .connectError, .disconnect:
            guard !text.isEmpty else { return }
            guard let json = JSONText.compact(text) else {
                throw SocketIOPacketError("the payload of a packet is not JSON")
            }
            payload = json
        case .event, .binaryEvent, .ack, .binaryAck:
            // Sending and receiving data: "The payload is mandatory and MUST be a non-empty array". Acknowledgement: "an
            // array (possibly empty)".
            guard let elements = JSONText.elements(of: text) else {
                throw SocketIOPacketError("the payload of a packet is not an array")
            }
            arguments = elements
            if kind == .event || kind == .binaryEvent {
                guard let first = elements.first, first[0] != UInt8(ascii: "["),
                    first[0] != UInt8(ascii: "{"), JSONText.text(first) != nil
                else { throw SocketIOPacketError("an event without a name") }
            }
        }
    }

    /// Takes a number of at most 15 digits, or returns `nil`.
    private static func number(_ rest: inout ArraySlice<UInt8>) -> Int? {
        let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        guard 1...15 ~= digits.count else { return nil }
        rest = rest.dropFirst(digits.count)
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    // MARK: Binary data

    /// Replaces the placeholders of attachments: `{"_placeholder":true,"num":0}`. An invalid one is unchanged.
    /// - Returns: Whether each attachment has a placeholder.
    mutating func insert(_ attachments: [[UInt8]]) -> Bool {
        var used: Set<Int> = []
        arguments = arguments.map { argument in
            JSONBytes.replacingSmallObjects(in: argument) { members in
                // Each attachment has one placeholder. Repeating it could multiply its size.
                guard members.isTrue("_placeholder"), let number = members.integer("num"),
                    attachments.indices.contains(number), used.insert(number).inserted
                else { return nil }
                return JSONBytes.text(of: attachments[number])
            }
        }
        return used.count == attachments.count
    }

    /// Encodes an event or an acknowledgement with its binary data extracted.
    /// - Parameters:
    ///   - kind: ``Kind/event`` or ``Kind/ack``.
    ///   - arguments: Of an event, its name comes first. Byte strings are ``JSONBytes``.
    static func encode(
        _ kind: Kind, _ arguments: [[UInt8]], _ namespace: String, id: Int?
    ) -> [ProtocolOutput.Item] {
        var attachments: [[UInt8]] = []
        let elements = arguments.map { argument in
            JSONBytes.replacingSmallObjects(in: argument) { members in
                guard members.count == 1, let bytes = members.string("$bytes").flatMap(JSONBytes.decoded) else {
                    return nil
                }
                attachments.append(bytes)
                return Array("{\"_placeholder\":true,\"num\":\(attachments.count - 1)}".utf8)
            }
        }
        let number = kind.rawValue - Kind.connect.rawValue
        // BINARY_EVENT and BINARY_ACK
        let type = attachments.isEmpty ? "\(number)" : "\(number + 3)\(attachments.count)-"
        return [.send(encode(type, namespace, id: id, JSONText.array(elements)), .text)]
            + attachments.map { .send($0, .binary) }
    }

    /// Encodes a packet in an Engine.IO packet.
    /// - Parameter type: The type, and the number of attachments with a hyphen if there are any.
    static func encode(_ type: String, _ namespace: String, id: Int? = nil, _ payload: [UInt8]) -> [UInt8] {
        // CONNECT and DISCONNECT packets without a payload end with the namespace's comma, as in the reference
        // implementation.
        let name = namespace == "/" ? "" : namespace + ","
        return Array("4\(type)\(name)\(id.map { "\($0)" } ?? "")".utf8) + payload
    }

    /// Reads an event and its arguments from a typed line.
    static func typedEvent(
        _ line: inout TypedLine, reserved: Set<String>
    ) throws(ProtocolInputError) -> [[UInt8]] {
        let form = "write EVENT [ARGUMENT...], as in: chat {\"x\":1}"
        if line.next == UInt8(ascii: "[") {
            guard let elements = JSONText.elements(of: line.rest), let name = elements.first.flatMap(JSONText.decoded)
            else { throw ProtocolInputError("the array is not an event; \(form), or [\"chat\",{\"x\":1}]") }
            try check(name, reserved)
            return elements
        }
        let isQuoted = line.next == UInt8(ascii: "\"")
        let name = try line.name("the event", form)
        guard isQuoted || name.utf8.first != UInt8(ascii: "{") else {
            throw ProtocolInputError("the event has no name; \(form)")
        }
        try check(name, reserved)
        do throws(JSONRPCCallError) {
            return [JSONText.string(name)] + (try line.arguments())
        } catch {
            throw ProtocolInputError("in the arguments, \(error)")
        }
    }

    private static func check(_ name: String, _ reserved: Set<String>) throws(ProtocolInputError) {
        guard !reserved.contains(name) else {
            throw ProtocolInputError("the event name '\(name)' is reserved, and servers reject it; choose another")
        }
    }
}

/// Why a text is not a Socket.IO packet.
struct SocketIOPacketError: Error, Equatable {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
