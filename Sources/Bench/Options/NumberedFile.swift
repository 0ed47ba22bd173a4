import WSCore

/// A file with a number after its last colon: `a.json:70`.
struct NumberedFile {
    let path: String
    /// The number as typed, or `nil` without one.
    let number: String?

    /// The number, which is 1 without one, or `nil` if it is not a decimal number of digits and at most one point.
    var value: Double? {
        guard let number else { return 1 }
        return number.utf8.allSatisfy({ "0123456789.".utf8.contains($0) }) ? Double(number) : nil
    }

    /// Splits a value. What follows the last colon is a number, although maybe not a valid one, if it looks like one,
    /// such as `1k` or `-1`, or is empty. A value that is the name of a file as a whole has none.
    init(_ value: String, isFile: (String) -> Bool = { FileIdentity(path: $0) != nil }) {
        let colon = value.lastIndex(of: ":")
        let number = colon.map { value[value.index(after: $0)...] } ?? ""
        guard let colon, colon > value.startIndex, Self.isLikeNumber(number), !isFile(value) else {
            (path, self.number) = (value, nil)
            return
        }
        (path, self.number) = (String(value[..<colon]), String(number))
    }

    /// Whether a text is empty, or looks like a number; names such as `22.csv` and `2026-11-30` do not.
    private static func isLikeNumber(_ text: Substring) -> Bool {
        guard let first = text.utf8.first else { return true }
        return "0123456789.+-".utf8.contains(first)
            && text.utf8.dropFirst().allSatisfy { "0123456789.,_%eEkKmMgG".utf8.contains($0) }
    }
}
