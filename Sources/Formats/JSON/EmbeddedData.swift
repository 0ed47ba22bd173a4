import WSCore

/// Data inside a value of a message that a reader would otherwise decode with another tool.
package enum EmbeddedData: Equatable {
    /// A JSON object or array in a string.
    case json([UInt8])
    /// A JSON Web Token (RFC 7519), not verified.
    /// - `expiry`: The claim `exp`, in seconds since 1970-01-01 UTC, up to the year 9999.
    case token(header: [UInt8], claims: [UInt8], expiry: Int?)
    /// Base64 (RFC 4648 §4 and §5).
    case base64([UInt8])
    /// Time since 1970-01-01 UTC, in seconds, milliseconds, microseconds, or nanoseconds.
    case time(WallTime)

    /// Where data is.
    package struct Location: Equatable {
        /// The dotted path to the value; empty for a message that is not JSON. ` → ` leads into JSON within a string.
        package let path: String
        package let data: EmbeddedData
    }

    /// The maximum number of values that are decoded in one message.
    package static let maximumCount = 100
    /// The maximum number of strings with JSON in each other.
    private static let maximumDepth = 8

    /// Finds the data in a text message, in order.
    package static func locations(in message: RawSpan) -> [Location] {
        var budget = maximumCount
        if let locations = locations(in: message, prefix: "", depth: 0, &budget) { return locations }
        return EmbeddedData(string: message).map { [Location(path: "", data: $0)] } ?? []
    }

    /// - Parameter budget: The number of values that may still be decoded.
    /// - Returns: The locations, or `nil` if the text is not JSON.
    private static func locations(
        in text: RawSpan, prefix: String, depth: Int, _ budget: inout Int
    ) -> [Location]? {
        var reader = JSONReader()
        var path = JSONTokenPath()
        var found: [Location] = []
        do throws(JSONError) {
            while let token = try reader.next(in: text) {
                path.advance(token, in: text)
                guard budget > 0, let data = EmbeddedData(token, in: text) else { continue }
                budget -= 1
                let path = prefix + path.text
                found.append(Location(path: path, data: data))
                if case .json(let inner) = data, depth < maximumDepth {
                    found += locations(in: inner.span.bytes, prefix: path + " → ", depth: depth + 1, &budget) ?? []
                }
            }
        } catch {
            return nil
        }
        return found
    }

    private init?(_ token: JSONToken, in text: RawSpan) {
        let literal = text.extracting(token.range)
        switch token.kind {
        case .number:
            guard let time = Self.time(literal) else { return nil }
            self = .time(time)
        case .string:
            var decoded = ByteBuffer()
            guard JSONString.appendDecoded(literal, to: &decoded) else { return nil }
            guard let data = decoded.withReadableBytes({ EmbeddedData(string: $0) }) else { return nil }
            self = data
        case .key, .literal, .beginObject, .endObject, .beginArray, .endArray: return nil
        }
    }

    /// Recognizes the data in a decoded string.
    private init?(string: RawSpan) {
        if let json = Self.json(string) {
            self = .json(json)
        } else if let token = Self.token(string) {
            self = token
        } else if let time = Self.time(string) {
            self = .time(time)
        } else if let bytes = Self.base64(string) {
            self = .base64(bytes)
        } else {
            return nil
        }
    }

    private static func json(_ text: RawSpan) -> [UInt8]? {
        ShownJSON(text)?.bytes
    }

    /// RFC 7519 §3, RFC 7515 §7.1: three parts in the URL-safe alphabet, the first two of which are JSON objects.
    private static func token(_ text: RawSpan) -> EmbeddedData? {
        let bytes = text.withUnsafeBytes { Array($0) }
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let header = object(parts[0]), let claims = object(parts[1]),
            parts[2].allSatisfy({ isURLSafe($0) })
        else { return nil }
        let members = try? JSONReader.members(of: claims.span.bytes)
        let expiry = members?.last { JSONString.decoded(claims.span.bytes.extracting($0.name.range)) == "exp" }
        let seconds = expiry.flatMap { Double(String(decoding: claims[$0.value.range], as: UTF8.self)) }
        return .token(header: header, claims: claims, expiry: seconds.flatMap { 0..<endOfYears ~= $0 ? Int($0) : nil })
    }

    /// The beginning of the year 10000, in seconds since 1970-01-01 UTC.
    private static let endOfYears = 253_402_300_800.0

    private static func object(_ part: ArraySlice<UInt8>) -> [UInt8]? {
        guard part.allSatisfy({ isURLSafe($0) }), let bytes = decoded(Array(part)), bytes.first == UInt8(ascii: "{")
        else { return nil }
        return json(bytes.span.bytes)
    }

    private static func isURLSafe(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    /// Most words, identifiers, and hexadecimal digests are Base64, too. So a text needs padding, or letters of both cases
    /// and digits or signs.
    private static func base64(_ text: RawSpan) -> [UInt8]? {
        guard text.byteCount >= minimumBase64Count else { return nil }
        let bytes = text.withUnsafeBytes { Array($0) }
        let hasUpper = bytes.contains { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }
        let hasLower = bytes.contains { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
        let hasOther = bytes.contains { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: "+") }
        guard bytes.last == UInt8(ascii: "=") || hasUpper && hasLower && hasOther,
            bytes.allSatisfy({ isURLSafe($0) || "+/=".utf8.contains($0) })
        else { return nil }
        return decoded(bytes)
    }

    /// Shorter texts are rarely Base64, and easy to decode by hand.
    private static let minimumBase64Count = 20

    private static func decoded(_ text: [UInt8]) -> [UInt8]? {
        var buffer = ByteBuffer()
        guard (try? Base64.appendDecoded(text.span.bytes, to: &buffer)) != nil else { return nil }
        return buffer.withReadableBytes { $0.withUnsafeBytes { Array($0) } }
    }

    /// Numbers between 2001-09-09 and 2100-01-01, in seconds (with a fraction, if there is one), milliseconds,
    /// microseconds, or nanoseconds.
    private static func time(_ number: RawSpan) -> WallTime? {
        guard 10...20 ~= number.byteCount else { return nil }
        let bytes = number.withUnsafeBytes { Array($0) }
        let digits = bytes.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        guard let number = Int(String(decoding: digits, as: UTF8.self)), bytes.first != UInt8(ascii: "0") else {
            return nil
        }
        var fraction = 0
        if digits.count < bytes.count {
            guard digits.count == 10, bytes[10] == UInt8(ascii: ".") else { return nil }
            let rest = bytes.dropFirst(11)
            guard !rest.isEmpty, rest.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
            let six = String(decoding: rest.prefix(6), as: UTF8.self)
            fraction = Int(six + String(repeating: "0", count: 6 - six.count)) ?? 0
        }
        let unit: Int
        switch digits.count {
        case 10: unit = 1
        case 13: unit = 1000
        case 16: unit = 1_000_000
        case 19: unit = 1_000_000_000
        default: return nil
        }
        let seconds = number / unit
        guard 1_000_000_000..<4_102_444_800 ~= seconds else { return nil }
        return WallTime(
            seconds: seconds, microseconds: unit == 1 ? fraction : number % unit * 1_000_000 / unit)
    }
}

/// The path to the token that a reader has returned last, in the notation of ``JSONPath``.
private struct JSONTokenPath {
    /// The step in each open object or array.
    private var steps: [String] = []
    /// The number of elements of each open array so far; `nil` for objects.
    private var elementCounts: [Int?] = []

    var text: String {
        let text = steps.joined()
        return text.hasPrefix(".") ? text : "." + text
    }

    mutating func advance(_ token: JSONToken, in text: RawSpan) {
        switch token.kind {
        case .key:
            steps[steps.count - 1] = JSONPath.step(to: Array(JSONString.decoded(text.extracting(token.range)).utf8))
        case .endObject, .endArray:
            steps.removeLast()
            elementCounts.removeLast()
        case .string, .number, .literal, .beginObject, .beginArray:
            if let last = elementCounts.last, let count = last {
                steps[steps.count - 1] = "[\(count)]"
                elementCounts[elementCounts.count - 1] = count + 1
            }
            guard token.kind == .beginObject || token.kind == .beginArray else { return }
            steps.append("")
            elementCounts.append(token.kind == .beginArray ? 0 : nil)
        }
    }
}
