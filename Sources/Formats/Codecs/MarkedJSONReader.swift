import WSCore

/// A binary format that ``MarkedJSONReader`` writes. Each function appends the encoding to a buffer.
protocol BinaryFormat {
    static func appendNull(to buffer: inout ByteBuffer)
    static func append(_ value: Bool, to buffer: inout ByteBuffer)
    /// - Throws: ``CodecProblem`` if the number is out of range.
    static func append(_ number: Int128, to buffer: inout ByteBuffer) throws(CodecProblem)
    static func append(_ number: Double, to buffer: inout ByteBuffer)
    static func appendText(_ text: RawSpan, to buffer: inout ByteBuffer)
    static func appendBytes(_ bytes: RawSpan, to buffer: inout ByteBuffer)
    /// Begins an array with this many elements.
    static func beginArray(count: Int, in buffer: inout ByteBuffer)
    /// Begins a map with this many pairs.
    static func beginMap(count: Int, in buffer: inout ByteBuffer)
    /// - Throws: ``CodecProblem`` if the format has no extensions.
    static func appendExtension(type: Int8, _ bytes: RawSpan, to buffer: inout ByteBuffer) throws(CodecProblem)
    /// - Throws: ``CodecProblem`` if the format has no tags.
    static func beginTag(_ tag: UInt64, in buffer: inout ByteBuffer) throws(CodecProblem)
    /// - Throws: ``CodecProblem`` if the format has no simple values.
    static func appendSimple(_ value: UInt8, to buffer: inout ByteBuffer) throws(CodecProblem)
    static func appendUndefined(to buffer: inout ByteBuffer) throws(CodecProblem)
}

extension BinaryFormat {
    static func appendExtension(type: Int8, _ bytes: RawSpan, to buffer: inout ByteBuffer) throws(CodecProblem) {
        throw .unsupportedMarker("$ext")
    }

    static func beginTag(_ tag: UInt64, in buffer: inout ByteBuffer) throws(CodecProblem) {
        throw .unsupportedMarker("$tag")
    }

    static func appendSimple(_ value: UInt8, to buffer: inout ByteBuffer) throws(CodecProblem) {
        throw .unsupportedMarker("$simple")
    }

    static func appendUndefined(to buffer: inout ByteBuffer) throws(CodecProblem) {
        throw .unsupportedMarker("$undefined")
    }
}

/// Converts JSON with the markers of ``MarkedJSONWriter`` to a binary format.
///
/// A number with neither a point nor an exponent becomes an integer, and any other number a 64-bit float.
struct MarkedJSONReader<Format: BinaryFormat> {
    private var reader = JSONReader()
    /// The sizes of all objects and arrays, in the order of their beginnings: binary formats begin with them.
    private var counts: [Int]
    private var nextCount = 0
    /// The levels of nesting around this text, which is the key of a map.
    private let outerDepth: Int

    /// Appends the encoding of a JSON text.
    /// - Throws: ``CodecProblem``. A part may already have been appended.
    static func encode(_ text: RawSpan, to buffer: inout ByteBuffer) throws(CodecProblem) {
        guard UTF8Validator.isValid(text) else { throw .notUTF8 }
        try encode(text, outerDepth: 0, to: &buffer)
    }

    private static func encode(_ text: RawSpan, outerDepth: Int, to buffer: inout ByteBuffer) throws(CodecProblem) {
        var reader = MarkedJSONReader(counts: try Self.counts(in: text), outerDepth: outerDepth)
        let token = try reader.next(in: text)
        try reader.append(token, of: text, to: &buffer)
    }

    private init(counts: [Int], outerDepth: Int) {
        self.counts = counts
        self.outerDepth = outerDepth
    }

    /// Checks the text and counts the members of all objects and arrays.
    private static func counts(in text: RawSpan) throws(CodecProblem) -> [Int] {
        var counts: [Int] = []
        var levels: [(index: Int, isObject: Bool)] = []
        var reader = JSONReader()
        do throws(JSONError) {
            while let token = try reader.next(in: text) {
                if token.kind == .endObject || token.kind == .endArray {
                    levels.removeLast()
                    continue
                }
                // The keys of an object count, and the values of an array.
                if let level = levels.last, level.isObject == (token.kind == .key) { counts[level.index] += 1 }
                if token.kind == .beginObject || token.kind == .beginArray {
                    levels.append((counts.count, token.kind == .beginObject))
                    counts.append(0)
                }
            }
        } catch {
            throw .notJSON(error)
        }
        return counts
    }

