/// One option: its names, its value, its words and what it does. Parser, help, manual and completions read this.
struct OptionSpecification: Sendable {
    /// The name without its two hyphens.
    let long: String
    let short: Character?
    /// Nil for an option that takes no value.
    let value: OptionValue?
    /// As typed, to be shown; a test parses it and compares with the arguments' own default.
    let defaultValue: String?
    /// Whether several occurrences add up; of others the last one counts.
    let isRepeatable: Bool
    /// Whether another value besides the first is an error: who gives two of these means both, and one would be lost.
    let isSingular: Bool
    /// The options that contradict this one. A value that is an option's default contradicts nothing.
    let conflicts: [OptionReference]
    /// The long names of options of which this one needs at least one to say anything.
    let requirements: [OptionReference]
    let group: OptionGroup
    /// What one line of help says, without a full stop.
    let summary: String
    /// What the manual says besides: paragraphs of ``MarkedText``.
    let manual: [MarkedText]
    let effect: OptionEffect

    init(
        _ long: String, _ short: Character? = nil, value: OptionValue? = nil, default defaultValue: String? = nil,
        repeatable isRepeatable: Bool = false, singular isSingular: Bool = false, conflicts: [OptionReference] = [],
        requires requirements: [OptionReference] = [], group: OptionGroup, summary: String, manual: MarkedText...,
        effect: OptionEffect
    ) {
        self.long = long
        self.short = short
        self.value = value
        self.defaultValue = defaultValue
        self.isRepeatable = isRepeatable
        self.isSingular = isSingular
        self.conflicts = conflicts
        self.requirements = requirements
        self.group = group
        self.summary = summary
        self.manual = manual
        self.effect = effect
    }

    /// Whether the option may follow `command`; nil is the program without one.
    func belongs(to command: Command?) -> Bool {
        switch effect {
        case .update(let update): command.map(update.commands.contains) ?? false
        case .help: true
        case .version: command == nil
        }
    }
}
