/// The path of a file to send.
enum MessageFileValue {
    /// Reads any path but a URL, which follows curl's `-f`, and the rest of curl's `-fsSL`.
    static func parse(_ text: String) throws(ValueProblem) -> String {
        let remedy = "leave out curl's -f, as failures always set the exit status, or write ./FILE"
        if MisplacedValue.isURL(text) { throw .misplaced(MisplacedValue(kind: "a URL, not a file", remedy: remedy)) }
        if MisplacedValue.areCurlSwitches(text) {
            throw .misplaced(MisplacedValue(kind: "the rest of curl's -fsSL", remedy: remedy))
        }
        return text
    }
}
