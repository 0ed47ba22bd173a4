import Formats
import WSCore

/// Sets a variable to a value in a message: `"set":{"sid":"/session"}`.
package struct Extraction: Equatable, Sendable {
    package let slot: Int
    private let path: JSONPath

    /// Prepares an extraction.
    /// - Parameters:
    ///   - slot: The slot of the variable; see ``VariableNames/add(_:)``.
    ///   - path: The location of its value.
    package init(slot: Int, path: JSONPath) {
        self.slot = slot
        self.path = path
    }

    /// Sets the variable.
    /// - Parameter message: Text or binary.
    /// - Throws: ``TemplateValueError`` if the message has no value at the location, or is not JSON. The variable keeps
    ///   its value.
    package func apply(
        to variables: inout TemplateVariables, from message: RawSpan
    ) throws(TemplateValueError) {
        guard UTF8Validator.isValid(message), let value = path.value(in: message) else {
            throw TemplateValueError(of: path, in: message)
        }
        variables.set(slot, to: value, of: message)
    }

    /// Sets the variable, unless the message has no value at the location, or `null`.
    /// - Parameter message: Text or binary.
    package func update(_ variables: inout TemplateVariables, from message: RawSpan) {
        guard UTF8Validator.isValid(message), let value = path.value(in: message),
            value.kind != .literal || !message.extracting(value.range).isEqual(to: Self.null.span.bytes)
        else { return }
        variables.set(slot, to: value, of: message)
    }

    private static let null = Array("null".utf8)
}
