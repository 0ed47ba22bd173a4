/// The value that follows an option.
struct OptionValue: Equatable {
    /// How help and manual call the value.
    let placeholder: String
    let completion: ValueCompletion
    /// What the option stands for alone; a value then follows after an equals sign or not at all, and there is no short
    /// name. Nil: it must follow.
    let implied: String?

    init(_ placeholder: String, _ completion: ValueCompletion = .none, implied: String? = nil) {
        self.placeholder = placeholder
        self.completion = completion
        self.implied = implied
    }

    /// What stands behind the option's name, with the placeholder as `style` shows it: ` N` or `[=off]`.
    func suffix(_ style: (String) -> String = { $0 }) -> String {
        implied == nil ? " " + style(placeholder) : "[=" + style(placeholder) + "]"
    }
}
