import WSCore

/// Writes the values of a binary format as JSON, without a tree of them. ``MarkedJSONReader`` is the opposite.
///
/// Objects with a single member mark what JSON lacks:
///
///     {"$bytes":"AAEC"}                  a byte string, in Base64
///     {"$text":"/w=="}                   a text that is not UTF-8, in Base64
///     {"$float":"NaN"}                   also Infinity and -Infinity
///     {"$ext":[5,"AAEC"]}                MessagePack: an extension with its type
///     {"$tag":[0,"2013-03-21"]}          CBOR: a tag and its value
///     {"$undefined":true}                CBOR: undefined
///     {"$simple":99}                     CBOR: another simple value
///
/// A map's key that is no text becomes `$` and its JSON: the key 1 becomes `"$1"`, and the bytes 0 become
/// `"${\"$bytes\":\"AA==\"}"`. A text key that begins with `$` gets another `$`.
///
/// Numbers keep their exact value. Integers have neither a point nor an exponent, and floating-point numbers have one of
/// them. The width of a number in the binary format and the payload of NaN are lost.
struct MarkedJSONWriter: ~Copyable {
    /// An array, map, or tag that is not complete.
    private struct Level {
        enum Kind {
            case array
            case map
            case tag
        }

        let kind: Kind
        /// The number of values to come, or `nil` if an end marker follows them. The keys of a map count, too.
        var remaining: UInt64?
        /// The number of values so far.
        var count: UInt64 = 0
        /// The offset in the text of a key that is no text, while it is being written.
        var keyStart: Int?

        /// Whether the next value of a map is a key.
        var isAtKey: Bool { kind == .map && count.isMultiple(of: 2) }
        /// The levels of JSON.
        var depth: Int { kind == .tag ? 2 : 1 }
    }

    private var text: ByteBuffer
    private let limitBytes: Int
    private var levels: [Level] = []
    private var depth = 0
    /// Whether the outermost value is complete.
    private(set) var isComplete = false

    /// Creates a writer.
    /// - Parameters:
    ///   - buffer: An empty buffer whose storage is used.
    ///   - inputBytes: The size of the message, which limits the size of the text to ``maximumExpansion`` times as much.
    ///   - limitBytes: The maximum size of the text.
    init(_ buffer: consuming ByteBuffer, inputBytes: Int, limitBytes: Int) {
        text = buffer
        let (expanded, isHuge) = inputBytes.multipliedReportingOverflow(by: Self.maximumExpansion)
        self.limitBytes = isHuge ? limitBytes : min(limitBytes, expanded)
    }

    /// Each level of maps as keys of maps doubles the backslashes of the innermost key, so a message of 51 bytes could
    /// become 100 MB. The values of real messages take less than this number of times their size: one byte of CBOR can
    /// be 25 characters as a key (`undefined`).
    private static let maximumExpansion = 64

    /// The text.
    consuming func finish() -> ByteBuffer { text }

    // MARK: Scalars

    /// Adds `null`, `true`, or `false`.
    mutating func add(literal: StaticString) throws(CodecProblem) {
        try beginValue()
        text.append(literal: literal)
        try endValue()
    }

    mutating func add(_ number: Int128) throws(CodecProblem) {
        try beginValue()
        append(number)
        try endValue()
    }

    mutating func add(_ number: Double) throws(CodecProblem) {
        guard number.isFinite else {
            return try addMarker("$float", depth: 1) { text in
                text.append(literal: number.isNaN ? "\"NaN\"" : number < 0 ? "\"-Infinity\"" : "\"Infinity\"")
            }
        }
        try beginValue()
        // The shortest digits that identify the value.
        text.append(number.description)
        try endValue()
    }

    mutating func addText(_ string: RawSpan) throws(CodecProblem) {
        guard string.byteCount <= limitBytes else { throw .tooBig(limitBytes: limitBytes) }
        guard UTF8Validator.isValid(string) else { return try addBase64("$text", string) }
        guard levels.last?.isAtKey == true else {
            try beginValue()
            JSONString.append(string, to: &text)
            return try endValue()
        }
        separate()
        if string.byteCount > 0, string.unsafeLoad(fromByteOffset: 0, as: UInt8.self) == UInt8(ascii: "$") {
            let key = [UInt8(ascii: "$")] + string.withUnsafeBytes { Array($0) }
            JSONString.append(key.span.bytes, to: &text)
        } else {
            JSONString.append(string, to: &text)
        }
        try endValue()
    }

    mutating func addBytes(_ bytes: RawSpan) throws(CodecProblem) {
        try addBase64("$bytes", bytes)
    }

    mutating func addExtension(type: Int8, _ bytes: RawSpan) throws(CodecProblem) {
        guard bytes.byteCount <= limitBytes else { throw .tooBig(limitBytes: limitBytes) }
        try addMarker("$ext", depth: 2) { text in
            text.append(literal: "[")
            text.append(decimal: Int(type))
            text.append(literal: ",\"")
            Base64.append(bytes, to: &text)
            text.append(literal: "\"]")
        }
    }

