/// The Damerau-Levenshtein distance, by which a mistyped name finds the one that was meant.
public enum EditDistance {
    /// The least number of insertions, deletions, substitutions and swaps of neighbours that turn one word into
    /// the other (in the restricted form, where no part is edited twice).
    static func between(_ first: String, _ second: String) -> Int {
        let first = Array(first)
        let second = Array(second)
        var beforePrevious = [Int](repeating: 0, count: second.count + 1)
        var previous = Array(0...second.count)
        for row in first.indices {
            var current = [row + 1]
            for column in second.indices {
                let substitution = previous[column] + (first[row] == second[column] ? 0 : 1)
                var distance = min(substitution, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
                    distance = min(distance, beforePrevious[column - 1] + 1)
                }
                current.append(distance)
            }
            beforePrevious = previous
            previous = current
        }
        return previous[second.count]
    }

    /// The one of `names` that `word` most likely was meant for; nil when there is none.
    ///
    /// It is the only one that begins with `word`, of at least 3 characters, or else the nearest that begins with the same
    /// character and differs by 1, or by 2 from 8 characters on. A word that differs more is another word.
    public static func nearest(to word: String, among names: [String]) -> String? {
        guard !word.isEmpty, word.utf8.count <= longestWordBytes else { return nil }
        let beginning = names.filter { $0.hasPrefix(word) }
        if beginning.count == 1, word.count >= 3 { return beginning.first }
        let allowance = word.count < 8 ? 1 : 2
        return names.filter { $0.first == word.first }.map { (name: $0, distance: between(word, $0)) }
            .filter { $0.distance <= allowance }
            .min { $0.distance < $1.distance }?
            .name
    }

    /// Longer words are not slips of the finger, and comparing them would take time.
    private static let longestWordBytes = 40
}
