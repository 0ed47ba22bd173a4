/// Parses the head of one HTTP/1 message from any fragments of bytes (RFC 9112 §2–5).
///
/// The parser is strict wherever leniency would let two parsers read different messages from the same bytes: lines end
/// with CRLF, names are tokens, and control characters are rejected. It examines each byte a bounded number of times. A
/// start line that is not HTTP fails at the first offending byte.
struct HTTPHeadParser {
    enum Kind {
        case request
        case response
    }

    private enum StartLine {
        case request(method: String, target: String)
        case response(status: Int, reason: [UInt8])
    }

    private let kind: Kind
    private let limits: HeadLimits
    /// The start line and then, in its place, the lines of the fields. Without CRLF.
    private var text: [UInt8] = []
    /// The offset of the current line in the text.
    private var lineStart = 0
    private var sawCarriageReturn = false
    private var startLine: StartLine?
    private var minorVersion = 1
    /// The offsets of the target and the version in a request line, or 0 before they begin.
    private var targetStart = 0
    private var versionStart = 0
    private var locations: [HTTPFields.Location] = []
    /// The number of bytes received so far.
    private(set) var byteCount = 0

    init(_ kind: Kind, limits: HeadLimits) {
        self.kind = kind
        self.limits = limits
    }

    /// The request, after ``receive(_:)`` has returned a count.
    var requestHead: RequestHead? {
        guard case .request(let method, let target) = startLine else { return nil }
        return RequestHead(
            method: method, target: target, fields: HTTPFields(text, at: locations), minorVersion: minorVersion)
    }

    /// The response, after ``receive(_:)`` has returned a count.
    var responseHead: ResponseHead? {
        guard case .response(let status, let reason) = startLine else { return nil }
        return ResponseHead(
            status: status, reasonBytes: reason, fields: HTTPFields(text, at: locations), minorVersion: minorVersion)
    }

    /// Receives bytes. Returns `nil` until the head is complete, and then the number of these bytes that belong to it.
    mutating func receive(_ bytes: RawSpan) throws(HTTPHeadError) -> Int? {
        var offset = 0
        // Most heads arrive whole.
        if byteCount == 0 { text.reserveCapacity(min(bytes.byteCount, limits.maximumBytes)) }
        while true {
            if !sawCarriageReturn { offset += receiveText(bytes.extracting(droppingFirst: offset)) }
            guard offset < bytes.byteCount else { return nil }
            let byte = bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            byteCount += 1
            guard byteCount <= limits.maximumBytes else { throw .tooLarge(maximumBytes: limits.maximumBytes) }
            if startLine == nil, !sawCarriageReturn, !startLineMayContinue(with: byte, at: text.count) {
                throw .notHTTP(preview: preview(of: bytes, from: offset))
            }
            offset += 1
            if try receive(byte) { return offset }
        }
    }

    /// Receives the bytes before the first control character, or before the first that cannot continue the start line,
    /// but not more than the limit. Returns their number.
    private mutating func receiveText(_ bytes: RawSpan) -> Int {
        let textCount = ASCII.countBeforeControl(bytes.extracting(first: limits.maximumBytes - byteCount))
        var count = startLine == nil ? 0 : textCount
        while count < textCount,
            startLineMayContinue(
                with: bytes.unsafeLoad(fromByteOffset: count, as: UInt8.self), at: text.count + count)
        {
            count += 1
        }
        bytes.extracting(first: count).withUnsafeBytes { text.append(contentsOf: $0) }
        byteCount += count
        return count
    }

    /// Receives one byte. Returns whether it completes the head.
    private mutating func receive(_ byte: UInt8) throws(HTTPHeadError) -> Bool {
        if sawCarriageReturn {
            // RFC 9112 §2.2: a bare CR makes the element invalid.
            guard byte == ASCII.lineFeed else { throw .bareCarriageReturn }
            sawCarriageReturn = false
            return try endLine()
        }
        switch byte {
        case ASCII.carriageReturn: sawCarriageReturn = true
        case ASCII.lineFeed: throw .bareLineFeed
        case ASCII.tab: text.append(byte)
        // RFC 9110 §5.5: values with NUL and other control characters are invalid or dangerous.
        case let byte where ASCII.isControl(byte): throw .controlCharacter(byte)
        default: text.append(byte)
        }
        return false
    }