    mutating func addUndefined() throws(CodecProblem) {
        try addMarker("$undefined", depth: 1) { $0.append(literal: "true") }
    }

    mutating func addSimple(_ value: UInt8) throws(CodecProblem) {
        try addMarker("$simple", depth: 1) { $0.append(decimal: Int(value)) }
    }

    private mutating func addBase64(_ name: StaticString, _ bytes: RawSpan) throws(CodecProblem) {
        guard bytes.byteCount <= limitBytes else { throw .tooBig(limitBytes: limitBytes) }
        try addMarker(name, depth: 1) { text in
            text.append(literal: "\"")
            Base64.append(bytes, to: &text)
            text.append(literal: "\"")
        }
    }

    /// Adds a marker whose value has this depth.
    private mutating func addMarker(
        _ name: StaticString, depth: Int, _ appendValue: (inout ByteBuffer) -> Void
    ) throws(CodecProblem) {
        try beginValue()
        guard self.depth + depth <= JSONReader.maximumDepth else { throw .tooDeep(limit: JSONReader.maximumDepth) }
        text.append(literal: "{\"")
        text.append(literal: name)
        text.append(literal: "\":")
        appendValue(&text)
        text.append(literal: "}")
        try endValue()
    }

    private mutating func append(_ number: Int128) {
        if let number = Int(exactly: number) { text.append(decimal: number) } else { text.append(number.description) }
    }

    // MARK: Levels

    /// Begins an array.
    /// - Parameter count: The number of elements, or `nil` if ``end()`` follows them.
    mutating func beginArray(count: UInt64?) throws(CodecProblem) {
        try beginValue()
        text.append(literal: "[")
        try open(Level(kind: .array, remaining: count))
    }

    /// Begins a map.
    /// - Parameter count: The number of pairs, at most half of `UInt64.max`, or `nil` if ``end()`` follows them.
    mutating func beginMap(count: UInt64?) throws(CodecProblem) {
        try beginValue()
        text.append(literal: "{")
        try open(Level(kind: .map, remaining: count.map { $0 * 2 }))
    }

    /// Begins a tag. Its value follows.
    mutating func beginTag(_ tag: UInt64) throws(CodecProblem) {
        try beginValue()
        text.append(literal: "{\"$tag\":[")
        append(Int128(tag))
        text.append(literal: ",")
        try open(Level(kind: .tag, remaining: 1))
    }

    /// Ends an array or map without a count.
    /// - Returns: Whether there is one, and the last key of a map has a value.
    mutating func end() throws(CodecProblem) -> Bool {
        guard let level = levels.last, level.remaining == nil, level.kind == .array || level.isAtKey else {
            return false
        }
        close()
        try endValue()
        return true
    }

    private mutating func open(_ level: Level) throws(CodecProblem) {
        depth += level.depth
        guard depth <= JSONReader.maximumDepth else { throw .tooDeep(limit: JSONReader.maximumDepth) }
        levels.append(level)
        guard level.remaining == 0 else { return }
        close()
        try endValue()
    }

    private mutating func close() {
        guard let level = levels.popLast() else { return }
        depth -= level.depth
        switch level.kind {
        case .array: text.append(literal: "]")
        case .map: text.append(literal: "}")
        case .tag: text.append(literal: "]}")
        }
    }

    /// Writes what precedes a value that is no text key.
    private mutating func beginValue() throws(CodecProblem) {
        separate()
        guard let level = levels.last, level.isAtKey else { return }
        levels[levels.count - 1].keyStart = text.count
    }

    private func needsComma(_ level: Level) -> Bool {
        level.count > 0 && (level.kind == .array || level.isAtKey)
    }

    private mutating func separate() {
        if let level = levels.last, needsComma(level) { text.append(literal: ",") }
    }

    /// Counts a value, and ends the arrays, maps, and tags that are complete with it.
    private mutating func endValue() throws(CodecProblem) {
        while true {
            guard text.count <= limitBytes else { throw .tooBig(limitBytes: limitBytes) }
            guard var level = levels.last else {
                isComplete = true
                return
            }
            if level.isAtKey {
                if let start = level.keyStart { quoteKey(from: start) }
                text.append(literal: ":")
                level.keyStart = nil
            }
            level.count += 1
            level.remaining = level.remaining.map { $0 - 1 }
            levels[levels.count - 1] = level
            guard level.remaining == 0 else { return }
            close()
        }
    }

    /// Turns the value at the end of the text into a string that begins with `$`.
    private mutating func quoteKey(from start: Int) {
        let key =
            [UInt8(ascii: "$")]
            + text.withReadableBytes { span in
                span.extracting(start...).withUnsafeBytes { Array($0) }
            }
        text.removeLast(text.count - start)
        JSONString.append(key.span.bytes, to: &text)
    }
}
