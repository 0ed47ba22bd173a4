/// One subprotocol, or several separated by commas.
enum SubprotocolValue {
    /// Reads names; a URL follows curl's `-s`, and wrk's takes a script.
    static func parse(_ text: String) throws(ValueProblem) -> [String] {
        let quiet = "use -q to leave out notices"
        if MisplacedValue.isURL(text) {
            throw .misplaced(MisplacedValue(kind: "a URL, not a subprotocol", remedy: quiet))
        }
        if MisplacedValue.areCurlSwitches(text) {
            throw .misplaced(
                MisplacedValue(kind: "the rest of curl's -sS", remedy: quiet))
        }
        if text.hasSuffix(".lua") || text.hasSuffix(".js") {
            throw .misplaced(
                MisplacedValue(kind: "a script, not a subprotocol", remedy: "use -f FILE to send a file"))
        }
        return try NameList.parse(text)
    }
}