    private mutating func endLine() throws(HTTPHeadError) -> Bool {
        guard startLine != nil else {
            // RFC 9112 §2.2: a server should ignore empty lines before the request line.
            if !text.isEmpty { try parseStartLine() }
            text.removeAll(keepingCapacity: true)
            locations.reserveCapacity(8)
            return false
        }
        guard lineStart < text.count else { return true }
        if ASCII.isOptionalWhitespace(text[lineStart]) { try foldLine() } else { try parseField() }
        lineStart = text.count
        return false
    }

    private mutating func foldLine() throws(HTTPHeadError) {
        // RFC 9112 §5.2: a server rejects a folded field, and a client replaces the fold with spaces. RFC 9112 §2.2:
        // white space between the start line and the first field is rejected.
        guard kind == .response, let value = locations.last?.value else { throw .foldedField }
        let content = ASCII.trimmed(text[lineStart...])
        guard !content.isEmpty else { return }
        text.replaceSubrange(content.endIndex..., with: [])
        text.replaceSubrange(value.endIndex..<content.startIndex, with: value.isEmpty ? [] : [ASCII.space])
        locations[locations.count - 1].value = value.startIndex..<text.count
    }

    private mutating func parseField() throws(HTTPHeadError) {
        guard locations.count < limits.maximumFields else { throw .tooManyFields(maximum: limits.maximumFields) }
        // RFC 9110 §5.1: a field name is a token.
        var colon = lineStart
        while colon < text.count, ASCII.isTokenCharacter(text[colon]) { colon += 1 }
        guard colon > lineStart, colon < text.count, text[colon] == ASCII.colon else {
            throw Self.problem(ofField: text[lineStart...])
        }
        var (start, end) = (colon + 1, text.count)
        while start < end, ASCII.isOptionalWhitespace(text[start]) { start += 1 }
        while start < end, ASCII.isOptionalWhitespace(text[end - 1]) { end -= 1 }
        locations.append(HTTPFields.Location(name: lineStart..<colon, value: start..<end))
    }

    /// The reason why a line does not begin with a name and a colon.
    private static func problem(ofField line: ArraySlice<UInt8>) -> HTTPHeadError {
        guard let colon = line.firstIndex(of: ASCII.colon) else { return .missingColon(excerpt(of: line)) }
        let name = line[..<colon]
        // RFC 9112 §5.1: reject white space between name and colon, which has been used to hide fields from proxies.
        if let last = name.last, ASCII.isOptionalWhitespace(last) { return .whitespaceBeforeColon(excerpt(of: name)) }
        return .invalidFieldName(excerpt(of: name))
    }

    /// The beginning of the message for the error: the current line and the bytes received with it.
    private func preview(of bytes: RawSpan, from offset: Int) -> [UInt8] {
        var preview = text
        let count = min(bytes.byteCount - offset, max(0, Self.maximumPreviewBytes - text.count))
        for index in offset..<(offset + count) {
            preview.append(bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self))
        }
        return Array(preview[..<Self.secretStart(in: preview[...])].prefix(Self.maximumPreviewBytes))
    }

    /// The beginning of a malformed field for the error, which is logged. Cut after a name that suggests a secret.
    private static func excerpt(of line: ArraySlice<UInt8>) -> String {
        String(decoding: line[..<secretStart(in: line)].prefix(maximumPreviewBytes), as: UTF8.self)
    }

    /// The offset at which a secret may begin: after the first word that is the name of a secret field.
    private static func secretStart(in bytes: ArraySlice<UInt8>) -> Int {
        let words = bytes.indices.split { !ASCII.isTokenCharacter(bytes[$0]) }
        let name = words.first { HeaderField.isSecret(name: String(decoding: bytes[$0], as: UTF8.self)) }
        return name?.endIndex ?? bytes.endIndex
    }

    private static let maximumPreviewBytes = 64
}

