extension InputProblem {
    /// Words for the first line of a program's output that cannot be sent.
    /// - Parameters:
    ///   - line: The number of the line.
    ///   - program: The program's name, safe to print.
    func words(forLine line: Int, of program: String) -> String {
        "line \(line) of \(program)'s output was not sent, and further ones like it are dropped: "
            // Binary messages of a program are not lines.
            + (self == .notText ? "it is not UTF-8 text; use --exec-json to send bytes" : "\(self)")
    }

    /// Words for a line of a program's output that is longer than the limit, which ends the program.
    static func words(forLineOf program: String, longerThan limit: Int) -> String {
        "a line of \(program)'s output has more than \(limit) bytes; raise --max-message-size to send it"
    }
}
