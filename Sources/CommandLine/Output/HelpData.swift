/// The option table as JSON, for `help [COMMAND] --json`.
public enum HelpData {
    /// The version of the format. Members keep their meaning as long as it stays the same; new ones may be added.
    static let version = 1

    /// Returns one line with commands, their operands, and their options.
    static func text(of commands: [CommandDescription], _ program: ProgramDescription) -> String {
        let members = [
            ("version", "\(version)"), ("program", string(program.name)), ("program_version", string(program.version)),
            ("commands", array(commands.map { command($0, program) })),
        ]
        return object(members) + "\n"
    }

    private static func command(_ command: CommandDescription, _ program: ProgramDescription) -> String {
        let operands = command.operands.map { operand in
            object([
                ("placeholder", string(operand.placeholder)), ("required", "\(operand.isRequired)"),
                ("repeatable", "\(operand.isRepeatable)"), ("summary", string(operand.summary)),
            ])
        }
        return object([
            ("name", string(command.name)), ("summary", string(command.summary)),
            ("usage", string(program.synopsis(of: command))), ("operands", array(operands)),
            ("options", array(command.options.map { option($0, of: command, program) })),
        ])
    }

    private static func option(
        _ option: OptionDescription, of command: CommandDescription, _ program: ProgramDescription
    ) -> String {
        let choices = option.value?.completion.choices ?? []
        let style = program.textStyle
        let members: [(String, String?)] = [
            ("name", string("--" + option.long)), ("short", option.short.map { string("-\($0)") }),
            ("type", string(type(of: option.value))), ("placeholder", (option.value?.placeholder).map(string)),
            ("implied", (option.value?.implied).map(string)), ("default", option.defaultValue.map(string)),
            ("choices", choices.isEmpty ? nil : array(choices.map { string($0.name) })),
            ("aliases", list(option.aliases.map(\.name))), ("conflicts", list(option.conflicts.map(\.words))),
            ("requires", list(option.requirements.map(\.words))), ("repeatable", "\(option.repetition.isRepeatable)"),
            ("heading", string(option.heading.title)), ("summary", string(option.summary)),
            ("description", string(option.manual.map(style.plain).joined(separator: "\n"))),
            ("example", program.example(of: option, in: command).map(string)),
        ]
        return object(members.compactMap { name, value in value.map { (name, $0) } })
    }

    /// The kind of value: `flag` for an option without one.
    private static func type(of value: OptionValue?) -> String {
        guard let value else { return "flag" }
        switch value.completion {
        case .choices: return "choice"
        case .file, .directory: return "file"
        case .none, .program, .url: break
        }
        return switch value.placeholder {
        case "DURATION": "duration"
        case "SIZE": "size"
        case "N": "number"
        default: "text"
        }
    }

    private static func list(_ words: [String]) -> String? { words.isEmpty ? nil : array(words.map(string)) }

    private static func array(_ values: [String]) -> String { "[" + values.joined(separator: ",") + "]" }

    /// A JSON object with values in JSON.
    public static func object(_ members: [(name: String, value: String)]) -> String {
        "{" + members.map { string($0.name) + ":" + $0.value }.joined(separator: ",") + "}"
    }

    /// A JSON string.
    public static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case ..<" ":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
