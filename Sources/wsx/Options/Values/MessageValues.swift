import CommandLine
import Formats

/// A message on the command line.
enum MessageValue {
    /// Reads any text but the address of a proxy, which curl's `-x` takes.
    static func parse(_ text: String) throws(ValueProblem) -> String {
        guard !MisplacedValue.isProxy(text) else {
            throw .misplaced(
                MisplacedValue(
                    kind: "the address of a proxy",
                    remedy: "use --proxy URL, or put the text after the server's URL to send it as a message"))
        }
        return text
    }
}

/// The path of a file to send.
enum MessageFileValue {
    /// Reads any path but a URL, which follows curl's `-f`, and the rest of curl's `-fsSL`.
    static func parse(_ text: String) throws(ValueProblem) -> String {
        let remedy = "omit curl's -f (failures always set the exit status), or write ./FILE for a file"
        if MisplacedValue.isURL(text) { throw .misplaced(MisplacedValue(kind: "a URL, not a file", remedy: remedy)) }
        if MisplacedValue.areCurlSwitches(text) {
            throw .misplaced(MisplacedValue(kind: "part of curl's -fsSL", remedy: remedy))
        }
        return text
    }
}

/// A regular expression that is to be found in messages.
enum PatternValue {
    /// Returns the expression as it is, once it is known to be one.
    static func parse(_ text: String) throws(ValueProblem) -> String {
        do throws(PatternError) {
            _ = try Pattern(text)
            return text
        } catch {
            throw .notAPattern(error)
        }
    }
}
