/// The latest messages, for the words in them, which can be completed at the prompt.
///
/// Text is kept, and words are looked for in it when somebody asks: messages come by the thousand, and Tab is rare.
struct WordMemory {
    /// The lengths of the words that are worth it, in bytes.
    static let wordBytes = 3...64
    /// The most words that are offered, which are the latest.
    static let maximumWords = 5000
    /// The most of a message that is kept, in bytes: its beginning.
    static let maximumMessageBytes = 16 << 10
    /// What is kept in each of two halves, in bytes; the older one is thrown away when the other is full.
    private static let halfBytes = 256 << 10

    private var recent: [UInt8] = []
    private var older: [UInt8] = []

    /// Remembers a message.
    mutating func remember(_ text: RawSpan) {
        let start = text.extracting(first: Self.maximumMessageBytes)
        if recent.count + start.byteCount >= Self.halfBytes {
            swap(&recent, &older)
            recent.removeAll(keepingCapacity: true)
        }
        start.withUnsafeBytes { recent.append(contentsOf: $0) }
        recent.append(UInt8(ascii: "\n"))
    }

    /// The words that begin with a prefix and are longer, in alphabetic order.
    func words(beginningWith prefix: String) -> [String] {
        var found: Set<String> = []
        for half in [recent, older] {
            let scalars = String(decoding: half, as: UTF8.self).unicodeScalars
            // From the end: the latest are those that are kept.
            var end = scalars.endIndex
            while end > scalars.startIndex, found.count < Self.maximumWords {
                let last = scalars[..<end].lastIndex { Self.isPartOfWord($0) }
                guard let last else { break }
                let wordEnd = scalars.index(after: last)
                let gap = scalars[..<last].lastIndex { !Self.isPartOfWord($0) }
                let start = gap.map { scalars.index(after: $0) } ?? scalars.startIndex
                if let word = Self.word(scalars[start..<wordEnd]), word.hasPrefix(prefix), word != prefix {
                    found.insert(word)
                }
                end = start
            }
        }
        return found.sorted()
    }

    /// Whether a word has such a character in it: letters of all scripts, digits, and a few signs.
    static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.isASCII else {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".", ":": return true
            default: return false
            }
        }
        return scalar.properties.isAlphabetic
    }

    /// The word without the signs at its ends, which belong to the sentence.
    private static func word(_ scalars: Substring.UnicodeScalarView) -> String? {
        let isSign = { (scalar: Unicode.Scalar) in scalar == "-" || scalar == "." || scalar == ":" }
        var word = scalars.drop(while: isSign)
        while let last = word.last, isSign(last) { word.removeLast() }
        let text = String(word)
        return wordBytes.contains(text.utf8.count) ? text : nil
    }
}
