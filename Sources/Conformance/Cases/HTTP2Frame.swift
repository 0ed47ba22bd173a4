/// A frame of HTTP/2 (RFC 9113 §4.1).
struct HTTP2Frame: Sendable {
    var type: UInt8
    var flags: UInt8 = 0
    var stream: UInt32 = 0
    var payload: [UInt8] = []
    /// The announced length, or `nil` for that of the payload.
    var announcedCount: Int?

    static let data: UInt8 = 0
    static let headers: UInt8 = 1
    static let reset: UInt8 = 3
    static let settings: UInt8 = 4
    static let push: UInt8 = 5
    static let ping: UInt8 = 6
    static let goaway: UInt8 = 7
    static let windowUpdate: UInt8 = 8
    static let continuation: UInt8 = 9

    /// The names of types in case files; the others are written as numbers.
    static let names = [
        "data": data, "headers": headers, "priority": 2, "reset": reset, "settings": settings, "push": push,
        "ping": ping,
        "goaway": goaway, "window": windowUpdate, "continuation": continuation,
    ]

    static func name(_ type: UInt8) -> String { names.first { $0.value == type }?.key ?? "type \(type)" }

    /// The stream of the WebSocket: the first one of its connection.
    static let webSocket: UInt32 = 1

    /// ACK of SETTINGS and PING, and END_STREAM of DATA and HEADERS.
    static let first: UInt8 = 0x1
    static let endHeaders: UInt8 = 0x4
    static let padded: UInt8 = 0x8
    static let priority: UInt8 = 0x20

    func has(_ flag: UInt8) -> Bool { flags & flag != 0 }

    /// The largest payload that is sent and received: that of SETTINGS_MAX_FRAME_SIZE by default.
    static let maximumBytes = 16384

    var bytes: [UInt8] {
        let count = UInt32(truncatingIfNeeded: announcedCount ?? payload.count)
        return Array(count.bigEndianBytes.dropFirst()) + [type, flags] + stream.bigEndianBytes + payload
    }
}

extension UInt32 {
    var bigEndianBytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> (24 - 8 * $0)) } }

    init(bigEndianBytes bytes: some Sequence<UInt8>) { self = bytes.reduce(0) { $0 << 8 | UInt32($1) } }
}

/// The error codes of RFC 9113 §7.
enum HTTP2ErrorCode {
    static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    static func name(_ code: UInt32) -> String { names.indices.contains(Int(code)) ? names[Int(code)] : "\(code)" }
}
