/// Whether a connection that is lost, or does not come about, is tried again.
enum Reconnection: Equatable {
    case never
    /// After as many tries in a row, 1 or more, it is given up.
    case times(Int)
    case always

    /// What `--reconnect` stands for alone.
    static let unbounded = "forever"

    /// Reads a number of tries or the word `forever`.
    static func parse(_ text: String) throws(ValueProblem) -> Reconnection {
        text == unbounded ? .always : .times(try CountValue.parse(text))
    }
}
