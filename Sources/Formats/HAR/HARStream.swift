import WSCore

/// The values of a HAR file, with the errors of HAR files.
struct HARStream: ~Copyable {
    private var stream: JSONStream

    /// The maximum length of a scalar, in bytes of the text.
    private static let maximumScalarBytes = 64 << 10

    init(_ stream: consuming JSONStream) {
        self.stream = stream
    }

    var offset: Int { stream.offset }

    mutating func enter(_ container: JSONStream.Container) throws(HARError) -> Bool {
        do throws(JSONStreamError) { return try stream.enter(container) } catch { throw .text(error) }
    }

    mutating func nextMember() throws(HARError) -> String? {
        do throws(JSONStreamError) { return try stream.nextMember() } catch { throw .text(error) }
    }

    mutating func nextElement() throws(HARError) -> Bool {
        do throws(JSONStreamError) { return try stream.nextElement() } catch { throw .text(error) }
    }

    mutating func take(limitBytes: Int) throws(HARError) -> ByteBuffer {
        do throws(JSONStreamError) { return try stream.take(limitBytes: limitBytes) } catch { throw .text(error) }
    }

    mutating func skip() throws(HARError) {
        do throws(JSONStreamError) { try stream.skip() } catch { throw .text(error) }
    }

    mutating func finish() throws(HARError) {
        do throws(JSONStreamError) { try stream.finish() } catch { throw .text(error) }
    }

    /// Takes a string. Returns `nil` for null.
    mutating func string(at place: HARPlace) throws(HARError) -> String? {
        let text = try take(limitBytes: Self.maximumScalarBytes)
        return try text.withReadableBytes { (text) throws(HARError) in try HARValue.string(text, at: place) }
    }

    /// Takes an integer. Returns 0 for null, and for other numbers.
    mutating func integer(at place: HARPlace) throws(HARError) -> Int {
        let text = try take(limitBytes: Self.maximumScalarBytes)
        return try text.withReadableBytes { (text) throws(HARError) in
            Int(exactly: try HARValue.number(text, at: place) ?? 0) ?? 0
        }
    }

    /// Takes the time of a message.
    mutating func time(at place: HARPlace) throws(HARError) -> Duration? {
        let text = try take(limitBytes: Self.maximumScalarBytes)
        return try text.withReadableBytes { (text) throws(HARError) in try HARValue.time(text, at: place) }
    }
}

/// Scalars of HAR files, from their JSON texts.
enum HARValue {
    /// Decodes a string. Returns `nil` for null.
    static func string(_ text: RawSpan, at place: HARPlace) throws(HARError) -> String? {
        guard !isNull(text) else { return nil }
        var decoded = ByteBuffer()
        try appendString(text, to: &decoded, at: place)
        return decoded.withReadableBytes { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
    }

    /// Appends a decoded string.
    static func appendString(_ text: RawSpan, to buffer: inout ByteBuffer, at place: HARPlace) throws(HARError) {
        guard first(of: text) == UInt8(ascii: "\"") else { throw .badValue(place, expected: "a string") }
        guard JSONString.appendDecoded(text, to: &buffer) else { throw .halfSurrogate(place) }
    }

    /// Decodes a number. Returns `nil` for null.
    static func number(_ text: RawSpan, at place: HARPlace) throws(HARError) -> Double? {
        guard !isNull(text) else { return nil }
        // JSON has no other words that are numbers in Swift, such as `nan`.
        guard let number = Double(text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }) else {
            throw .badValue(place, expected: "a number")
        }
        return number
    }

    /// Decodes the time of a message since 1970-01-01 UTC. Chromium and mitmproxy write seconds, Playwright milliseconds,
    /// and -1 if it omits times. Returns `nil` for null and -1.
    static func time(_ text: RawSpan, at place: HARPlace) throws(HARError) -> Duration? {
        guard let number = try number(text, at: place), number != -1 else { return nil }
        // 1e11 seconds would be the year 5138, and 1e11 milliseconds 1973.
        let seconds = number < 1e11 ? number : number / 1000
        guard seconds >= 0, seconds <= lastSecond else {
            throw .badValue(place, expected: "a time in seconds or milliseconds since 1970")
        }
        return .microseconds(Int64((seconds * 1_000_000).rounded()))
    }

    /// 9999-12-31T23:59:59Z: the text of later times has another form.
    private static let lastSecond = 253_402_300_799.0

    static func isNull(_ text: RawSpan) -> Bool { first(of: text) == UInt8(ascii: "n") }

    private static func first(of text: RawSpan) -> UInt8? {
        text.byteCount > 0 ? text.unsafeLoad(fromByteOffset: 0, as: UInt8.self) : nil
    }
}
