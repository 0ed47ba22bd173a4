/// A cookie: `name=value`, `@FILE`, or `env:NAME`.
enum CookieValue {
    /// Reads a cookie; a URL follows websocat's `-b`, and curl's takes a file.
    static func parse(_ text: String) throws(ValueProblem) -> String {
        if MisplacedValue.isURL(text) {
            throw .misplaced(
                MisplacedValue(kind: "a URL, not a cookie", remedy: "use --binary to send binary messages"))
        }
        guard text.utf8.contains(UInt8(ascii: "=")) || text.hasPrefix("@") || text.hasPrefix("env:") else {
            throw .notACookie
        }
        return text
    }
}
