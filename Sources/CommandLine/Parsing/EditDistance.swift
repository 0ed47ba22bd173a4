/// Finds the intended name for a mistyped one, with the Damerau-Levenshtein distance.
public enum EditDistance {
    /// The minimum number of insertions, deletions, substitutions, and transpositions that convert one word into the
    /// other. This is the restricted form, in which no part is edited twice.
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

    /// Returns the element of `names` that `word` most likely stands for, or `nil` if there is none.
    ///
    /// This is the only name that begins with `word`, if `word` has at least 3 characters. Otherwise it is the closest
    /// name with the same first character and a distance of at most 1, or at most 2 from 8 characters on.
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

    /// Longer words are unlikely to be typing errors, and comparing them takes time.
    private static let longestWordBytes = 40
}
