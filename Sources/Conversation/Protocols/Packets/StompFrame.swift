import WSCore

/// The version of STOMP that both ends use.
enum StompVersion: String, CaseIterable {
    case v10 = "1.0"
    case v11 = "1.1"
    case v12 = "1.2"
}

/// A frame of STOMP: a command, headers, and a body.
///
///     MESSAGE
///     subscription:0
///     destination:/topic/a
///
///     hello␀
struct StompFrame: Equatable {
    var command: String
    /// The headers in their order.
    var headers: [(name: String, value: String)]
    var body: [UInt8]

    init(_ command: String, _ headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.command = command
        self.headers = headers
        self.body = body
    }

    static func == (one: StompFrame, other: StompFrame) -> Bool {
        one.command == other.command && one.body == other.body && one.headers.elementsEqual(other.headers, by: ==)
    }

    /// The value of a header, or `nil` if it is missing.
    subscript(name: String) -> String? {
        // Repeated Header Entries: "only the first header entry SHOULD be used".
        headers.first { $0.name == name }?.value
    }

    /// The encoded frame. A body gets a header with its length.
    func encoded(_ version: StompVersion) -> [UInt8] {
        var text = command + "\n"
        // Value Encoding: the CONNECT and CONNECTED frames do not escape, to remain compatible with STOMP 1.0.
        let isEscaping = version != .v10 && !Self.unescaped.contains(command)
        for (name, value) in headers {
            text += isEscaping ? Self.escape(name, version) : name
            text += ":"
            text += isEscaping ? Self.escape(value, version) : value
            text += "\n"
        }
        // Header content-length: "if a frame body is present, it SHOULD be included".
        if !body.isEmpty { text += "content-length:\(body.count)\n" }
        return Array(text.utf8) + [UInt8(ascii: "\n")] + body + [0]
    }

    fileprivate static let unescaped: Set<String> = ["CONNECT", "CONNECTED"]

    /// Value Encoding: CR (since 1.2), LF, colon, and backslash.
    private static func escape(_ text: String, _ version: StompVersion) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\r" where version == .v12: escaped += "\\r"
            case "\n": escaped += "\\n"
            case ":": escaped += "\\c"
            case "\\": escaped += "\\\\"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

/// Why received bytes are not a frame. The bytes behind it cannot be interpreted.
enum StompFrameError: Error, Equatable, CustomStringConvertible {
    case invalidUTF8
    case headerWithoutColon
    case undefinedEscape
    case invalidContentLength
    case missingNull
    case headTooLong
    case frameTooLong
    case tooMany

    var description: String {
        switch self {
        case .invalidUTF8: "the head of a STOMP frame is not UTF-8"
        case .headerWithoutColon: "a STOMP header has no colon"
        case .undefinedEscape: "a STOMP header has an undefined escape"
        case .invalidContentLength: "the content-length of a STOMP frame is invalid"
        case .missingNull: "no NUL ends the body of a STOMP frame at its content-length"
        case .headTooLong: "the head of a STOMP frame exceeds \(StompDecoder.maximumHeadBytes >> 10) KiB"
        case .tooMany: "a message has more than \(StompDecoder.maximumFrameCount) STOMP frames"
        case .frameTooLong: "a STOMP frame exceeds \(StompDecoder.maximumFrameBytes >> 20) MiB"
        }
    }
}

/// Decodes a stream of frames. WebSocket messages may have several frames, and parts of one.
struct StompDecoder {
    /// The maximum size of a command and its headers in bytes.
    static let maximumHeadBytes = 64 << 10
    /// The maximum size of a frame in bytes.
    static let maximumFrameBytes = 16 << 20
    /// The maximum number of frames in a WebSocket message.
    static let maximumFrameCount = 65_536

    /// The version that the server selected.
    var version = StompVersion.v10
    private var bytes: [UInt8] = []
    /// The beginning of the current frame.
    private var start = 0
    /// The bytes before this offset contain no end of the head or the body.
    private var searched = 0
    /// The current frame without its body, and where the body begins and ends.
    private var head: (frame: StompFrame, bodyStart: Int, bodyEnd: Int?)?

    /// The number of bytes of the frame that has begun and is not complete.
    var incompleteByteCount: Int { bytes.count - start }

