import WSCore

/// Parses a JSON text (RFC 8259) of any size from its beginning to its end. Only one block of the text is in memory,
/// besides the values that the caller takes.
///
/// The caller enters objects and arrays, and takes or skips each value in them:
///
///     {"log":{"entries":[…]}} → enter(.object), nextMember() "log", enter(.object), …
///
/// A stream must not be used after an error.
package struct JSONStream: ~Copyable {
    /// Replaces a block with the bytes of the text from an offset on. The block is empty at the end of the text.
    package typealias Source = (_ offset: Int, _ block: inout [UInt8]) throws(IOError) -> Void

    /// A value that contains others.
    package enum Container {
        case object
        case array
    }

    private struct Level {
        let container: Container
        var isEmpty = true
    }

    /// The maximum length of a name, in bytes of the text.
    package static let maximumNameBytes = 64 << 10

    private let source: Source
    private var block: [UInt8] = []
    private var blockOffset: Int
    /// The index of the next byte in the block.
    private var index = 0
    private var isAtEnd = false
    private var levels: [Level] = []
    /// The value that is being taken, without its bytes from ``keptStart`` on.
    private var kept = ByteBuffer()
    /// The index of the first byte in the block that belongs to this value, or `nil` if none is being taken.
    private var keptStart: Int?
    private var keptLimitBytes = 0
    /// The offset of this value in the text.
    private var keptOffset = 0

    /// Creates a stream.
    /// - Parameter offset: The offset of the beginning of a value. Defaults to that of the text, which may have a byte
    ///   order mark.
    package init(at offset: Int = 0, source: @escaping Source) {
        self.source = source
        blockOffset = offset
    }

    /// The offset of the next byte in the text.
    package var offset: Int { blockOffset + index }

    // MARK: Values

    /// Enters the next value if it is a container of this kind. Otherwise, the value can still be taken or skipped.
    /// - Throws: ``JSONStreamError``.
    package mutating func enter(_ container: Container) throws(JSONStreamError) -> Bool {
        try skipSpace()
        guard try required() == UInt8(ascii: container == .object ? "{" : "[") else { return false }
        try open(container)
        return true
    }

    /// Returns the name of the next member of the object that was entered last. Its value follows. Leaves the object, and
    /// returns `nil`, at its end.
    /// - Throws: ``JSONStreamError``.
    package mutating func nextMember() throws(JSONStreamError) -> String? {
        guard try takeSeparator() else { return nil }
        try skipSpace()
        beginKeeping(limitBytes: Self.maximumNameBytes)
        try skipName()
        let literal = try endKeeping()
        try skipColon()
        var name = ByteBuffer()
        literal.withReadableBytes { _ = JSONString.appendDecoded($0, to: &name, replacingSurrogates: true) }
        return name.withReadableBytes { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
    }

    /// Advances to the next element of the array that was entered last. Leaves the array, and returns false, at its end.
    /// - Throws: ``JSONStreamError``.
    package mutating func nextElement() throws(JSONStreamError) -> Bool {
        try takeSeparator()
    }

    /// Takes the next value.
    /// - Parameter limitBytes: The maximum length of its text.
    /// - Returns: Its text, which is valid JSON and UTF-8.
    /// - Throws: ``JSONStreamError``.
    package mutating func take(limitBytes: Int) throws(JSONStreamError) -> ByteBuffer {
        try skipSpace()
        _ = try required()
        beginKeeping(limitBytes: limitBytes)
        try skip()
        return try endKeeping()
    }

    /// Skips the next value. It need not be UTF-8.
    /// - Throws: ``JSONStreamError``.
    package mutating func skip() throws(JSONStreamError) {
        let depth = levels.count
        try skipBeginning()
        while levels.count > depth {
            let container = levels[levels.count - 1].container
            guard try takeSeparator() else { continue }
            if container == .object {
                try skipSpace()
                try skipName()
                try skipColon()
            }
            try skipBeginning()
        }
    }

    /// Checks that nothing follows the value.
    /// - Throws: ``JSONStreamError``.
    package mutating func finish() throws(JSONStreamError) {
        try skipSpace()
        guard try peek() == nil else { throw .invalid(.unexpected(offset: offset)) }
    }

    // MARK: Bytes

    /// Returns the next byte, or `nil` at the end of the text.
    private mutating func peek() throws(JSONStreamError) -> UInt8? {
        if index < block.count { return block[index] }
        guard !isAtEnd else { return nil }
        if keptStart != nil {
            try keep()
            keptStart = 0
        }
        let isFirst = blockOffset == 0 && block.isEmpty
        blockOffset += block.count
        index = 0
        do throws(IOError) {
            try source(blockOffset, &block)
        } catch {
            throw .reading(error)
        }
        // RFC 8259 §8.1: a parser may ignore a byte order mark.
        if isFirst, block.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        isAtEnd = block.isEmpty
        return index < block.count ? block[index] : nil
    }

    /// Returns the next byte, which must exist.
    private mutating func required() throws(JSONStreamError) -> UInt8 {
        guard let byte = try peek() else { throw .invalid(.truncated) }
        return byte
    }

    private var unexpected: JSONStreamError { .invalid(.unexpected(offset: offset)) }

    private mutating func skipSpace() throws(JSONStreamError) {
        while let byte = try peek(), [0x20, 0x09, 0x0A, 0x0D].contains(byte) { index += 1 }
    }

    private mutating func beginKeeping(limitBytes: Int) {
        keptLimitBytes = limitBytes
        keptOffset = offset
        keptStart = index
    }

    private mutating func keep() throws(JSONStreamError) {
        guard let keptStart else { return }
        guard kept.count + index - keptStart <= keptLimitBytes else {
            throw .tooLong(offset: keptOffset, limitBytes: keptLimitBytes)
        }
        block.withUnsafeBytes { kept.append(UnsafeRawBufferPointer(rebasing: $0[keptStart..<index]).bytes) }
    }

    private mutating func endKeeping() throws(JSONStreamError) -> ByteBuffer {
        try keep()
        keptStart = nil
        guard kept.withReadableBytes({ UTF8Validator.isValid($0) }) else {
            throw .notUTF8(offset: keptOffset)
        }
        return kept.takeAll()
    }

    // MARK: Tokens

    private mutating func open(_ container: Container) throws(JSONStreamError) {
        guard levels.count < JSONReader.maximumDepth else { throw .invalid(.tooDeep(limit: JSONReader.maximumDepth)) }
        index += 1
        levels.append(Level(container: container))
    }

    /// Skips the comma before a member or an element. At the end of the container, skips the bracket.
    /// - Returns: Whether there is another member or element.
    private mutating func takeSeparator() throws(JSONStreamError) -> Bool {
        guard let level = levels.last else { return false }
        try skipSpace()
        let byte = try required()
        if byte == UInt8(ascii: level.container == .object ? "}" : "]") {
            index += 1
            levels.removeLast()
            return false
        }
        guard !level.isEmpty else {
            levels[levels.count - 1].isEmpty = false
            return true
        }
        guard byte == UInt8(ascii: ",") else { throw unexpected }
        index += 1
        return true
    }

    private mutating func skipName() throws(JSONStreamError) {
        guard try required() == UInt8(ascii: "\"") else { throw unexpected }
        try skipString()
    }

    private mutating func skipColon() throws(JSONStreamError) {
        try skipSpace()
        guard try required() == UInt8(ascii: ":") else { throw unexpected }
        index += 1
    }

    /// Skips a scalar, or the bracket that begins a container.
    private mutating func skipBeginning() throws(JSONStreamError) {
        try skipSpace()
        switch try required() {
        case UInt8(ascii: "{"): try open(.object)
        case UInt8(ascii: "["): try open(.array)
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try skipNumber()
        case UInt8(ascii: "t"): try skip("true")
        case UInt8(ascii: "f"): try skip("false")
        case UInt8(ascii: "n"): try skip("null")
        default: throw unexpected
        }
    }

    private mutating func skip(_ word: StaticString) throws(JSONStreamError) {
        for index in 0..<word.utf8CodeUnitCount {
            guard try required() == word.utf8Start[index] else { throw unexpected }
            self.index += 1
        }
    }

    /// RFC 8259 §7: control characters are not allowed, and only the defined escapes.
    private mutating func skipString() throws(JSONStreamError) {
        index += 1
        while true {
            index = Self.endOfPlainText(in: block, from: index)
            switch try required() {
            case UInt8(ascii: "\""):
                index += 1
                return
            case UInt8(ascii: "\\"):
                index += 1
                try skipEscape()
            case 0..<0x20: throw unexpected
            // The beginning of another block.
            default: break
            }
        }
    }

    private static func endOfPlainText(in block: [UInt8], from start: Int) -> Int {
        var index = start
        while index < block.count, block[index] >= 0x20, block[index] != UInt8(ascii: "\""),
            block[index] != UInt8(ascii: "\\")
        {
            index += 1
        }
        return index
    }

    private mutating func skipEscape() throws(JSONStreamError) {
        let byte = try required()
        guard "\"\\/bfnrtu".utf8.contains(byte) else { throw unexpected }
        index += 1
        guard byte == UInt8(ascii: "u") else { return }
        for _ in 0..<4 {
            guard HexDigits.value(try required()) != nil else { throw unexpected }
            index += 1
        }
    }

    /// RFC 8259 §6: no leading zeros, and digits are required after a decimal point and in an exponent.
    private mutating func skipNumber() throws(JSONStreamError) {
        if try peek() == UInt8(ascii: "-") { index += 1 }
        if try peek() == UInt8(ascii: "0") { index += 1 } else { try skipDigits() }
        if try peek() == UInt8(ascii: ".") {
            index += 1
            try skipDigits()
        }
        guard let byte = try peek(), byte | 0x20 == UInt8(ascii: "e") else { return }
        index += 1
        if let sign = try peek(), "+-".utf8.contains(sign) { index += 1 }
        try skipDigits()
    }

    private mutating func skipDigits() throws(JSONStreamError) {
        guard case UInt8(ascii: "0")...UInt8(ascii: "9") = try required() else { throw unexpected }
        while let byte = try peek(), case UInt8(ascii: "0")...UInt8(ascii: "9") = byte { index += 1 }
    }
}

/// Why a JSON text cannot be read.
package enum JSONStreamError: Error, Equatable, CustomStringConvertible {
    case reading(IOError)
    case invalid(JSONError)
    /// The value at this offset is not UTF-8.
    case notUTF8(offset: Int)
    /// The value at this offset exceeds the limit.
    case tooLong(offset: Int, limitBytes: Int)

    /// The reason in words, to follow a colon.
    package var description: String {
        switch self {
        case .reading(let error): "\(error)"
        case .invalid(let error): "it is not valid JSON: \(error)"
        case .notUTF8(let offset): "the value at byte \(offset + 1) is not UTF-8, which JSON must be"
        case .tooLong(let offset, let limit):
            "the value at byte \(offset + 1) has more than \(Phrase.count(limit, "byte"))"
        }
    }
}
