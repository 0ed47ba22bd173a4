import Formats
import WSCore

/// Why a text is not a ``Template``.
package struct TemplateError: Error, Equatable {
    /// A mistake.
    package enum Reason: Error, Equatable {
        /// `{{` without `}}`.
        case notClosed
        /// A name that is neither a placeholder nor one of the variables.
        case unknownName(
            String, variables: [String], includesLastMessage: Bool = true, includesRequest: Bool = false)
        /// `last`, in a text that follows no message.
        case noLastMessage
        /// `query:` or `header:`, in a text that no server sends.
        case noRequest
        /// `query:` or `header:` with a name that no request can have.
        case badRequestName
        /// `random` without a number in the allowed range.
        case badLength
        /// `random:` without a valid range.
        case badRange
        /// `exec:` in a text that must not start programs.
        case noPrograms
        /// `exec:` without a command.
        case noCommand
        /// An environment variable that is not set.
        case notInEnvironment(String)
        /// `last:` with an invalid path.
        case badPath(JSONQueryError)
        /// A filter with a name that does not exist.
        case unknownFilter(String)
        /// A filter with an invalid argument, and the reason.
        case badFilter(String, String)
        /// The argument of a filter is a value, where only a literal is possible.
        case literalNeeded
        /// A reference to a group that the regular expression does not have.
        case noGroup(Int, groupCount: Int)
        /// An argument in parentheses does not end, or something follows it.
        case badArgument
        /// A literal contains a group, which would not be replaced.
        case groupInLiteral
    }

    /// The mistake.
    package let reason: Reason
    /// The offset of the placeholder in the text, in bytes of UTF-8.
    package let byteOffset: Int

    package init(_ reason: Reason, at byteOffset: Int) {
        self.reason = reason
        self.byteOffset = byteOffset
    }

    /// The unknown name of a filter and all names of filters, or the same of a placeholder, to find the intended one.
    package var misspelling: (name: String, known: [String])? {
        if case .unknownFilter(let name) = reason { (name, TemplateFilter.names) } else { unknownName }
    }

    /// The unknown name of a placeholder and all names that would be valid, or `nil` for another mistake.
    package var unknownName: (name: String, known: [String])? {
        guard case .unknownName(let name, let variables, let includesLastMessage, _) = reason else { return nil }
        // The beginning of a placeholder with an argument may be in another case: `{{ENV:HOME}}`.
        let prefix = VariableNames.prefixes.first { name.lowercased().hasPrefix($0) && !name.hasPrefix($0) }
        let completed = prefix.map { $0 + String(name.dropFirst($0.count)) } ?? ""
        let isPossible = prefix != nil && (includesLastMessage || prefix != "last:")
        return (
            name,
            VariableNames.placeholders + VariableNames.replaceablePlaceholders + (isPossible ? [completed] : [])
                + variables
        )
    }

    /// The mistake and its remedy, to follow a colon.
    /// - Parameters:
    ///   - intendedName: The name that an unknown one probably stands for, or `nil` to list all names.
    ///   - isInMessage: Whether the list contains the number of the message.
    ///   - mayBeColumn: Whether the name may be a column of a data file that is not given.
    package func description(intendedName: String?, isInMessage: Bool = true, mayBeColumn: Bool = false) -> String {
        switch reason {
        case .notClosed: return "'{{' begins a placeholder, but '}}' is missing; write '{{{{' for two literal braces"
        case .unknownName(let name, let variables, let includesLastMessage, let includesRequest):
            let problem = "unknown placeholder '{{\(Self.shown(name))}}'; "
            if let intendedName {
                let argument = intendedName == "random" ? " N" : ""
                return problem + "did you mean '{{\(Self.shown(intendedName))\(argument)}}'?"
            }
            let names =
                (isInMessage ? ["seq"] : []) + ["connection", "time", "iso", "uuid", "random N", "env:NAME"]
                + (includesLastMessage ? ["last:/pointer"] : [])
                + (includesRequest ? ["path", "query:NAME", "header:NAME"] : [])
                + variables.prefix(Self.listedCount).map { Self.shown($0) }
            let isCut = variables.count > Self.listedCount
            return problem + "expected " + names.map { "{{\($0)}}, " }.joined() + (isCut ? "…, " : "")
                + (mayBeColumn ? "a column of --data FILE, " : "") + "or '{{{{' for two literal braces"
        case .unknownFilter(let name):
            return "unknown filter '\(Self.shown(name))'; "
                + (intendedName.map { "did you mean '\($0)'?" }
                    ?? "expected \(TemplateFilter.names.joined(separator: ", "))")
        case .badFilter(let name, let why): return "the filter '\(name)' is invalid: \(why)"
        case .noLastMessage:
            return "{{last:…}} needs a received message, which exists only in --answer and scenarios"
        case .noRequest:
            return "{{query:…}} and {{header:…}} are possible only in first messages, answers, and scenarios of servers"
        case .badRequestName:
            return
                "expected {{query:NAME}} or {{header:NAME}} with a fixed NAME without blanks; blanks surround a '|' before "
                + "a filter"
        case .badRange:
            return "expected {{random:A..B}} with integers of at most 18 digits, and A not above B"
        case .literalNeeded: return "arguments of filters must be literals here, such as append:\"TEXT\""
        case .badArgument: return "an argument with filters ends with ')': FILTER:(VALUE | FILTER)"
        case .groupInLiteral:
            return "groups are not replaced in \"…\"; write '$1 | append:\"…\"', or 'append:$1'"
        case .noPrograms:
            return "{{exec:…}} is possible only in options, and not in files, lines of the input, or saved messages"
        case .noCommand: return "{{exec:…}} needs a command: {{exec:COMMAND}}"
        case .badLength: return "expected {{random N}} with an N from 1 to \(Template.maximumRandomBytes)"
        case .notInEnvironment(let name): return "the environment variable '\(Self.shown(name))' is not set"
        case .badPath(let error): return "{{last:…}} needs a path in the message: \(error)"
        case .noGroup(let number, let groupCount):
            return "there is no group $\(number): the regular expression has \(Phrase.count(groupCount, "group")); "
                + "write '$$' for a dollar sign"
        }
    }

    /// The maximum number of variables that an error lists.
    private static let listedCount = 8
    /// The maximum length of a shown name, in characters.
    private static let longestName = 40

    private static func shown(_ name: String) -> String { escapingControls(name, longest: longestName) }
}

extension TemplateError: CustomStringConvertible {
    /// The mistake and its remedy, to follow a colon.
    package var description: String { description(intendedName: nil) }
}
