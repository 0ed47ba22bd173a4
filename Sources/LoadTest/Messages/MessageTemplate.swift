import WSCore

/// A message from the user with placeholders that are replaced each time it is sent: `{"id":{{seq}},"sent":{{time}}}`.
public struct MessageTemplate: Equatable, Sendable {
    private enum Part: Equatable, Sendable {
        /// A range of ``literals``.
        case literal(Range<Int>)
        /// The number of the message on its connection, starting at 1.
        case sequence
        /// The number of the connection, starting at 1.
        case connection
        /// When the message was due, in milliseconds since 1970.
        case time
        /// This many random characters: letters, digits, `-`, and `_`.
        case random(Int)

        /// The maximum size of the replacement, in bytes.
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

    /// The maximum number of characters of a `{{random N}}`.
    internal static let mostRandomBytes = 1 << 24
    /// The maximum number of digits of a 64-bit number.
    private static let mostDigits = 20

    /// Creates a message without placeholders.
    public init(literal bytes: [UInt8]) {
        literals = bytes
        parts = bytes.isEmpty ? [] : [.literal(bytes.indices)]
    }

    /// Parses a text with placeholders.
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

    /// Whether all messages are the same.
    internal var isConstant: Bool {
        parts.allSatisfy { part in
            if case .literal = part { true } else { false }
        }
    }

    /// The maximum size of a message, in bytes.
    internal var largestBytes: Int { parts.reduce(0) { $0 + $1.largestBytes } }

    /// The size of each message in bytes, or `nil` if sizes differ.
    internal var constantBytes: Int? {
        parts.reduce(0) { sum, part in
            switch part {
            case .literal, .random: sum.map { $0 + part.largestBytes }
            case .sequence, .connection, .time: nil
            }
        }
    }

    /// Writes a message to memory with room for ``largestBytes``. Returns its size in bytes.
    /// - Parameter clockOffset: The offset from the loop's clock to the time since 1970, in nanoseconds.
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
                // Derive the seed from the stamp, to reproduce the message when its reply arrives.
                let seed = stamp.number ^ stamp.connection << 40 ^ UInt64(index) << 56
                LoadFilling.fill(UnsafeMutableRawBufferPointer(rebasing: target[..<count]), seed: seed)
                offset += count
            }
        }
        return offset
    }

    /// Writes a number in decimal and returns the number of digits.
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

/// The source of a load test's messages.
public enum MessageSource: Equatable, Sendable {
    /// `--message`, as a template.
    case text(MessageTemplate)
    /// `--file`, as a path.
    case file(String)
}

/// Why a template is invalid.
public enum MessageTemplateError: Error, Equatable {
    /// `{{` without `}}`.
    case notClosed
    /// An unknown placeholder, as typed.
    case unknownPlaceholder(String)
    /// `random` without a number in the allowed range.
    case badLength
}

extension MessageTemplateError: CustomStringConvertible {
    /// The expected form, to follow a colon.
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
