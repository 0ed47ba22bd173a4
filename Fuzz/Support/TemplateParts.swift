import Formats
import WSCore

@testable import Conversation

/// The first line of an input, and the rest, or `nil` if the input has one line or the first is not UTF-8.
func lineAndRest(of input: [UInt8]) -> (line: String, rest: [UInt8])? {
    let parts = input.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let line = String(validating: parts[0], as: UTF8.self) else { return nil }
    return (line, Array(parts[1]))
}

/// The variables of templates: one with a value, and one without.
enum FuzzVariables {
    static let value = "Ada \"\u{1F}é\""

    static let names: VariableNames = {
        var names = VariableNames()
        for name in ["name", "other"] {
            do throws(VariableNameError) {
                try names.add(name)
            } catch {
                unexpected("\(error)")
            }
        }
        return names
    }()

    static func make() -> TemplateVariables {
        var variables = TemplateVariables(names)
        let bytes = Array(value.utf8)
        variables.set(0, to: bytes.span.bytes)
        return variables
    }

    /// Returns the value of the only environment variable, `A`.
    static func environment(_ name: String) -> String? { name == "A" ? value : nil }
}

/// The stamp of all messages.
let fuzzStamp = Template.Stamp(sequence: .max, connection: 7, time: 1_700_000_000_000, seed: 3)