    /// Adds received bytes.
    mutating func receive(_ piece: RawSpan) {
        if start > 0 {
            bytes.removeFirst(start)
            searched = max(0, searched - start)
            head = head.map { ($0.frame, $0.bodyStart - start, $0.bodyEnd.map { $0 - start }) }
            start = 0
        }
        piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// Returns the next complete frame, or `nil`.
    /// - Throws: ``StompFrameError``. All received bytes have been discarded.
    mutating func next() throws(StompFrameError) -> StompFrame? {
        do throws(StompFrameError) {
            return try decode()
        } catch {
            let version = version
            self = StompDecoder()
            self.version = version
            throw error
        }
    }

    private mutating func decode() throws(StompFrameError) -> StompFrame? {
        if head == nil {
            try decodeHead()
            guard head != nil else { return nil }
        }
        guard let (frame, bodyStart, knownEnd) = head else { return nil }
        let end: Int
        if let knownEnd {
            guard knownEnd < bytes.count else { return nil }
            // Body: the body of a frame is followed by a NUL octet, also with a content-length.
            guard bytes[knownEnd] == 0 else { throw .missingNull }
            end = knownEnd
        } else if let found = bytes[max(bodyStart, searched)...].firstIndex(of: 0) {
            end = found
        } else {
            guard bytes.count - start <= Self.maximumFrameBytes else { throw .frameTooLong }
            searched = bytes.count
            return nil
        }
        var complete = frame
        complete.body = Array(bytes[bodyStart..<end])
        start = end + 1
        searched = start
        head = nil
        return complete
    }

    /// Decodes the command and the headers, if they are complete.
    private mutating func decodeHead() throws(StompFrameError) {
        // Heart-beating, and Augmented BNF: any number of line ends may precede a frame.
        while start < bytes.count, bytes[start] == UInt8(ascii: "\n") || bytes[start] == UInt8(ascii: "\r") {
            start += 1
        }
        guard try hasWholeHead() else { return }
        var lines: [String] = []
        var lineStart = start
        while let lineEnd = bytes[lineStart...].firstIndex(of: UInt8(ascii: "\n")) {
            guard lineEnd - start <= Self.maximumHeadBytes else { throw .headTooLong }
            var line = bytes[lineStart..<lineEnd]
            // STOMP Frames: since 1.2, lines may end with CR LF.
            if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
            lineStart = lineEnd + 1
            guard !line.isEmpty else { return try beginBody(lines, at: lineStart) }
            guard UTF8Validator.isValid(Array(line).span.bytes) else { throw .invalidUTF8 }
            lines.append(String(decoding: line, as: UTF8.self))
        }
    }

    /// Whether an empty line has been received. A head that arrives in pieces is searched only once.
    private mutating func hasWholeHead() throws(StompFrameError) -> Bool {
        for index in bytes.indices.dropFirst(max(start, searched)) where bytes[index] == UInt8(ascii: "\n") {
            let following = bytes[(index + 1)...].prefix(2)
            if following.first == UInt8(ascii: "\n") || following.elementsEqual("\r\n".utf8) { return true }
        }
        guard bytes.count - start <= Self.maximumHeadBytes else { throw .headTooLong }
        // The last two bytes may be the beginning of the end.
        searched = max(start, bytes.count - 2)
        return false
    }

    private mutating func beginBody(_ lines: [String], at bodyStart: Int) throws(StompFrameError) {
        var frame = StompFrame(lines.first ?? "")
        let isEscaped = version != .v10 && !StompFrame.unescaped.contains(frame.command)
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { throw .headerWithoutColon }
            let (name, value) = (String(line[..<colon]), String(line[line.index(after: colon)...]))
            frame.headers.append(
                isEscaped ? (try Self.unescape(name, version), try Self.unescape(value, version)) : (name, value))
        }
        var bodyEnd: Int?
        if let text = frame["content-length"] {
            guard let length = Int(text), length >= 0 else { throw .invalidContentLength }
            guard length <= Self.maximumFrameBytes else { throw .frameTooLong }
            bodyEnd = bodyStart + length
        }
        head = (frame, bodyStart, bodyEnd)
    }

    private static func unescape(_ text: String, _ version: StompVersion) throws(StompFrameError) -> String {
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
        var unescaped = String.UnicodeScalarView()
        var scalars = text.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            guard scalar == "\\" else {
                unescaped.append(scalar)
                continue
            }
            switch scalars.next() {
            case "n": unescaped.append("\n")
            case "c": unescaped.append(":")
            case "\\": unescaped.append("\\")
            case "r" where version == .v12: unescaped.append("\r")
            // Value Encoding: "Undefined escape sequences such as \t MUST be treated as a fatal protocol error."
            default: throw .undefinedEscape
            }
        }
        return String(unescaped)
    }
}
