import CommandLine
import Conversation

extension Template {
    /// Parses the value of an option.
    /// - Parameters:
    ///   - option: The option, for errors.
    ///   - variables: The variables that the text may insert.
    ///   - isOfRequest: Whether the text is part of a request, so it needs neither a message nor its number.
    ///   - percentEncodesValues: Whether values become parts of a URL.
    ///   - takesData: Whether the command has `--data`.
    ///   - secrets: Reads environment variables.
    /// - Throws: ``Failure/badArgument(what:why:)``, with a suggestion for an unknown name.
    static func make(
        _ text: String, of option: String, variables: VariableNames, isOfRequest: Bool = false,
        percentEncodesValues: Bool = false, takesData: Bool = true, secrets: Secrets
    ) throws(Failure) -> Template {
        let template: Template
        do throws(TemplateError) {
            template = try Template(
                text, variables: variables, percentEncodesValues: percentEncodesValues,
                environment: secrets.environment)
        } catch {
            throw .badArgument(
                what: option,
                why: error.suggestion(isInMessage: !isOfRequest, mayBeColumn: takesData && variables.names.isEmpty))
        }
        if isOfRequest { try template.checkIsOfRequest(option) }
        return template
    }

    /// Checks that the text needs neither a message nor its number, because it is part of a request.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    private func checkIsOfRequest(_ option: String) throws(Failure) {
        guard !usesSequence else {
            throw .badArgument(
                what: option, why: "{{seq}} numbers the messages of a connection; use {{connection}} in a request")
        }
        try checkNeedsNoMessage(option)
    }

    /// Checks that the text needs no received message, because none exists when it is written.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    func checkNeedsNoMessage(_ option: String) throws(Failure) {
        guard usesLastMessage else { return }
        throw .badArgument(
            what: option, why: "{{last:…}} needs a received message, which exists only in --answer and scenarios")
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