    /// The next token of a text that has been checked.
    private mutating func next(in text: RawSpan) throws(CodecProblem) -> JSONToken {
        do throws(JSONError) {
            guard let token = try reader.next(in: text) else { throw .truncated }
            return token
        } catch {
            throw .notJSON(error)
        }
    }

    private mutating func takeCount() -> Int {
        nextCount += 1
        return counts[nextCount - 1]
    }

    // MARK: Values

    private mutating func append(
        _ token: JSONToken, of text: RawSpan, to buffer: inout ByteBuffer
    ) throws(CodecProblem) {
        // The depth of nested keys adds up, and bounds the depth of recursion.
        guard outerDepth + reader.depth <= JSONReader.maximumDepth else {
            throw .tooDeep(limit: JSONReader.maximumDepth)
        }
        let literal = text.extracting(token.range)
        switch token.kind {
        case .beginObject: try appendObject(of: text, to: &buffer)
        case .beginArray:
            Format.beginArray(count: takeCount(), in: &buffer)
            while true {
                let element = try next(in: text)
                if element.kind == .endArray { return }
                try append(element, of: text, to: &buffer)
            }
        case .string: try Self.decoded(literal).withReadableBytes { Format.appendText($0, to: &buffer) }
        case .number: try Self.appendNumber(literal, to: &buffer)
        case .literal:
            // `null` has four bytes with an `n` first, and so on.
            switch literal.unsafeLoad(fromByteOffset: 0, as: UInt8.self) {
            case UInt8(ascii: "n"): Format.appendNull(to: &buffer)
            case let first: Format.append(first == UInt8(ascii: "t"), to: &buffer)
            }
        case .key, .endObject, .endArray: throw .notJSON(.unexpected(offset: token.range.lowerBound))
        }
    }

    private mutating func appendObject(of text: RawSpan, to buffer: inout ByteBuffer) throws(CodecProblem) {
        let count = takeCount()
        var token = try next(in: text)
        if count == 1, let marker = Marker(rawValue: JSONString.decoded(text.extracting(token.range))) {
            try append(marker, of: text, to: &buffer)
            guard try next(in: text).kind == .endObject else { throw marker.problem }
            return
        }
        Format.beginMap(count: count, in: &buffer)
        while token.kind == .key {
            try appendKey(text.extracting(token.range), to: &buffer)
            let value = try next(in: text)
            try append(value, of: text, to: &buffer)
            token = try next(in: text)
        }
    }

    private func appendKey(_ literal: RawSpan, to buffer: inout ByteBuffer) throws(CodecProblem) {
        let key = try Self.decoded(literal).withReadableBytes { $0.withUnsafeBytes { Array($0) } }
        let dollar = UInt8(ascii: "$")
        guard key.first == dollar else { return Format.appendText(key.span.bytes, to: &buffer) }
        let rest = key.span.bytes.extracting(droppingFirst: 1)
        guard key.dropFirst().first != dollar else { return Format.appendText(rest, to: &buffer) }
        guard JSONReader.problem(in: rest) == nil else {
            throw .invalidKey(escapingControls(String(decoding: key.prefix(60), as: UTF8.self)))
        }
        try Self.encode(rest, outerDepth: outerDepth + reader.depth, to: &buffer)
    }

    private static func decoded(_ literal: RawSpan) throws(CodecProblem) -> ByteBuffer {
        var decoded = ByteBuffer()
        guard JSONString.appendDecoded(literal, to: &decoded) else { throw .unpairedSurrogate }
        return decoded
    }

