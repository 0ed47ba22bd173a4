/// A place for arguments that are not options, and how they get into a command's arguments.
public struct OperandSpecification<Arguments>: Sendable {
    /// Writes the operands that were typed, one or more, into the arguments.
    public typealias Update = @Sendable (inout Arguments, [String]) throws(ValueProblem) -> Void

    /// The names and words of the operand.
    public let description: OperandDescription
    let update: Update

    /// Declares an operand.
    ///
    /// - Parameters:
    ///   - placeholder: How help and manual call it.
    ///   - isRequired: Whether it must be there.
    ///   - isRepeatable: Whether it takes all arguments that are left; only a command's last one may.
    ///   - option: The long name of an option without which it has no place, and with which it is needed: it is all that
    ///     follows `--`. nil: it stands by itself.
    ///   - completion: What a shell may offer.
    ///   - example: The operand in the examples of options; nil: the placeholder if it is required, otherwise nothing.
    ///   - summary: One line for help, without a full stop.
    ///   - manual: What the manual says, in paragraphs.
    ///   - update: Writes it into the arguments.
    public init(
        _ placeholder: String, required isRequired: Bool, repeatable isRepeatable: Bool = false,
        of option: String? = nil, completion: ValueCompletion = .none, example: String? = nil, summary: String,
        manual: MarkedText..., update: @escaping Update
    ) {
        description = OperandDescription(
            placeholder: placeholder, isRequired: isRequired, isRepeatable: isRepeatable, option: option,
            completion: completion, example: example ?? (isRequired ? placeholder : nil), summary: summary,
            manual: manual)
        self.update = update
    }

    private init(_ description: OperandDescription, update: @escaping Update) {
        self.description = description
        self.update = update
    }

    /// The operand for arguments that have those of this one as a part.
    public func lifted<Whole>(
        _ path: WritableKeyPath<Whole, Arguments> & Sendable
    ) -> OperandSpecification<Whole> {
        let update = update
        return OperandSpecification<Whole>(description) { whole, values throws(ValueProblem) in
            try update(&whole[keyPath: path], values)
        }
    }
}

/// The description of an operand, for help, manual, completions, and errors.
public struct OperandDescription: Sendable {
    /// How help and manual call the operand.
    public let placeholder: String
    /// Whether it must be there.
    public let isRequired: Bool
    /// Whether it takes all arguments that are left.
    public let isRepeatable: Bool
    /// The long name of the option that makes all that follows `--` this operand.
    public let option: String?
    /// What a shell may offer.
    public let completion: ValueCompletion
    /// The operand in the examples of options; nil: it is left out.
    public let example: String?
    /// One line for help, without a full stop.
    public let summary: String
    /// What the manual says, in paragraphs.
    public let manual: [MarkedText]

    /// The operand as a synopsis shows it: `URL`, `[MESSAGE...]`, `[-- PROGRAM [ARG...]]`.
    var synopsis: String {
        if option != nil { return "[-- \(placeholder)]" }
        let name = isRepeatable ? placeholder + "..." : placeholder
        return isRequired ? name : "[\(name)]"
    }
}
