/// The head of a request or response of HTTP/1.1, as lines; or of HTTP/2, with the pseudo-header fields among the fields.
package struct Head: Sendable {
    package struct Field: Sendable {
        package var name: String
        package var value: [UInt8]

        func isNamed(_ other: String) -> Bool { name.lowercased() == other.lowercased() }
    }

    package var line: String
    package var fields: [Field]

    init(line: String, fields: [Field] = []) {
        self.line = line
        self.fields = fields
    }

    /// The largest head that is read, in bytes.
    static let maximumBytes = 128 << 10

    /// Parses a head with its empty line, or returns `nil` if it is not valid (RFC 9112 §2.1, §5).
    package init?(_ bytes: [UInt8]) {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        guard let first = lines.first else { return nil }
        line = String(decoding: first, as: UTF8.self)
        fields = []
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else { return nil }
            let name = line[..<colon]
            guard !name.contains(where: { $0 <= 0x20 || $0 >= 0x7F }) else { return nil }
            let value = line[(colon + 1)...].drop(while: Self.isSpace)
            let end = value.lastIndex { !Self.isSpace($0) }.map { $0 + 1 } ?? value.startIndex
            fields.append(Field(name: String(decoding: name, as: UTF8.self), value: Array(value[..<end])))
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    package func values(of name: String) -> [String] {
        fields.filter { $0.isNamed(name) }.map { String(decoding: $0.value, as: UTF8.self) }
    }

    /// The members of a field that is a list, without surrounding spaces.
    func members(of name: String) -> [String] {
        values(of: name).flatMap { Self.split($0, at: ",") }.filter { !$0.isEmpty }
    }

    /// The status code of a response.
    package var status: Int? {
        let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, ["HTTP/1.1", "HTTP/1.0", "HTTP/2"].contains(parts[0]), parts[1].count == 3,
            parts[1].utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
        else {
            return nil
        }
        return Int(parts[1])
    }

    var bytes: [UInt8] {
        var bytes = Array((line + "\r\n").utf8)
        for field in fields { bytes += Array(field.name.utf8) + [0x3A, 0x20] + field.value + [0x0D, 0x0A] }
        return bytes
    }

    /// The head of a field section of HTTP/2. A request gets the line `CONNECT :path HTTP/2`, a response `HTTP/2 :status`.
    init(http2 fields: [Field]) {
        let status = fields.first { $0.name == ":status" }
        let path = fields.first { $0.name == ":path" }.map { String(decoding: $0.value, as: UTF8.self) }
        line = status.map { "HTTP/2 " + String(decoding: $0.value, as: UTF8.self) } ?? "CONNECT \(path ?? "/") HTTP/2"
        self.fields = fields
    }

    /// This request of HTTP/1.1 as one of HTTP/2 (RFC 8441 §4).
    /// - Parameter scheme: `http` or `https`.
    func http2Request(scheme: String) -> Head {
        let words = line.split(separator: " ")
        let pseudo = [
            (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", scheme),
            (":authority", values(of: "Host").first ?? ""), (":path", words.count > 1 ? String(words[1]) : "/"),
        ]
        let dropped = HeaderBlock.connectionFields + ["host", "sec-websocket-key"]
        let others = fields.map { Field(name: $0.name.lowercased(), value: $0.value) }.filter {
            !dropped.contains($0.name)
        }
        return Head(http2: pseudo.map { Field(name: $0.0, value: Array($0.1.utf8)) } + others)
    }

    /// Splits at a separator that is not in quotation marks.
    static func split(_ text: String, at separator: Character) -> [String] {
        var parts = [""]
        var isQuoted = false
        var isEscaped = false
        for character in text {
            if character == separator, !isQuoted {
                parts.append("")
                continue
            }
            if isQuoted { isEscaped = character == "\\" && !isEscaped }
            if character == "\"", !isEscaped || !isQuoted { isQuoted.toggle() }
            parts[parts.count - 1].append(character)
        }
        return parts.map { part in
            let rest = part.drop { $0 == " " || $0 == "\t" }
            let end = rest.lastIndex { $0 != " " && $0 != "\t" }.map { rest.index(after: $0) } ?? rest.startIndex
            return String(rest[..<end])
        }
    }
}

/// Reads the heads of responses.
struct HeadReader {
    private var bytes: [UInt8] = []

    /// Takes a head and its status from the front of `input`, or `nil` if it is not complete.
    /// - Throws: ``Violation``.
    mutating func next(
        _ input: inout UnsafeMutableRawBufferPointer, _ log: inout FrameLog
    ) throws(Violation) -> (head: Head, status: Int)? {
        while let byte = input.first {
            bytes.append(byte)
            input = UnsafeMutableRawBufferPointer(rebasing: input.dropFirst())
            guard byte == 0x0A, bytes.suffix(4) == [0x0D, 0x0A, 0x0D, 0x0A] || bytes.suffix(2) == [0x0A, 0x0A] else {
                continue
            }
            defer { bytes = [] }
            log.add(isSent: false, "head", count: bytes.count, payload: bytes)
            guard let head = Head(bytes), let status = head.status else {
                throw Violation("the response is not a valid head of HTTP/1.1", "9112 §4")
            }
            return (head, status)
        }
        guard bytes.count < Head.maximumBytes else {
            throw Violation("the response's head is larger than 128 KiB", "9112 §2.1")
        }
        return nil
    }
}

/// A member of Sec-WebSocket-Extensions (RFC 6455 §9.1).
struct ExtensionElement {
    let name: String
    let parameters: [(name: String, value: String?)]

    init(_ text: String) {
        let parts = Head.split(text, at: ";")
        name = parts[0].lowercased()
        parameters = parts.dropFirst().map { part in
            let pair = Head.split(part, at: "=")
            guard pair.count > 1 else { return (pair[0].lowercased(), nil) }
            let value = pair[1]
            let isQuoted = value.count >= 2 && value.first == "\"" && value.last == "\""
            return (pair[0].lowercased(), isQuoted ? String(value.dropFirst().dropLast()) : value)
        }
    }

    static func list(in head: Head) -> [ExtensionElement] {
        head.members(of: "Sec-WebSocket-Extensions").map(ExtensionElement.init)
    }

    func has(_ name: String) -> Bool { parameters.contains { $0.name == name } }
}
