import WSCore

/// A control packet of MQTT 3.1.1.
///
///     ┌──────┬───────┬───────────┬───────────────────────────┐
///     │ kind │ flags │ length    │ variable header, payload  │
///     └──────┴───────┴───────────┴───────────────────────────┘
///      4 bits 4 bits  1–4 bytes   length bytes
struct MQTTPacket: Equatable {
    /// The kinds of packets (§2.2.1).
    enum Kind: UInt8 {
        case connect = 1
        case connack
        case publish
        case puback
        case pubrec
        case pubrel
        case pubcomp
        case subscribe
        case suback
        case unsubscribe
        case unsuback
        case pingreq
        case pingresp
        case disconnect

        /// The name in the specification.
        var name: String { "\(self)".uppercased() }

        /// §2.2.2: the flags that the kind must have, or `nil` if they carry data.
        fileprivate var flags: UInt8? {
            switch self {
            case .publish: nil
            case .pubrel, .subscribe, .unsubscribe: 0b0010
            default: 0
            }
        }
    }

    let kind: Kind
    var flags: UInt8
    var contents: [UInt8]

    init(_ kind: Kind, flags: UInt8? = nil, _ contents: [UInt8] = []) {
        self.kind = kind
        self.flags = flags ?? kind.flags ?? 0
        self.contents = contents
    }

    /// The encoded packet.
    var encoded: [UInt8] {
        var bytes = [kind.rawValue << 4 | flags]
        // §2.2.3: seven bits per byte, the least significant first.
        var rest = contents.count
        repeat {
            let digit = UInt8(rest & 0x7F)
            rest >>= 7
            bytes.append(digit | (rest > 0 ? 0x80 : 0))
        } while rest > 0
        return bytes + contents
    }

    /// Two bytes, the most significant first.
    static func bytes(_ number: UInt16) -> [UInt8] {
        [UInt8(number >> 8), UInt8(number & 0xFF)]
    }

    /// §1.5.3: a string with its length, of at most 65,535 bytes.
    static func bytes(_ text: String) -> [UInt8] {
        let text = Array(text.utf8.prefix(maximumStringBytes))
        return bytes(UInt16(text.count)) + text
    }

    /// The maximum length of a string in bytes.
    static let maximumStringBytes = 65_535
}

/// Why received bytes are not MQTT. §4.8: the connection must be closed.
enum MQTTError: Error, Equatable, CustomStringConvertible {
    case unknownKind(UInt8)
    case invalidFlags(MQTTPacket.Kind)
    case invalidLength
    case tooMany
    case tooLong(byteCount: Int)
    case truncated(MQTTPacket.Kind)
    case trailing(MQTTPacket.Kind)
    case invalid(MQTTPacket.Kind, String)

    var description: String {
        switch self {
        case .unknownKind(let kind): "invalid MQTT: packets of type \(kind) do not exist"
        case .invalidFlags(let kind): "invalid MQTT: a \(kind.name) packet has invalid flags"
        case .invalidLength: "invalid MQTT: the length of a packet has more than four bytes"
        case .tooMany: "a message has more than \(MQTTDecoder.maximumPacketCount) MQTT packets"
        case .tooLong(let count): "an MQTT packet of \(count) bytes exceeds \(MQTTDecoder.maximumPacketBytes >> 20) MiB"
        case .truncated(let kind): "invalid MQTT: a \(kind.name) packet is too short"
        case .trailing(let kind): "invalid MQTT: a \(kind.name) packet is too long"
        case .invalid(let kind, let reason): "invalid MQTT: a \(kind.name) packet \(reason)"
        }
    }
}

/// Decodes a stream of packets. §6.0: "The receiver MUST NOT assume that MQTT Control Packets are aligned on WebSocket
/// frame boundaries."
struct MQTTDecoder {
    /// The maximum size of a packet's contents in bytes.
    static let maximumPacketBytes = 16 << 20
    /// The maximum number of packets in a WebSocket message.
    static let maximumPacketCount = 65_536

    private var bytes: [UInt8] = []
    private var start = 0

    /// Adds received bytes.
    mutating func receive(_ piece: RawSpan) {
        bytes.removeFirst(start)
        start = 0
        piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// Returns the next complete packet, or `nil`.
    /// - Throws: ``MQTTError``. The stream cannot be continued.
    mutating func next() throws(MQTTError) -> MQTTPacket? {
        guard start < bytes.count else { return nil }
        let first = bytes[start]
        guard let kind = MQTTPacket.Kind(rawValue: first >> 4) else { throw .unknownKind(first >> 4) }
        // [MQTT-2.2.2-2]: invalid flags close the connection.
        guard kind.flags == nil || kind.flags == first & 0x0F else { throw .invalidFlags(kind) }
        var length = 0
        var offset = start + 1
        while true {
            // §2.2.3: at most four bytes.
            guard offset - start <= 4 else { throw .invalidLength }
            guard offset < bytes.count else { return nil }
            let digit = bytes[offset]
            length |= Int(digit & 0x7F) << (7 * (offset - start - 1))
            offset += 1
            if digit & 0x80 == 0 { break }
        }
        guard length <= Self.maximumPacketBytes else { throw .tooLong(byteCount: length) }
        guard bytes.count - offset >= length else { return nil }
        start = offset + length
        return MQTTPacket(kind, flags: first & 0x0F, Array(bytes[offset..<start]))
    }
}

/// Reads the fields of a packet.
struct MQTTFields {
    private let packet: MQTTPacket
    private var offset = 0

    init(_ packet: MQTTPacket) {
        self.packet = packet
    }

    mutating func byte() throws(MQTTError) -> UInt8 {
        guard offset < packet.contents.count else { throw .truncated(packet.kind) }
        offset += 1
        return packet.contents[offset - 1]
    }

    mutating func number() throws(MQTTError) -> UInt16 {
        let high = try byte()
        return UInt16(high) << 8 | UInt16(try byte())
    }

    /// §2.3.1: an identifier, which is not 0.
    mutating func identifier() throws(MQTTError) -> UInt16 {
        let number = try number()
        guard number > 0 else { throw .invalid(packet.kind, "has the packet identifier 0") }
        return number
    }

    mutating func string() throws(MQTTError) -> String {
        let count = Int(try number())
        guard packet.contents.count - offset >= count else { throw .truncated(packet.kind) }
        let text = Array(packet.contents[offset..<offset + count])
        // [MQTT-1.5.3-1], [MQTT-1.5.3-2]: invalid UTF-8 and U+0000 close the connection.
        guard UTF8Validator.isValid(text.span.bytes), !text.contains(0) else {
            throw .invalid(packet.kind, "has an invalid string")
        }
        offset += count
        return String(decoding: text, as: UTF8.self)
    }

    /// The rest of the packet.
    mutating func rest() -> [UInt8] {
        defer { offset = packet.contents.count }
        return Array(packet.contents[offset...])
    }

    /// Checks that nothing follows.
    func end() throws(MQTTError) {
        guard offset == packet.contents.count else { throw .trailing(packet.kind) }
    }
}
