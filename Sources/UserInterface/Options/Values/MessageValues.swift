import CommandLine
import Conversation
import Formats
import WSCore

/// A message on the command line.
package enum MessageValue {
    /// Accepts any text but the address of a proxy, which follows curl's `-x`.
    package static func parse(_ text: String) throws(ValueProblem) -> String {
        guard !MisplacedValue.isProxy(text) else {
            throw .misplaced(
                MisplacedValue(
                    kind: "the address of a proxy",
                    remedy: "use --proxy URL, or put the text after the server's URL to send it as a message"))
        }
        return text
    }

    /// Accepts a message that is sent automatically: any text but an empty one and the reference to a program or variable,
    /// which is possible only for secrets of the request.
    package static func parseAutomatic(_ text: String) throws(ValueProblem) -> String {
        guard !text.isEmpty else { throw .emptyText }
        if SecretReference.isProgram(text) {
            throw .misplaced(
                MisplacedValue(kind: "a program, not a message", remedy: "write \"$(COMMAND)\" for its output"))
        }
        let name = text.utf8.dropFirst(4)
        if text.hasPrefix("env:"),
            name.allSatisfy({ ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "_") })
        {
            throw .misplaced(
                MisplacedValue(
                    kind: "a variable, not a message", remedy: "write '{{env:\(Substring(name))}}' for its value"))
        }
        return text
    }
}

/// The path of a file to send.
package enum MessageFileValue {
    /// Accepts any path but a URL, which follows curl's `-f`, and the rest of curl's `-fsSL`.
    package static func parse(_ text: String) throws(ValueProblem) -> String {
        let remedy = "omit curl's -f (failures always set the exit status), or write ./FILE for a file"
        if MisplacedValue.isURL(text) { throw .misplaced(MisplacedValue(kind: "a URL, not a file", remedy: remedy)) }
        if MisplacedValue.areCurlSwitches(text) {
            throw .misplaced(MisplacedValue(kind: "part of curl's -fsSL", remedy: remedy))
        }
        return text
    }
}

/// The number of messages to wait for.
package enum MessageCountValue {
    /// Accepts a number of 1 or more. It rejects a URL, which follows wscat's `-n`, and letters, which follow the `-n` of other
    /// tools, as in nc's `-nv`.
    package static func parse(_ text: String) throws(ValueProblem) -> Int {
        guard !MisplacedValue.isURL(text) else {
            throw .misplaced(
                MisplacedValue(
                    kind: "a URL, not a number",
                    remedy: "use --insecure for wscat's -n, omit websocat's -n, or use --count N"))
        }
        if !text.isEmpty, text.utf8.allSatisfy("klptuvwz46".utf8.contains), !text.utf8.allSatisfy("46".utf8.contains) {
            throw .unusable(
                words: "expected a number such as 5; omit -n of nc and websocat, and use --insecure for wscat's -n")
        }
        return try CountValue.parse(text)
    }
}

/// The location of a value in JSON messages.
package enum PathValue {
    /// Parses a dotted path or a JSON Pointer.
    package static func parse(_ text: String) throws(ValueProblem) -> JSONPath {
        do throws(JSONQueryError) {
            return try JSONPath(text)
        } catch {
            throw .notAPath(error)
        }
    }
}

/// A condition on messages: a regular expression, or one on a JSON value after `json:`.
package enum MessageConditionValue {
    /// The sentence about other conditions, for manuals.
    package static let manual: MarkedText =
        "*REGEX* can be another condition, such as `json:.type==\"done\"`; see CONDITIONS."

    /// Returns the condition if it is valid and has no placeholders, which nothing would replace.
    package static func parse(_ text: String) throws(ValueProblem) -> String {
        guard VariableNames().offsetOfPlaceholder(inPattern: text) == nil else { throw .placeholderInPattern }
        do throws(MessageConditionError) {
            _ = try MessageCondition(text)
            return text
        } catch {
            throw .notACondition(error)
        }
    }
}

/// A condition on messages that may be limited to a side or to paths.
package enum ScopedConditionValue {
    /// Returns the condition if it is valid and has no placeholders, which nothing would replace.
    package static func parse(
        _ text: String, allowing prefixes: ScopedCondition.Prefixes
    ) throws(ValueProblem) -> ScopedCondition {
        guard VariableNames().offsetOfPlaceholder(inPattern: text) == nil else { throw .placeholderInPattern }
        do throws(ScopedConditionError) {
            return try ScopedCondition(text, allowing: prefixes)
        } catch {
            throw .unusable(words: "\(error)")
        }
    }
}

/// A message of `--define`.
package struct MessageDefinition: Equatable, Sendable {
    /// ASCII letters, digits, `-`, `_`, and `.`.
    package let name: String
    /// A template, or `@FILE`.
    package let text: String

    package static func parse(_ value: String) throws(ValueProblem) -> MessageDefinition {
        guard let (name, text) = MessageCall.pair(value), !text.isEmpty,
            name.unicodeScalars.allSatisfy({
                $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9") ~= $0 || "-_.".unicodeScalars.contains($0))
            })
        else {
            throw .unusable(words: "expected NAME=TEXT, such as 'sub={\"op\":\"subscribe\"}'")
        }
        return MessageDefinition(name: name, text: text)
    }
}

/// A request to send a saved message.
package struct MessageCall: Equatable, Sendable {
    package let name: String
    /// The values of its parameters, by name.
    package private(set) var values: [String: String] = [:]

    /// Reads the name and the values.
    /// - Parameter words: `NAME` and any number of `PARAMETER=VALUE`.
    package init(_ words: [String]) throws(ValueProblem) {
        name = words.first ?? ""
        for word in words.dropFirst() {
            guard let pair = Self.pair(word) else {
                throw .unusable(
                    words: "'\(escapingControls(name))' is a saved message, so expected NAME=VALUE after it, "
                        + "but got '\(escapingControls(word))'")
            }
            guard values.updateValue(pair.value, forKey: pair.name) == nil else {
                throw .unusable(words: "'\(escapingControls(pair.name))' has two values")
            }
        }
    }

    /// The parts before and after the first equals sign, or `nil` without a name.
    fileprivate static func pair(_ word: String) -> (name: String, value: String)? {
        guard let sign = word.utf8.firstIndex(of: UInt8(ascii: "=")), sign > word.startIndex else { return nil }
        return (String(word[..<sign]), String(word[word.utf8.index(after: sign)...]))
    }
}
