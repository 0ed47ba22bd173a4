import CommandLine
import Conversation

extension Template {
    /// Parses the value of an option.
    /// - Parameters:
    ///   - option: The option, for errors.
    ///   - variables: The variables that the text may insert.
    ///   - takesLastMessage: Whether the text may insert values of the last message.
    ///   - isOfRequest: Whether the text is part of a request, so it needs neither a message nor its number.
    ///   - percentEncodesValues: Whether values become parts of a URL.
    ///   - takesData: Whether the command has `--data`.
    ///   - secrets: Reads environment variables.
    /// - Throws: ``Failure/badArgument(what:why:)``, with a suggestion for an unknown name.
    static func make(
        _ text: String, of option: String, variables: VariableNames, takesLastMessage: Bool = true,
        isOfRequest: Bool = false, percentEncodesValues: Bool = false, takesData: Bool = true, secrets: Secrets
    ) throws(Failure) -> Template {
        var names = variables
        names.includesLastMessage = takesLastMessage && !isOfRequest
        let template: Template
        do throws(TemplateError) {
            template = try Template(
                text, variables: names, percentEncodesValues: percentEncodesValues, environment: secrets.environment)
        } catch {
            throw .badArgument(
                what: option,
                why: error.suggestion(isInMessage: !isOfRequest, mayBeColumn: takesData && variables.names.isEmpty))
        }
        guard !isOfRequest || !template.usesSequence else {
            throw .badArgument(
                what: option, why: "{{seq}} numbers the messages of a connection; use {{connection}} in a request")
        }
        return template
    }
}

extension TemplateError {
    /// The mistake and its remedy. For an unknown name, the remedy is the most similar known name, if there is one.
    var suggestion: String { suggestion() }

    /// The mistake and its remedy.
    /// - Parameters:
    ///   - isInMessage: Whether the text is a message. If not, no placeholder for messages is suggested.
    ///   - mayBeColumn: Whether an unknown name may be a column of a data file that is not given.
    func suggestion(isInMessage: Bool = true, mayBeColumn: Bool = false) -> String {
        guard let (name, known) = unknownName else { return "\(self)" }
        let names = isInMessage ? known : known.filter { $0 != "seq" }
        return description(
            intendedName: EditDistance.nearest(to: name, among: names), isInMessage: isInMessage,
            mayBeColumn: mayBeColumn)
    }
}
