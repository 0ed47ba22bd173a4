/// Bytes that a case describes.
struct Payload: Sendable {
    private enum Term: Sendable {
        case bytes([UInt8])
        case repeated([UInt8], count: Int)
        case generated(Generator, count: Int)
    }

    /// Kinds of generated contents, the same in each run.
    enum Generator: String, CaseIterable, Sendable {
        case json
        case prose
        /// Bytes that cannot be compressed.
        case noise
        /// Characters of one to four bytes.
        case utf8
    }

    private var terms: [Term] = []

    /// Bytes in front of the others, such as the code of a close frame.
    mutating func prepend(_ bytes: [UInt8]) { terms.insert(.bytes(bytes), at: 0) }
    mutating func append(_ bytes: [UInt8]) { terms.append(.bytes(bytes)) }
    mutating func append(_ bytes: [UInt8], count: Int) { terms.append(.repeated(bytes, count: count)) }
    mutating func append(_ generator: Generator, count: Int) { terms.append(.generated(generator, count: count)) }

    /// The size in bytes.
    var count: Int {
        terms.reduce(0) { sum, term in
            switch term {
            case .bytes(let bytes): sum + bytes.count
            case .repeated(let bytes, let count): sum + bytes.count * count
            case .generated(_, let count): sum + count
            }
        }
    }

    /// The bytes; generated ones differ by `number`.
    func bytes(_ number: Int = 0) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(count)
        for term in terms {
            switch term {
            case .bytes(let bytes): result += bytes
            case .repeated(let bytes, let count):
                if bytes.count == 1 {
                    result += repeatElement(bytes[0], count: count)
                } else {
                    for _ in 0..<count { result += bytes }
                }
            case .generated(let generator, let count): generator.append(count, number, to: &result)
            }
        }
        return result
    }
}

extension Payload.Generator {
    private static let words = [
        "time", "value", "status", "connected", "the", "price", "of", "a", "message", "and", "sensor", "to", "client",
        "in", "server", "0.25", "true", "1024", "update", "stream",
    ]
    private static let characters: [[UInt8]] = ["a", "é", "€", "𝄞", "ж", " ", "語", "ß"].map { Array($0.utf8) }

    /// Appends exactly `count` bytes.
    fileprivate func append(_ count: Int, _ number: Int, to result: inout [UInt8]) {
        var random = Sequence64(seed: UInt64(number))
        let end = result.count + count
        while result.count < end {
            switch self {
            case .noise: withUnsafeBytes(of: random.next()) { result += $0 }
            case .prose:
                result += random.element(of: Self.words).utf8
                result.append(UInt8(ascii: " "))
            case .json: result += #"{"\#(random.element(of: Self.words))":\#(random.next() % 100_000)},"#.utf8
            case .utf8:
                let character = random.element(of: Self.characters)
                result += character.count <= end - result.count ? character : [UInt8(ascii: ".")]
            }
        }
        result.removeLast(result.count - end)
    }
}

/// A reproducible sequence of numbers (SplitMix64).
struct Sequence64 {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func element<Element>(of elements: [Element]) -> Element {
        elements[Int(next() % UInt64(elements.count))]
    }
}
