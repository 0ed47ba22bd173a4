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
    /// name with the same first character and a distance of at most 1, or at most 2 from 8 characters on. The case of
    /// letters matters only between names that are otherwise equally close.
    public static func nearest(to word: String, among names: [String]) -> String? {
        guard !word.isEmpty, word.utf8.count <= longestWordBytes else { return nil }
        let typed = word.lowercased()
        let candidates = names.map { (name: $0, folded: $0.lowercased()) }
        let beginning = candidates.filter { $0.folded.hasPrefix(typed) }
        if beginning.count == 1, word.count >= 3 { return beginning[0].name }
        let allowance = word.count < 8 ? 1 : 2
        return candidates.filter { $0.folded.first == typed.first }
            .map { (name: $0.name, distance: between(typed, $0.folded), exact: between(word, $0.name)) }
            .filter { $0.distance <= allowance }
            .min { ($0.distance, $0.exact) < ($1.distance, $1.exact) }?
            .name
    }

    /// Returns up to three similar names: the nearest one, apart from punctuation before it, and names with a word that
    /// begins with `word`.
    static func nearestFew(to word: String, among names: [String]) -> [String] {
        func bare(_ name: String) -> String { String(name.drop { !$0.isLetter }) }
        let typed = bare(word).lowercased()
        let nearest = nearest(to: typed, among: Array(Set(names.map(bare))).sorted())
        let related = names.filter { name in
            typed.count >= 3 && name.split { !$0.isLetter }.contains { $0.hasPrefix(typed) }
        }
        var few: [String] = []
        for name in names.filter({ bare($0) == nearest }) + related where !few.contains(name) { few.append(name) }
        return Array(few.prefix(3))
    }

    /// Longer words are unlikely to be typing errors, and comparing them takes time.
    private static let longestWordBytes = 40
}
