import WSCore

/// A message with a name, for repeated use. It is a template whose unknown placeholders are parameters: they get their
/// values when it is sent.
package struct SavedMessage: Equatable, Sendable {
    package let name: String
    /// The text of the template.
    package let text: String
    /// The names of the parameters, in the order of the text.
    package let parameters: [String]

    /// Finds the parameters of a text.
    /// - Parameter columns: The variables that have values already.
    /// - Throws: ``TemplateError``.
    package init(_ name: String, text: String, columns: VariableNames) throws(TemplateError) {
        self.name = name
        self.text = text
        var variables = columns
        while true {
            do throws(TemplateError) {
                // Environment variables matter only when the message is sent.
                _ = try Template(text, variables: variables) { _ in "" }
                break
            } catch {
                guard let (name, _) = error.unknownName, Self.isParameter(name),
                    (try? variables.add(name)) != nil
                else { throw error }
            }
        }
        parameters = Array(variables.names.dropFirst(columns.names.count))
    }

    /// Whether an unknown placeholder can be a parameter, which `NAME=VALUE` sets.
    private static func isParameter(_ name: String) -> Bool {
        !name.isEmpty
            && name.unicodeScalars.allSatisfy { scalar in
                scalar.properties.isAlphabetic || ("0"..."9") ~= scalar || "-_.".unicodeScalars.contains(scalar)
            }
    }

    /// The call with all parameters: `subscribe channel=VALUE`.
    package var usage: String { ([name] + parameters.map { "\($0)=VALUE" }).joined(separator: " ") }
}
