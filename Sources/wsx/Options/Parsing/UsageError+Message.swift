import WSCore

extension UsageError {
    /// The one line, without its newline, that standard error shows.
    ///
    /// What was typed appears with its control characters escaped, so that it cannot drive a terminal or a log.
    var message: String {
        "wsx: " + escapingControls(words)
    }

    private var words: String {
        switch self {
        case .missingCommand:
            return "a command is missing; try 'wsx connect echo:' or 'wsx --help'"
        case .unknownCommand(let word, let nearest?):
            return "unknown command '\(Self.shown(word))'; did you mean 'wsx \(nearest.rawValue)'?"
        case .unknownCommand(let word, nil):
            return "unknown command '\(Self.shown(word))'; \(Self.helpHint(nil, "commands"))"
        case .foreignCommand(let word, let line):
            return "unknown command '\(word)'; use '\(line)'"
        case .optionBeforeCommand(let option, let command):
            return "'\(option)' stands before the command; write 'wsx \(command) \(option) ...'"
        case .unknownOption(let option, let nearest?, _):
            return "unknown option '\(option)'; did you mean '--\(nearest)'?"
        case .unknownOption(let option, nil, let command):
            return "unknown option '\(option)'; \(Self.helpHint(command, "options"))"
        case .foreignOption(let option, let remedy):
            return "unknown option '\(option)'; \(remedy)"
        case .optionOfOtherCommand(let option, let owners, let command):
            let names = owners.isEmpty ? ["'wsx'"] : owners.map { "'wsx \($0.rawValue)'" }
            let remedy = command == nil ? "; write it after the command" : ""
            return "'\(option)' belongs to \(names.joined(separator: " and "))" + remedy
        case .missingValue(let option, let placeholder):
            return "'\(option)' needs a value: \(option) \(placeholder)"
        case .unexpectedValue(let option):
            return "'\(option)' takes no value; write it without '='"
        case .badValue(let name, _, .notACookie):
            return "bad value for '\(name)': \(ValueProblem.notACookie.words)"
        case .badValue(let name, let value, let problem):
            return "bad value '\(Self.shown(value))' for '\(name)': \(problem.words)"
        case .missingOperand(let placeholder, let command):
            return "'wsx \(command.rawValue)' needs \(placeholder); \(Self.helpHint(command, "usage"))"
        case .unexpectedOperand(let operand, let command):
            return "unexpected argument '\(Self.shown(operand))'; \(Self.helpHint(command, "usage"))"
        case .missingOperandOfOption(let placeholder, let option):
            return "'\(option)' needs a program; end the line with -- \(placeholder)"
        case .operandWithoutOption(let operand, let option):
            return "unexpected argument '\(operand)' after '--'; '--\(option)' runs it as a program"
        case .conflict(let first, let second):
            return "'\(first)' and '\(second)' contradict each other; leave one out"
        case .twoValues(let option, let first, let second):
            return "'\(option)' has one value and was given '\(first)' and '\(second)'; leave one out"
        case .missingRequirement(let option, let requirements):
            let names = requirements.map { "'\($0.words)'" }
            let remedy = names.count == 1 ? "give that one, too" : "give one of them, too"
            return "'\(option)' says nothing without \(ValueProblem.alternatives(names)); \(remedy)"
        }
    }

    /// What was typed, without the user and password of a URL or an address.
    private static func shown(_ text: String) -> String {
        let start = text.utf8.prefix { $0 != UInt8(ascii: "@") }
        return start.contains(UInt8(ascii: ":")) ? WebSocketURL.withoutUserInfo(text) : text
    }

    private static func helpHint(_ command: Command?, _ what: String) -> String {
        "'\(CommandSpecification.of(command).name) -h' shows the \(what)"
    }
}

extension ValueProblem {
    /// What is wrong and what is expected, to follow a colon.
    fileprivate var words: String {
        switch self {
        case .notADuration(let orForever):
            "expected a duration such as 250ms, 5s or 2m" + (orForever ? ", or forever" : "")
        case .durationOutOfRange(let zeroAllowed):
            zeroAllowed ? "expected at most 1000000000s" : "expected more than 0 and at most 1000000000s"
        case .notASize: "expected a size in bytes such as 512, 64k or 16M"
        case .notAStartTime: "expected a time such as 2026-05-01T12:00:00Z, +30s, or seconds since 1970"
        case .notACount: "expected a number such as 5, 50k or 1M"
        case .outOfRange(let range): "expected \(range.lowerBound) through \(range.upperBound)"
        case .notAChoice(let names): "expected " + Self.alternatives(names)
        case .notACloseCode: "expected 1000 through 1003, 1007 through 1014 or 3000 through 4999"
        case .notAPin: "expected sha256// and the Base64 form of 32 bytes, as -v shows a server's"
        case .notASpeed: "expected max, or a factor such as 1, 2 or 0.5"
        case .notADelay: "expected a duration such as 250ms, or a range such as 100ms-2s"
        case .notAFraction: "expected a fraction from 0 to 1, or percents such as 10%"
        case .notACloseLimit: "expected a number of messages such as 5, or a time with its unit such as 500ms or 5s"
        case .notARejection: "expected a status from 300 to 599, or such as 503x3 for the first three requests"
        case .notAPattern(let error): "expected a regular expression of PCRE2: \(error)"
        case .notAField: "expected the name of a member, or a JSON Pointer, in which only ~0 and ~1 follow a tilde"
        case .notAThreshold(let error): "\(error)"
        case .notATemplate(let error): "\(error)"
        case .misplaced(let value): "this is \(value.kind); \(value.remedy)"
        case .notAnOrigin(let allAllowed, let isURL):
            "expected an origin such as https://app.example, or null\(allAllowed ? ", or * for all" : ""); "
                + (isURL ? "leave out user, path and query" : "'> FILE' saves output in a file")
        case .notACookie: "expected name=value; @FILE reads that from a file"
        case .tooLong(let byteCount, let limit): "it has \(byteCount) bytes, and at most \(limit) are allowed"
        case .emptyText: "expected a text that is not empty"
        case .empty: "a name is empty"
        }
    }

    /// The names with commas and an 'or' between them.
    static func alternatives(_ names: [String]) -> String {
        guard let last = names.last, names.count > 1 else { return names.joined() }
        return names.dropLast().joined(separator: ", ") + " or " + last
    }
}
