/// The words of a line. A word with a quotation mark is a text.
struct WordReader {
    struct Word {
        /// As written.
        let source: String
        /// The bytes of a quoted word.
        let quoted: [UInt8]?
    }

    let line: Line
    private(set) var words: [Word] = []

    /// - Throws: ``CaseError`` for an open quotation or an unknown escape.
    init(_ line: Line) throws(CaseError) {
        self.line = line
        var rest = Substring(line.text)
        while let first = rest.first {
            guard first != " " else {
                rest = rest.dropFirst()
                continue
            }
            let start = rest.startIndex
            // A repeated text has its number in front: 3*"a".
            while let next = rest.first, next != " ", next != "\"" { rest = rest.dropFirst() }
            let prefix = rest.base[start..<rest.startIndex]
            guard rest.first == "\"" else {
                words.append(Word(source: String(prefix), quoted: nil))
                continue
            }
            let bytes = try Self.quotation(&rest, line)
            words.append(Word(source: String(rest.base[start..<rest.startIndex]), quoted: bytes))
        }
        words.reverse()
    }

    private static func quotation(_ rest: inout Substring, _ line: Line) throws(CaseError) -> [UInt8] {
        var bytes: [UInt8] = []
        rest = rest.dropFirst()
        while let character = rest.popFirst() {
            switch character {
            case "\"": return bytes
            case "\\":
                switch rest.popFirst() {
                case "n": bytes.append(0x0A)
                case "r": bytes.append(0x0D)
                case "t": bytes.append(0x09)
                case "\"": bytes.append(UInt8(ascii: "\""))
                case "\\": bytes.append(UInt8(ascii: "\\"))
                case "x":
                    guard let byte = UInt8(rest.prefix(2), radix: 16) else { throw line.error(#"write \xHH"#) }
                    bytes.append(byte)
                    rest = rest.dropFirst(2)
                case "u":
                    let digits = rest.dropFirst().prefix { $0 != "}" }
                    guard rest.first == "{", let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) else {
                        throw line.error(#"write \u{HHHH}"#)
                    }
                    bytes += String(Character(scalar)).utf8
                    rest = rest.dropFirst(digits.count + 2)
                default: throw line.error(#"unknown escape; use \n, \r, \t, \", \\, \xHH, or \u{HHHH}"#)
                }
            default: bytes += String(character).utf8
            }
        }
        throw line.error("a quotation mark is missing")
    }

    mutating func next() -> Word? { words.popLast() }

    var peek: String? { words.last?.source }

    /// Takes the next word if it equals `word`.
    mutating func takes(_ word: String) -> Bool {
        guard peek == word else { return false }
        words.removeLast()
        return true
    }

    /// Takes the value of `NAME=VALUE`.
    mutating func value(of name: String) -> String? {
        guard let peek, peek.hasPrefix(name + "=") else { return nil }
        words.removeLast()
        return String(peek.dropFirst(name.count + 1))
    }

    /// Takes the number of `NAME=N`.
    mutating func number(of name: String, atLeast least: Int = 1) throws(CaseError) -> Int? {
        guard let value = value(of: name) else { return nil }
        guard let number = Int(value), number >= least else {
            throw line.error("\(name) needs a number of at least \(least)")
        }
        return number
    }

    mutating func required(_ what: String) throws(CaseError) -> Word {
        guard let word = next() else { throw line.error("\(what) is missing") }
        return word
    }

    private var tooLarge: CaseError { line.error("the payload is larger than 64 MiB") }

    /// The largest message of a case: what it takes to send it must stay in memory.
    private static let largestPayload = 64 << 20

    /// Takes terms: quoted texts, `hex:48`, `N*TERM`, and generated contents.
    mutating func payload() throws(CaseError) -> Payload {
        var payload = Payload()
        while let word = words.last {
            var source = Substring(word.source)
            var count = 1
            if let star = source.firstIndex(of: "*"), let number = Int(source[..<star]), number >= 0 {
                guard number <= Self.largestPayload else { throw tooLarge }
                count = number
                source = source[source.index(after: star)...]
            }
            if let quoted = word.quoted, source.first == "\"" {
                payload.append(quoted, count: count)
            } else if source.hasPrefix("hex:") {
                guard let bytes = Self.hexadecimal(source.dropFirst(4)) else { throw line.error("write hex:48656c") }
                payload.append(bytes, count: count)
            } else if let generator = Payload.Generator.allCases.first(where: { source.hasPrefix($0.rawValue + ":") }) {
                guard let size = Int(source.dropFirst(generator.rawValue.count + 1)), size >= 0 else {
                    throw line.error("write \(generator.rawValue):N")
                }
                // The product of two sizes up to the limit does not overflow.
                guard size <= Self.largestPayload else { throw tooLarge }
                payload.append(generator, count: size * count)
            } else {
                break
            }
            words.removeLast()
        }
        guard payload.count <= Self.largestPayload else { throw tooLarge }
        return payload
    }

    private static func hexadecimal(_ digits: Substring) -> [UInt8]? {
        let digits = Array(digits)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(digits[index...index + 1]), radix: 16) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }
}
