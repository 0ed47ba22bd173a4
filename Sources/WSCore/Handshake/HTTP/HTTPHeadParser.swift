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
        case response(status: Int, reason: String)
    }

    private let kind: Kind
    private let limits: HeadLimits
    /// The current line without its CRLF.
    private var line: [UInt8] = []
    private var sawCarriageReturn = false
    private var startLine: StartLine?
    private var minorVersion = 1
    /// The offsets of the target and the version in a request line, or 0 before they begin.
    private var targetStart = 0
    private var versionStart = 0
    private var fields = HTTPFields()
    /// The last field, which a folded line may extend.
    private var pendingField: (name: String, value: [UInt8])?
    /// The number of bytes received so far.
    private(set) var byteCount = 0

    init(_ kind: Kind, limits: HeadLimits) {
        self.kind = kind
        self.limits = limits
    }

    /// The request, after ``receive(_:)`` has returned a count.
    var requestHead: RequestHead? {
        guard case .request(let method, let target) = startLine else { return nil }
        return RequestHead(method: method, target: target, fields: fields, minorVersion: minorVersion)
    }

    /// The response, after ``receive(_:)`` has returned a count.
    var responseHead: ResponseHead? {
        guard case .response(let status, let reason) = startLine else { return nil }
        return ResponseHead(status: status, reason: reason, fields: fields, minorVersion: minorVersion)
    }

    /// Receives bytes. Returns `nil` until the head is complete, and then the number of these bytes that belong to it.
    mutating func receive(_ bytes: RawSpan) throws(HTTPHeadError) -> Int? {
        var offset = 0
        while true {
            if startLine != nil, !sawCarriageReturn { offset += receiveText(bytes.extracting(droppingFirst: offset)) }
            guard offset < bytes.byteCount else { return nil }
            let byte = bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            byteCount += 1
            guard byteCount <= limits.maximumBytes else { throw .tooLarge(maximumBytes: limits.maximumBytes) }
            if startLine == nil, !sawCarriageReturn, !startLineMayContinue(with: byte) {
                throw .notHTTP(preview: preview(of: bytes, from: offset))
            }
            offset += 1
            if try receive(byte) { return offset }
        }
    }

    /// Receives the bytes before the first control character, but not more than the limit. Returns their number.
    private mutating func receiveText(_ bytes: RawSpan) -> Int {
        bytes.withUnsafeBytes { bytes in
            let text = bytes.prefix(max(0, limits.maximumBytes - byteCount)).prefix { !ASCII.isControl($0) }
            line.append(contentsOf: text)
            byteCount += text.count
            return text.count
        }
    }

    /// Receives one byte. Returns whether it completes the head.
    private mutating func receive(_ byte: UInt8) throws(HTTPHeadError) -> Bool {
        if sawCarriageReturn {
            // RFC 9112 §2.2: a bare CR makes the element invalid.
            guard byte == ASCII.lineFeed else { throw .bareCarriageReturn }
            sawCarriageReturn = false
            defer { line.removeAll(keepingCapacity: true) }
            return try endLine()
        }
        switch byte {
        case ASCII.carriageReturn: sawCarriageReturn = true
        case ASCII.lineFeed: throw .bareLineFeed
        case ASCII.tab: line.append(byte)
        // RFC 9110 §5.5: values with NUL and other control characters are invalid or dangerous.
        case let byte where ASCII.isControl(byte): throw .controlCharacter(byte)
        default: line.append(byte)
        }
        return false
    }

    private mutating func endLine() throws(HTTPHeadError) -> Bool {
        guard startLine != nil else {
            // RFC 9112 §2.2: a server should ignore empty lines before the request line.
            if !line.isEmpty { try parseStartLine() }
            return false
        }
        guard let first = line.first else {
            finishPendingField()
            return true
        }
        if ASCII.isOptionalWhitespace(first) {
            try foldLine()
        } else {
            finishPendingField()
            try parseField()
        }
        return false
    }

    private mutating func foldLine() throws(HTTPHeadError) {
        // RFC 9112 §5.2: a server rejects a folded field, and a client replaces the fold with spaces. RFC 9112 §2.2:
        // white space between the start line and the first field is rejected.
        guard kind == .response, pendingField != nil else { throw .foldedField }
        let content = ASCII.trimmed(line[...])
        guard !content.isEmpty else { return }
        if pendingField?.value.isEmpty == false { pendingField?.value.append(ASCII.space) }
        pendingField?.value.append(contentsOf: content)
    }

    private mutating func parseField() throws(HTTPHeadError) {
        guard fields.count < limits.maximumFields else { throw .tooManyFields(maximum: limits.maximumFields) }
        guard let colon = line.firstIndex(of: ASCII.colon) else { throw .missingColon(Self.excerpt(of: line)) }
        let name = line[..<colon]
        // RFC 9112 §5.1: reject white space between name and colon, which has been used to hide fields from proxies.
        if let last = name.last, ASCII.isOptionalWhitespace(last) {
            throw .whitespaceBeforeColon(Self.excerpt(of: Array(name)))
        }
        // RFC 9110 §5.1: a field name is a token.
        guard !name.isEmpty, name.allSatisfy(ASCII.isTokenCharacter) else {
            throw .invalidFieldName(Self.excerpt(of: Array(name)))
        }
        pendingField = (text(name), Array(ASCII.trimmed(line[(colon + 1)...])))
    }

    private mutating func finishPendingField() {
        guard let (name, value) = pendingField else { return }
        fields.append(HeaderField(wellFormedName: name, bytes: value))
        pendingField = nil
    }

    /// Decodes bytes as UTF-8. Invalid bytes become U+FFFD.
    private func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    /// The beginning of the message for the error: the current line and the bytes received with it.
    private func preview(of bytes: RawSpan, from offset: Int) -> [UInt8] {
        var preview = line
        let count = min(bytes.byteCount - offset, max(0, Self.maximumPreviewBytes - line.count))
        for index in offset..<(offset + count) {
            preview.append(bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self))
        }
        return Array(preview.prefix(Self.secretStart(in: preview)).prefix(Self.maximumPreviewBytes))
    }

    /// The beginning of a malformed field for the error, which is logged. Cut after a name that suggests a secret.
    private static func excerpt(of line: [UInt8]) -> String {
        String(decoding: line.prefix(secretStart(in: line)).prefix(maximumPreviewBytes), as: UTF8.self)
    }

    /// The offset at which a secret may begin: after the first word that is the name of a secret field.
    private static func secretStart(in bytes: [UInt8]) -> Int {
        let words = bytes.indices.split { !ASCII.isTokenCharacter(bytes[$0]) }
        let name = words.first { HeaderField.isSecret(name: String(decoding: bytes[$0], as: UTF8.self)) }
        return name?.endIndex ?? bytes.count
    }

    private static let maximumPreviewBytes = 64
}

