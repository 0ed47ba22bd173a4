/// The words of recent messages, for completion at the prompt.
///
/// It stores text and searches it on demand, because messages arrive by the thousand but Tab is rare.
package struct WordMemory {
    /// The lengths of words worth completing, in bytes.
    static let wordBytes = 3...64
    /// The maximum number of offered words; the latest ones win.
    static let maximumWords = 5000
    /// The maximum number of bytes kept from a message: its beginning.
    static let maximumMessageBytes = 16 << 10
    /// The size of each of two halves, in bytes. When one is full, the older one is discarded.
    private static let halfBytes = 256 << 10

    private var recent: [UInt8] = []
    private var older: [UInt8] = []

    /// Stores a message.
    package mutating func remember(_ text: RawSpan) {
        let start = text.extracting(first: Self.maximumMessageBytes)
        if recent.count + start.byteCount >= Self.halfBytes {
            swap(&recent, &older)
            recent.removeAll(keepingCapacity: true)
        }
        start.withUnsafeBytes { recent.append(contentsOf: $0) }
        recent.append(UInt8(ascii: "\n"))
    }

    /// The longer words that begin with a prefix, in alphabetic order.
    func words(beginningWith prefix: String) -> [String] {
        var found: Set<String> = []
        for half in [recent, older] {
            let scalars = String(decoding: half, as: UTF8.self).unicodeScalars
            // Search backwards, to keep the latest words.
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

    /// Whether a word can contain the character: letters of all scripts, digits, and a few symbols.
    static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.isASCII else {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".", ":": return true
            default: return false
            }
        }
        return scalar.properties.isAlphabetic
    }

    /// The word without symbols at its ends, which belong to the sentence.
    private static func word(_ scalars: Substring.UnicodeScalarView) -> String? {
        let isSign = { (scalar: Unicode.Scalar) in scalar == "-" || scalar == "." || scalar == ":" }
        var word = scalars.drop(while: isSign)
        while let last = word.last, isSign(last) { word.removeLast() }
        let text = String(word)
        return wordBytes.contains(text.utf8.count) ? text : nil
    }
}
