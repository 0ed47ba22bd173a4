/// An operand of a command: its description, and the function that stores its words in the arguments.
public struct OperandSpecification<Arguments>: Sendable {
    /// Stores one or more words in the arguments.
    public typealias Update = @Sendable (inout Arguments, [String]) throws(ValueProblem) -> Void

    /// The description of the operand.
    public let description: OperandDescription
    let update: Update

    /// Declares an operand.
    ///
    /// - Parameters:
    ///   - placeholder: The name in help and manual.
    ///   - isRequired: Whether the operand is required.
    ///   - isRepeatable: Whether it takes all remaining words; allowed only for the last operand.
    ///   - option: The long name of the option that requires this operand and assigns the words after `--` to it, or
    ///     `nil` for an ordinary operand.
    ///   - followsEnd: Whether the words after `--` are this operand, without an option.
    ///   - profileKey: The name under which a profile of the configuration file contains the operand, or `nil` if the
    ///     operand cannot name a profile. No operand before this one may be repeatable.
    ///   - afterEnd: What to do instead of writing the operand after `--` without a hyphen at its beginning, if another
    ///     operand precedes it. `nil`: it is allowed.
    ///   - startsProgram: Whether a word starts a program. By default, none does.
    ///   - completion: The completions that shells offer.
    ///   - example: The operand in examples of options. With `nil`, examples contain the placeholder of a required
    ///     operand, and omit an optional one.
    ///   - summary: One line for the help, without a period.
    ///   - manual: The paragraphs for the manual.
    ///   - update: Stores the words in the arguments.
    public init(
        _ placeholder: String, required isRequired: Bool, repeatable isRepeatable: Bool = false,
        of option: String? = nil, followsEnd: Bool = false, profileKey: String? = nil, afterEnd: String? = nil,
        startsProgram: @escaping OptionDescription.ProgramRule = { _ in false },
        completion: ValueCompletion = .none,
        example: String? = nil, summary: String, manual: MarkedText..., update: @escaping Update
    ) {
        description = OperandDescription(
            placeholder: placeholder, isRequired: isRequired, isRepeatable: isRepeatable, option: option,
            followsEnd: followsEnd, profileKey: profileKey, afterEnd: afterEnd, startsProgram: startsProgram,
            completion: completion,
            example: example ?? (isRequired ? placeholder : nil),
            summary: summary,
            manual: manual)
        self.update = update
    }

    private init(_ description: OperandDescription, update: @escaping Update) {
        self.description = description
        self.update = update
    }

    /// Returns the operand with a check of the arguments after the words have been stored.
    public func checked(
        _ check: @escaping @Sendable (Arguments) throws(ValueProblem) -> Void
    ) -> OperandSpecification {
        let update = update
        return OperandSpecification(description) { arguments, values throws(ValueProblem) in
            try update(&arguments, values)
            try check(arguments)
        }
    }

    /// Returns the operand for arguments that contain those of this one.
    public func lifted<Whole>(
        _ path: WritableKeyPath<Whole, Arguments> & Sendable
    ) -> OperandSpecification<Whole> {
        let update = update
        return OperandSpecification<Whole>(description) { whole, values throws(ValueProblem) in
            try update(&whole[keyPath: path], values)
        }
    }
}

/// The description of an operand for help, manual, completions, and errors.
public struct OperandDescription: Sendable {
    /// The name in help and manual.
    public let placeholder: String
    /// Whether the operand is required.
    public let isRequired: Bool
    /// Whether it takes all remaining words.
    public let isRepeatable: Bool
    /// The long name of the option that assigns the words after `--` to this operand.
    public let option: String?
    /// Whether the words after `--` are always this operand.
    let followsEnd: Bool
    /// The name under which a profile of the configuration file contains the operand, or `nil` if it cannot.
    public let profileKey: String?
    /// What to do instead of writing the operand after `--`, or `nil` if this is allowed.
    let afterEnd: String?
    /// Whether a word starts a program, which texts of other people must not.
    let startsProgram: OptionDescription.ProgramRule
    /// The completions that shells offer.
    public let completion: ValueCompletion
    /// The operand in examples of options, or `nil` to omit it.
    public let example: String?
    /// One line for the help, without a period.
    public let summary: String
    /// The paragraphs for the manual.
    public let manual: [MarkedText]

    /// Whether the operand is after `--`.
    var isAfterEnd: Bool { followsEnd || option != nil }

    /// A word to try as the operand, such as `8080` or `bash`; nil: none is known.
    var sample: String? {
        switch completion {
        case .choices(let choices): choices.first?.name
        case .url(let prefixes, _): prefixes.first
        case .none, .file, .directory, .program: example == placeholder ? nil : example
        }
    }

    /// The operand in a synopsis: `URL`, `[MESSAGE...]`, `[-- PROGRAM [ARG...]]`.
    var synopsis: String {
        if isAfterEnd { return "[-- \(placeholder)]" }
        let name = isRepeatable ? placeholder + "..." : placeholder
        return isRequired ? name : "[\(name)]"
    }
}