    private static func appendNumber(_ literal: RawSpan, to buffer: inout ByteBuffer) throws(CodecProblem) {
        let digits = literal.withUnsafeBytes { String(decoding: $0.prefix(1000), as: UTF8.self) }
        let problem = CodecProblem.numberOutOfRange(String(digits.prefix(60)))
        if literal.withUnsafeBytes({ $0.allSatisfy { $0 == UInt8(ascii: "-") || $0 & 0xF0 == 0x30 } }) {
            guard literal.byteCount < 1000, let number = Int128(digits) else { throw problem }
            return try Format.append(number, to: &buffer)
        }
        let whole = literal.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        guard let number = Double(whole), number.isFinite else { throw problem }
        Format.append(number, to: &buffer)
    }

    // MARK: Markers

    private enum Marker: String {
        case bytes = "$bytes"
        case text = "$text"
        case float = "$float"
        case ext = "$ext"
        case tag = "$tag"
        case undefined = "$undefined"
        case simple = "$simple"

        var problem: CodecProblem {
            let expected =
                switch self {
                case .bytes, .text: "a string of Base64"
                case .float: #""NaN", "Infinity", or "-Infinity""#
                case .ext: "an array of a type from -128 to 127 and a string of Base64"
                case .tag: "an array of a number and a value"
                case .undefined: "the value true"
                case .simple: "a number from 0 to 19 or 32 to 255"
                }
            return .invalidMarker(rawValue, expected: expected)
        }
    }

    private mutating func append(
        _ marker: Marker, of text: RawSpan, to buffer: inout ByteBuffer
    ) throws(CodecProblem) {
        let token = try next(in: text)
        let literal = text.extracting(token.range)
        switch marker {
        case .bytes: try base64(token, of: text, marker).withReadableBytes { Format.appendBytes($0, to: &buffer) }
        case .text: try base64(token, of: text, marker).withReadableBytes { Format.appendText($0, to: &buffer) }
        case .float:
            let numbers: [String: Double] = [#""NaN""#: .nan, #""Infinity""#: .infinity, #""-Infinity""#: -.infinity]
            guard let number = numbers[Self.string(literal)] else { throw marker.problem }
            Format.append(number, to: &buffer)
        case .ext:
            try beginPair(token, marker)
            let number = try next(in: text)
            guard let type = Int8(Self.string(text.extracting(number.range))) else { throw marker.problem }
            let bytes = try base64(try next(in: text), of: text, marker)
            try bytes.withReadableBytes { (bytes) throws(CodecProblem) in
                try Format.appendExtension(type: type, bytes, to: &buffer)
            }
            guard try next(in: text).kind == .endArray else { throw marker.problem }
        case .tag:
            try beginPair(token, marker)
            let number = try next(in: text)
            guard let tag = UInt64(Self.string(text.extracting(number.range))) else { throw marker.problem }
            try Format.beginTag(tag, in: &buffer)
            let value = try next(in: text)
            try append(value, of: text, to: &buffer)
            guard try next(in: text).kind == .endArray else { throw marker.problem }
        case .undefined:
            guard Self.string(literal) == "true" else { throw marker.problem }
            try Format.appendUndefined(to: &buffer)
        case .simple:
            guard let value = UInt8(Self.string(literal)), !(20..<32 ~= value) else { throw marker.problem }
            try Format.appendSimple(value, to: &buffer)
        }
    }

    private mutating func beginPair(_ token: JSONToken, _ marker: Marker) throws(CodecProblem) {
        guard token.kind == .beginArray, takeCount() == 2 else { throw marker.problem }
    }

    private func base64(
        _ token: JSONToken, of text: RawSpan, _ marker: Marker
    ) throws(CodecProblem) -> ByteBuffer {
        guard token.kind == .string else { throw marker.problem }
        let digits = try Self.decoded(text.extracting(token.range))
        var bytes = ByteBuffer()
        do throws(EncodedTextError) {
            try digits.withReadableBytes { (digits) throws(EncodedTextError) in
                try Base64.appendDecoded(digits, to: &bytes)
            }
        } catch {
            throw marker.problem
        }
        return bytes
    }

    private static func string(_ literal: RawSpan) -> String {
        literal.withUnsafeBytes { String(decoding: $0.prefix(100), as: UTF8.self) }
    }
}
