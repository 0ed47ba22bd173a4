/// The value that follows an option.
struct OptionValue: Equatable {
    /// How help and manual call the value.
    let placeholder: String
    let completion: ValueCompletion

    init(_ placeholder: String, _ completion: ValueCompletion = .none) {
        self.placeholder = placeholder
        self.completion = completion
    }
}