// MARK: Start line
extension HTTPHeadParser {
    /// Whether a valid start line can continue with this byte after ``line``.
    private mutating func startLineMayContinue(with byte: UInt8) -> Bool {
        switch kind {
        case .request: requestLineMayContinue(with: byte)
        case .response: statusLineMayContinue(with: byte)
        }
    }

    /// RFC 9112 §3: `method SP request-target SP HTTP-version`.
    private mutating func requestLineMayContinue(with byte: UInt8) -> Bool {
        let position = line.count
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
        if targetStart > 0 { return byte > ASCII.space && byte < 0x7F }
        return ASCII.isTokenCharacter(byte) || (position == 0 && byte == ASCII.carriageReturn)
    }

    /// RFC 9112 §4: `HTTP-version SP status-code SP [reason-phrase]`. Some servers omit the second space.
    private func statusLineMayContinue(with byte: UInt8) -> Bool {
        switch line.count {
        case 0..<8: isVersion(byte, at: line.count)
        case 8: byte == ASCII.space
        case 9...11: ASCII.isDigit(byte)
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
        let version = line[versionStart..<(versionStart + Self.versionByteCount)]
        // RFC 9112 §2.3: another major version means another message format.
        guard version[versionStart + 5] == UInt8(ascii: "1") else { throw .unsupportedVersion(text(version)) }
        minorVersion = Int(version[versionStart + 7] - UInt8(ascii: "0"))
        switch kind {
        case .request:
            startLine = .request(
                method: text(line[..<(targetStart - 1)]),
                target: text(line[targetStart..<(versionStart - 1)]))
        case .response:
            let status = line[9..<12].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
            startLine = .response(status: status, reason: text(ASCII.trimmed(line.dropFirst(13))))
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
