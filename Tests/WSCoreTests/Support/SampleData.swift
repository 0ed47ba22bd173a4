import WSCore

/// Generated data similar to the data the Autobahn TestSuite compresses; always the same.
enum SampleData: CaseIterable, Sendable {
    case json
    case bitmap
    case prose
    case html
    case document

    /// The type of the messages in which the suite sends the data.
    var kind: MessageKind {
        switch self {
        case .json, .html: .text
        case .bitmap, .prose, .document: .binary
        }
    }

    /// Whether compression shortens every part of the data.
    var isCompressible: Bool { self != .document }

    /// About 150,000 bytes: more than the longest message and not a multiple of any message size.
    var bytes: [UInt8] {
        switch self {
        case .json: Self.jsonBytes
        case .bitmap: Self.bitmapBytes
        case .prose: Self.proseBytes
        case .html: Self.htmlBytes
        case .document: Self.documentBytes
        }
    }

    /// Returns consecutive parts of the data, wrapping around at its end. Text is split only between scalars.
    func messages(_ count: Int, of byteCount: Int) -> [[UInt8]] {
        let bytes = bytes + bytes[..<(byteCount + 4)]
        var start = 0
        return (0..<count).map { _ in
            var end = start + byteCount
            while kind == .text, bytes[end] & 0xC0 == 0x80 { end += 1 }
            defer { start = end % self.bytes.count }
            return Array(bytes[start..<end])
        }
    }

    private static let sizeBytes = 150_001

    private static let words = """
        Habe nun ach Philosophie Juristerei und Medizin durchaus studiert mit heißem Bemühn da steh ich armer Tor \
        bin so klug als wie zuvor führe an der Nase herum Schüler sehe dass wir nichts wissen können das will mir \
        schier Herz verbrennen
        """.split(separator: " ").map(String.init)

    private static let proseBytes = text(seed: 1) { index, random in
        word(&random) + (index % 11 == 10 ? ",\n" : " ")
    }

    private static let jsonBytes = text(seed: 2) { index, random in
        let score = Double(random.next() % 100_000) / 1000
        return #"{"id":\#(index),"name":"\#(word(&random))","score":\#(score),"tags":["\#(word(&random))","π≈3.14"]},"#
            + "\n"
    }

    private static let htmlBytes = text(seed: 3) { index, random in
        #"<tr class="row-\#(index % 2)"><td id="c\#(random.next() % 10_000)">\#(word(&random))</td></tr>"# + "\n"
    }

    /// A grayscale image, 512 pixels wide, with slow gradients and a little noise.
    private static let bitmapBytes: [UInt8] = {
        var random = SeededRandom(seed: 4)
        return (0..<sizeBytes).map { index in
            let (row, column) = (index / 512, index % 512)
            return UInt8(truncatingIfNeeded: row / 4 + column / 8 &+ Int(random.next() >> 60) / 6)
        }
    }()

    /// Incompressible streams separated by names.
    private static let documentBytes: [UInt8] = {
        var random = SeededRandom(seed: 5)
        var bytes: [UInt8] = []
        while bytes.count < sizeBytes {
            bytes += Array("\nendstream endobj \(bytes.count) 0 obj stream\n".utf8)
            for _ in 0..<250 { withUnsafeBytes(of: random.next()) { bytes += $0 } }
        }
        return bytes
    }()

    private static func word(_ random: inout SeededRandom) -> String {
        words[Int(random.next() % UInt64(words.count))]
    }

    private static func text(seed: UInt64, _ part: (Int, inout SeededRandom) -> String) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        var bytes: [UInt8] = []
        var index = 0
        while bytes.count < sizeBytes {
            bytes += Array(part(index, &random).utf8)
            index += 1
        }
        return bytes
    }
}
