/// What an option does when the parser meets it.
enum OptionEffect {
    /// Changes the arguments of a command; the value is empty for an option that takes none.
    case update(ArgumentUpdate<String>)
    /// Ends the parse with a help text.
    case help
    /// Ends the parse with the version.
    case version
}
