/// A place for arguments that are not options.
struct OperandSpecification: Sendable {
    /// How help and manual call the operand.
    let placeholder: String
    let isRequired: Bool
    /// Whether the operand takes all arguments that are left; only a command's last one may.
    let isRepeatable: Bool
    /// The long name of an option without which it has no place, and with which it is needed: all that follows `--`. nil:
    /// it stands by itself.
    let option: String?
    let completion: ValueCompletion
    let summary: String
    let manual: [MarkedText]
    /// Receives the typed operands, one or more; nil for a command that has no arguments type.
    let update: ArgumentUpdate<[String]>?

    init(
        _ placeholder: String, required isRequired: Bool, repeatable isRepeatable: Bool = false,
        of option: String? = nil, completion: ValueCompletion = .none, summary: String, manual: MarkedText...,
        update: ArgumentUpdate<[String]>? = nil
    ) {
        self.placeholder = placeholder
        self.isRequired = isRequired
        self.isRepeatable = isRepeatable
        self.option = option
        self.completion = completion
        self.summary = summary
        self.manual = manual
        self.update = update
    }

    /// The operand as a synopsis shows it: `URL`, `[MESSAGE...]`, `[-- PROGRAM [ARG...]]`.
    var synopsis: String {
        if option != nil { return "[-- \(placeholder)]" }
        let name = isRepeatable ? placeholder + "..." : placeholder
        return isRequired ? name : "[\(name)]"
    }
}
