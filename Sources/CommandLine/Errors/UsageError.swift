/// An error in a command line.
///
/// Options are given as typed, with hyphens, and commands by name.
public enum UsageError: Error, Equatable {
    /// A command is missing; `example` is a command line to try.
    case missingCommand(example: String)
    /// `nearest` is the command that was probably intended.
    case unknownCommand(String, nearest: String?)
    /// A word after options that is neither a command nor the operand with this placeholder.
    case notAnOperand(String, placeholder: String)
    /// A command of another tool, and the equivalent command line.
    case foreignCommand(String, line: String)
    /// The help has no such topic; `nearest` are those that were probably intended.
    case unknownTopic(String, nearest: [String])
    /// A topic of the help has no such part; `nearest` is the one that was probably intended.
    case unknownSubtopic(String, topic: String, nearest: String?)
    /// An option precedes the command.
    case optionBeforeCommand(String, String)
    /// `nearest` is the long name, without hyphens, that was probably intended.
    case unknownOption(String, nearest: String?, command: String)
    /// An option of another tool, and the equivalent.
    case foreignOption(String, remedy: String)
    /// The option belongs to other commands, or to the program without a command if `owners` is empty.
    case optionOfOtherCommand(String, owners: [String])
    /// `remedy` is what to do instead if an option of another tool was meant.
    case missingValue(option: String, placeholder: String, remedy: String? = nil)
    case unexpectedValue(option: String)
    /// An invalid value; `name` is an option or the placeholder of an operand.
    case badValue(name: String, value: String, problem: ValueProblem)
    /// `example` is a word to try as the operand.
    case missingOperand(String, command: String, example: String?)
    /// `remedy` is what to do instead, if it is known.
    case unexpectedOperand(String, command: String, remedy: String? = nil)
    /// The option requires words after `--`.
    case missingOperandOfOption(String, option: String)
    /// A word after `--` that would require the option with this long name.
    case operandWithoutOption(String, option: String)
    case conflict(String, String)
    /// Two different values for an option that accepts only one.
    case twoValues(option: String, String, String)
    /// An option that requires at least one of several others.
    case missingRequirement(String, requirements: [OptionReference])
    /// An option that starts a program, in a command that is often pasted.
    case programNotAllowed(option: String, command: String)
    /// An error in the configuration file, or in its use.
    case configuration(ConfigurationError)
}