// MARK: Start line
extension HTTPHeadParser {
    /// Whether a valid start line can continue with this byte at a position.
    private mutating func startLineMayContinue(with byte: UInt8, at position: Int) -> Bool {
        switch kind {
        case .request: requestLineMayContinue(with: byte, at: position)
        case .response: statusLineMayContinue(with: byte, at: position)
        }
    }

    /// RFC 9112 §3: `method SP request-target SP HTTP-version`.
    private mutating func requestLineMayContinue(with byte: UInt8, at position: Int) -> Bool {
        if versionStart > 0 {
            let versionEnd = versionStart + Self.versionByteCount
            guard position < versionEnd else { return byte == ASCII.carriageReturn || byte == ASCII.lineFeed }
            return isVersion(byte, at: position - versionStart)
        }
        if byte == ASCII.space {
            guard position > targetStart else { return false }
            if targetStart == 0 { targetStart = position + 1 } else { versionStart = position + 1 }
            return true
        }
        if targetStart > 0 { return RequestHead.isTargetByte(byte) }
        return ASCII.isTokenCharacter(byte) || (position == 0 && byte == ASCII.carriageReturn)
    }

    /// RFC 9112 §4: `HTTP-version SP status-code SP [reason-phrase]`. Some servers omit the second space.
    private func statusLineMayContinue(with byte: UInt8, at position: Int) -> Bool {
        switch position {
        case 0..<8: isVersion(byte, at: position)
        case 8: byte == ASCII.space
        // RFC 9110 §15: the first digit is the class, from 1.
        case 9: ASCII.isDigit(byte) && byte != UInt8(ascii: "0")
        case 10, 11: ASCII.isDigit(byte)
        case 12: byte == ASCII.space || byte == ASCII.carriageReturn || byte == ASCII.lineFeed
        default: true
        }
    }

    /// Whether the byte matches `HTTP/d.d` at a position from 0 through 7.
    private func isVersion(_ byte: UInt8, at position: Int) -> Bool {
        switch position {
        case 5, 7: ASCII.isDigit(byte)
        default: byte == Self.versionPattern[position]
        }
    }

    private mutating func parseStartLine() throws(HTTPHeadError) {
        let version = text[versionStart..<(versionStart + Self.versionByteCount)]
        // RFC 9112 §2.3: another major version means another message format.
        guard version[versionStart + 5] == UInt8(ascii: "1") else {
            throw .unsupportedVersion(String(decoding: version, as: UTF8.self))
        }
        minorVersion = Int(version[versionStart + 7] - UInt8(ascii: "0"))
        switch kind {
        case .request:
            let method = text[..<(targetStart - 1)]
            startLine = .request(
                method: method.elementsEqual("GET".utf8) ? "GET" : String(decoding: method, as: UTF8.self),
                target: String(decoding: text[targetStart..<(versionStart - 1)], as: UTF8.self))
        case .response:
            let status = text[9..<12].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
            startLine = .response(status: status, reason: Array(ASCII.trimmed(text.dropFirst(13))))
        }
    }

    private static let versionPattern = Array("HTTP/1.1".utf8)
    private static let versionByteCount = 8
}

/// Limits for the head of a request or response.
package struct HeadLimits: Equatable, Sendable {
    /// The maximum size of the head in bytes, including the start line and the final empty line.
    package let maximumBytes: Int
    /// The maximum number of header fields.
    package let maximumFields: Int

    /// Creates limits. Both must be at least 1.
    package init(maximumBytes: Int, maximumFields: Int) {
        self.maximumBytes = maximumBytes
        self.maximumFields = maximumFields
    }

    /// The default for clients: 64 KiB and 128 fields. A client knows its servers, and some set many cookies.
    package static let client = HeadLimits(maximumBytes: 64 << 10, maximumFields: 128)

    /// The default for servers: 16 KiB and 100 fields, as in other servers. Anyone can connect and send a head.
    package static let server = HeadLimits(maximumBytes: 16 << 10, maximumFields: 100)
}
