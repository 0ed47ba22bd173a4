import WSCore

/// A message that was given, with placeholders that stand for something else each time it is sent:
/// `{"id":{{seq}},"sent":{{time}}}`.
public struct MessageTemplate: Equatable, Sendable {
    private enum Part: Equatable, Sendable {
        /// Bytes of ``literals``.
        case literal(Range<Int>)
        /// The number of the message among those of its connection, from 1.
        case sequence
        /// The number of the connection, from 1.
        case connection
        /// When the message was due, in milliseconds since 1970.
        case time
        /// So many characters: letters, digits, - and _.
        case random(Int)

        /// The most bytes that stand in its place.
        var largestBytes: Int {
            switch self {
            case .literal(let range): range.count
            case .sequence, .connection, .time: MessageTemplate.mostDigits
            case .random(let count): count
            }
        }
    }

    private let literals: [UInt8]
    private let parts: [Part]

    /// The most characters of a `{{random N}}`.
    internal static let mostRandomBytes = 1 << 24
    /// Those of a number of 64 bits.
    private static let mostDigits = 20

    /// Makes a message without placeholders.
    public init(literal bytes: [UInt8]) {
        literals = bytes
        parts = bytes.isEmpty ? [] : [.literal(bytes.indices)]
    }

    /// Makes a message from a text with placeholders.
    public init(_ text: some StringProtocol) throws(MessageTemplateError) {
        var literals: [UInt8] = []
        var parts: [Part] = []
        var start = 0
        func endLiteral() {
            if literals.count > start { parts.append(.literal(start..<literals.count)) }
            start = literals.count
        }
        var rest = text.utf8[...]
        let (opening, closing) = ("{{".utf8, "}}".utf8)
        while let byte = rest.first {
            guard rest.starts(with: opening) else {
                literals.append(byte)
                rest.removeFirst()
                continue
            }
            rest.removeFirst(2)
            if rest.starts(with: opening) {
                literals += opening
                rest.removeFirst(2)
                continue
            }
            guard let end = rest.indices.first(where: { rest[$0...].starts(with: closing) }) else { throw .notClosed }
            endLiteral()
            parts.append(try Self.part(String(decoding: rest[..<end], as: UTF8.self)))
            rest = rest[end...].dropFirst(2)
        }
        endLiteral()
        self.literals = literals
        self.parts = parts
    }

    private static func part(_ text: String) throws(MessageTemplateError) -> Part {
        let words = text.split(separator: " ")
        switch words.first {
        case "seq" where words.count == 1: return .sequence
        case "connection" where words.count == 1: return .connection
        case "time" where words.count == 1: return .time
        case "random":
            guard words.count == 2, let count = Int(words[1]), 1...mostRandomBytes ~= count else { throw .badLength }
            return .random(count)
        default: throw .unknownPlaceholder(text)
        }
    }

    /// Whether it is the same every time.
    internal var isConstant: Bool {
        parts.allSatisfy { part in
            if case .literal = part { true } else { false }
        }
    }

    /// The most bytes of a message.
    internal var largestBytes: Int { parts.reduce(0) { $0 + $1.largestBytes } }

    /// The number of bytes of every message; nil: they differ.
    internal var constantBytes: Int? {
        parts.reduce(0) { sum, part in
            switch part {
            case .literal, .random: sum.map { $0 + part.largestBytes }
            case .sequence, .connection, .time: nil
            }
        }
    }

    /// Writes a message to memory that has room for ``largestBytes``, and returns how many bytes it has.
    /// - Parameter clockOffset: What is added to a time on the loop's clock to have one since 1970, in nanoseconds.
    internal func write(to storage: UnsafeMutableRawBufferPointer, _ stamp: EchoMessage.Stamp, clockOffset: UInt64)
        -> Int
    {
        var offset = 0
        for (index, part) in parts.enumerated() {
            let target = UnsafeMutableRawBufferPointer(rebasing: storage[offset...])
            switch part {
            case .literal(let range):
                literals.withUnsafeBytes { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[range])) }
                offset += range.count
            case .sequence: offset += Self.write(stamp.number &+ 1, to: target)
            case .connection: offset += Self.write(stamp.connection &+ 1, to: target)
            case .time: offset += Self.write((stamp.time &+ clockOffset) / 1_000_000, to: target)
            case .random(let count):
                // What a message was is worked out again when its reply is there.
                let seed = stamp.number ^ stamp.connection << 40 ^ UInt64(index) << 56
                LoadFilling.fill(UnsafeMutableRawBufferPointer(rebasing: target[..<count]), seed: seed)
                offset += count
            }
        }
        return offset
    }

    /// Writes the decimal digits of a number, and returns how many there are.
    private static func write(_ number: UInt64, to target: UnsafeMutableRawBufferPointer) -> Int {
        var count = 1
        var bound: UInt64 = 10
        while number >= bound, count < mostDigits {
            count += 1
            bound = count < mostDigits ? bound * 10 : .max
        }
        var rest = number
        for index in (0..<count).reversed() {
            target[index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
        return count
    }
}

/// Where a message of a load test comes from.
public enum MessageSource: Equatable, Sendable {
    /// `--message`, as a template.
    case text(MessageTemplate)
    /// `--file`: the file's path.
    case file(String)
}

/// Why a text is no message with placeholders.
public enum MessageTemplateError: Error, Equatable {
    /// Two braces are not closed.
    case notClosed
    /// What is between the braces, as it was typed.
    case unknownPlaceholder(String)
    /// `random` without a number that is allowed.
    case badLength
}

extension MessageTemplateError: CustomStringConvertible {
    /// What is expected, to follow a colon.
    public var description: String {
        switch self {
        case .notClosed: "'{{' begins a placeholder, but '}}' is missing; write '{{{{' for two literal braces"
        case .unknownPlaceholder(let text):
            "unknown placeholder '{{\(text)}}'; expected {{seq}}, {{connection}}, {{time}}, or {{random N}}, "
                + "or '{{{{' for two literal braces"
        case .badLength: "expected {{random N}} with an N from 1 to \(MessageTemplate.mostRandomBytes)"
        }
    }
}