extension UsageError {
    /// Returns the problem and the remedy on one line. Words from the command line are included unchanged, with control
    /// characters.
    ///
    /// - Parameters:
    ///   - program: The program's name.
    ///   - shown: Removes secrets, such as passwords, from a word.
    public func words(of program: String, shown: (String) -> String) -> String {
        switch self {
        case .missingCommand(let example):
            return "missing command; try '\(example)' or '\(program) --help'"
        case .unknownCommand(let word, let nearest?):
            return "unknown command '\(shown(word))'; did you mean '\(program) \(nearest)'?"
        case .unknownCommand(let word, nil):
            return "unknown command '\(shown(word))'; '\(program) -h' lists the commands"
        case .notAnOperand(let word, let placeholder):
            return "'\(shown(word))' is neither a command nor \(placeholder); write \(placeholder) before it"
        case .foreignCommand(let word, let line):
            return "unknown command '\(word)'; use '\(line)'"
        case .unknownTopic(let word, let nearest):
            let remedy = nearest.map { "'\(program) help \($0)'" }
            return "unknown topic '\(shown(word))'; "
                + (remedy.isEmpty
                    ? "'\(program) help' lists the topics" : "did you mean \(ValueProblem.alternatives(remedy))?")
        case .unknownSubtopic(let word, let topic, let nearest?):
            return "unknown \(topic) '\(shown(word))'; did you mean '\(program) help \(topic) \(nearest)'?"
        case .unknownSubtopic(let word, let topic, nil):
            return "unknown \(topic) '\(shown(word))'; '\(program) help \(topic)' lists the names"
        case .optionBeforeCommand(let option, let command):
            return "'\(option)' must follow the command; write '\(program) \(command) \(option) ...'"
        case .unknownOption(let option, let nearest?, _):
            return "unknown option '\(option)'; did you mean '--\(nearest)'?"
        case .unknownOption(let option, nil, let command):
            return "unknown option '\(option)'; '\(program) \(command) -h' lists the options"
        case .foreignOption(let option, let remedy):
            return "unknown option '\(option)'; \(remedy)"
        case .optionOfOtherCommand(let option, let owners):
            let names = owners.isEmpty ? ["'\(program)'"] : owners.map { "'\(program) \($0)'" }
            return "'\(option)' is an option of \(enumerated(names)), not of this command"
        case .missingValue(let option, let placeholder, let remedy):
            return "'\(option)' needs a value: \(option) \(placeholder)" + (remedy.map { "; \($0)" } ?? "")
        case .unexpectedValue(let option):
            return "'\(option)' takes no value; omit the text after it"
        case .badValue(let name, let value, let problem):
            let what = problem.hidesValue ? "" : " '\(shown(value))'"
            return "invalid value\(what) for '\(name)': \(problem.words(for: value))"
        case .missingOperand(let placeholder, let command, let example):
            let name = "\(program) \(command)"
            let remedy = example.map { "try '\(name) \($0)'" } ?? "'\(name) -h' shows the usage"
            return "'\(name)' needs \(placeholder); \(remedy)"
        case .unexpectedOperand(let operand, let command, let remedy):
            let remedy = remedy ?? "'\(program) \(command) -h' shows the usage"
            return "unexpected argument '\(shown(operand))'; \(remedy)"
        case .missingOperandOfOption(let placeholder, let option):
            return "'\(option)' needs a program; end the line with -- \(placeholder)"
        case .operandWithoutOption(let operand, let option):
            return "unexpected argument '\(operand)' after '--'; '--\(option)' runs it as a program"
        case .conflict(let first, let second):
            return "'\(first)' cannot be used with '\(second)'; omit one of them"
        case .twoValues(let option, let first, let second):
            return "'\(option)' takes one value, but got '\(first)' and '\(second)'; omit one of them"
        case .missingRequirement(let option, let requirements):
            let names = requirements.map { "'\($0.words)'" }
            let remedy = names.count == 1 ? "add it" : "add one of them"
            return "'\(option)' requires \(ValueProblem.alternatives(names)); \(remedy), or omit '\(option)'"
        case .programNotAllowed(let option, let command):
            return "'\(option)' starts a program, but '\(program) \(command)' starts none because commands are pasted; "
                + "use '\(program) connect'"
        case .configuration(let error): return error.words(of: program, shown: shown)
        }
    }
}

extension UsageError {
    /// The option or operand that the error is about, as typed.
    public var option: String? {
        switch self {
        case .optionBeforeCommand(let option, _), .unknownOption(let option, _, _), .foreignOption(let option, _),
            .optionOfOtherCommand(let option, _), .missingValue(let option, _, _), .unexpectedValue(let option),
            .badValue(let option, _, _), .missingOperandOfOption(_, let option), .conflict(let option, _),
            .twoValues(let option, _, _), .missingRequirement(let option, _), .programNotAllowed(let option, _):
            option
        case .missingOperand(let placeholder, _, _): placeholder
        case .missingCommand, .unknownCommand, .notAnOperand, .foreignCommand, .unknownTopic, .unknownSubtopic,
            .unexpectedOperand, .operandWithoutOption, .configuration:
            nil
        }
    }

    /// What was probably intended, or what to add, if the error knows it.
    public var suggestion: String? {
        switch self {
        case .missingCommand(let example): example
        case .unknownCommand(_, let nearest), .unknownSubtopic(_, _, let nearest): nearest
        case .foreignCommand(_, let line): line
        case .unknownTopic(_, let nearest): nearest.first
        case .unknownOption(_, let nearest, _): nearest.map { "--" + $0 }
        case .foreignOption(_, let remedy): remedy
        case .unexpectedOperand(_, _, let remedy): remedy
        case .badValue(_, let value, .notAChoice(let names)): EditDistance.nearest(to: value, among: names)
        case .operandWithoutOption(_, let option): "--" + option
        case .missingRequirement(_, let requirements): requirements.first?.words
        case .missingOperand(_, _, let example): example
        case .notAnOperand, .optionBeforeCommand, .optionOfOtherCommand, .missingValue, .unexpectedValue, .badValue,
            .missingOperandOfOption, .conflict, .twoValues, .programNotAllowed, .configuration:
            nil
        }
    }
}

/// Returns "a", "a and b", or "a, b, and c".
private func enumerated(_ names: [String]) -> String {
    guard names.count > 2, let last = names.last else { return names.joined(separator: " and ") }
    return names.dropLast().joined(separator: ", ") + ", and " + last
}
