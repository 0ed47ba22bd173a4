import WSCore

/// A file with a number after its last colon: `a.json:70`.
struct NumberedFile {
    let path: String
    /// The number as typed, or `nil` without one.
    let number: String?

    /// Splits a value. What is not followed by digits and points, or is the name of a file as a whole, has no number.
    init(_ value: String, isFile: (String) -> Bool = { FileIdentity(path: $0) != nil }) {
        let colon = value.lastIndex(of: ":")
        let number = colon.map { value[value.index(after: $0)...] } ?? ""
        guard let colon, colon > value.startIndex, !number.isEmpty,
            number.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: ".") }),
            !isFile(value)
        else {
            (path, self.number) = (value, nil)
            return
        }
        (path, self.number) = (String(value[..<colon]), String(number))
    }
}
