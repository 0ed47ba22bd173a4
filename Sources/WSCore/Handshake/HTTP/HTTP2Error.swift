/// The reason an HTTP/2 connection, or one of its streams, failed (RFC 9113 §5.4).
package enum HTTP2Error: Error, Equatable {
    /// The server closed the connection before its first frame.
    case closedBeforeSettings
    /// The server does not answer with HTTP/2. `preview` holds its first bytes, at most 64.
    case notHTTP2(preview: [UInt8])
    /// The server's settings do not allow extended CONNECT (RFC 8441 §3).
    case noExtendedConnect
    /// The peer reset the stream.
    case reset(code: UInt32)
    /// The peer ended the connection with GOAWAY. `debugData` is its text for people, at most 256 bytes.
    case goAway(code: UInt32, debugData: String)
    /// The head of a message exceeds the limits.
    case head(HTTPHeadError)
    /// The peer violated the rules of HTTP/2. Carries nghttp2's reason.
    case violation(reason: String)

    /// RFC 9113 §7: NO_ERROR.
    package static let noError: UInt32 = 0
    /// RFC 9113 §7: INTERNAL_ERROR.
    static let internalError: UInt32 = 2
    /// RFC 9113 §7: CANCEL. The stream is no longer needed.
    static let cancel: UInt32 = 8
    /// RFC 9113 §7: REFUSED_STREAM. The request was not processed.
    package static let refusedStream: UInt32 = 7

    /// Whether a request may be repeated: the server did not process it (RFC 9113 §8.7), or ends the connection.
    var allowsRepetition: Bool {
        switch self {
        case .reset(Self.refusedStream), .goAway(Self.noError, _): true
        default: false
        }
    }

    /// Whether the peer has broken rules, rather than refused something or ended the connection.
    package var isViolation: Bool {
        switch self {
        case .notHTTP2, .head, .violation: true
        case .closedBeforeSettings, .noExtendedConnect, .reset, .goAway: false
        }
    }
}

extension HTTP2Error: CustomStringConvertible {
    /// The reason and the remedy. Safe to print whatever the peer sent.
    package var description: String {
        switch self {
        case .closedBeforeSettings:
            "the server closed the connection without a response; it may not speak HTTP/2 on this port: omit --http2"
        case .notHTTP2(let preview) where preview.starts(with: [0x15, 0x03]):
            // RFC 8446 §5.1: a TLS alert record.
            "the server speaks TLS on this port; use wss:// instead of ws://"
        case .notHTTP2(let preview) where preview.starts(with: "HTTP/".utf8):
            "the server speaks only HTTP/1.1 on this port; omit --http2"
        case .notHTTP2(let preview):
            "the server's response is not HTTP/2: \(quoted(String(decoding: preview, as: UTF8.self))); omit --http2, or "
                + "check the port"
        case .noExtendedConnect:
            "the server speaks HTTP/2, but accepts no WebSockets over it (RFC 8441); omit --http2"
        case .reset(let code): "the peer reset the HTTP/2 stream: \(Self.name(of: code))"
        case .goAway(Self.noError, _): "the peer is closing the HTTP/2 connection"
        case .goAway(let code, let debugData):
            "the peer ended the HTTP/2 connection: \(Self.name(of: code))"
                + (debugData.isEmpty ? "" : " (\(quoted(debugData)))")
        case .head(let error): "the peer's HTTP/2 message \(error)"
        case .violation(let reason): "the peer violated the HTTP/2 protocol (\(reason))"
        }
    }

    /// The name of an error code, such as `CANCEL (8)`.
    static func name(of code: UInt32) -> String {
        names.indices.contains(Int(code)) ? "\(names[Int(code)]) (\(code))" : "error \(code)"
    }

    /// RFC 9113 §7.
    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]
}
