/// A message on the command line.
enum MessageValue {
    /// Reads any text but the address of a proxy, which curl's `-x` takes.
    static func parse(_ text: String) throws(ValueProblem) -> String {
        guard !MisplacedValue.isProxy(text) else {
            throw .misplaced(
                MisplacedValue(
                    kind: "the address of a proxy",
                    remedy: "use --proxy URL, or write it after the server's URL to send it as a message"))
        }
        return text
    }
}
