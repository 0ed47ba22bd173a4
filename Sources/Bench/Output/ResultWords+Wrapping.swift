import CommandLine
import LoadTest

extension ResultWords {
    private static let units: Set<String> = ["s", "ms", "us", "ns", "%", "B", "KiB", "MiB", "GiB", "TiB"]
    /// Stands for a space at which no line ends. Texts do not contain it, because control characters are escaped.
    private static let boundSpace: Character = "\u{1}"

    /// The words of a text on lines of at most `columns` characters. A number and its unit are on the same line.
    static func wrapped(_ text: String, indentation: Int, columns: Int) -> [String] {
        var words: [String] = []
        for word in text.split(separator: " ").map(String.init) {
            if let last = words.last, last.utf8.last.map({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) == true,
                units.contains(String(word.prefix { $0.isLetter || $0 == "%" }))
            {
                words[words.count - 1] = last + String(boundSpace) + word
            } else {
                words.append(word)
            }
        }
        return HelpText.wrapped(words.joined(separator: " "), indentation: indentation, columns: columns).map { line in
            String(line.map { $0 == boundSpace ? " " : $0 })
        }
    }
}
