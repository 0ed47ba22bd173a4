import WSCore

/// The origin of a web page: `https://app.example`, or `null`.
enum OriginValue {
    /// Reads an origin (RFC 6454 §6.2), or `*` where all can be meant.
    static func parse(_ text: String, allAllowed: Bool = false) throws(ValueProblem) -> String {
        if allAllowed, text == "*" { return text }
        if OriginPolicy.isOrigin(text) { return text }
        if OutputFormat(rawValue: text) != nil || ResultFormat(rawValue: text) != nil {
            throw .misplaced(MisplacedValue(kind: "an output format", remedy: "use --output \(text)"))
        }
        let rest = MisplacedValue.isURL(text) ? text.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2) : "".utf8[...]
        throw .notAnOrigin(allAllowed: allAllowed, isURL: rest.contains { "/?#@".utf8.contains($0) })
    }
}
