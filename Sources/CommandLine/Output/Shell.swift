/// The shells with completion scripts.
public enum Shell: String, CaseIterable, OptionChoice {
    case bash
    case zsh
    case fish

    /// The shell's name.
    public var summary: String {
        switch self {
        case .bash: "GNU bash"
        case .zsh: "Z shell"
        case .fish: "fish"
        }
    }

    /// Returns the script that completes a program's command lines in the shell.
    public func completionScript(of program: ProgramDescription) -> String {
        switch self {
        case .bash: BashCompletion(program: program).script
        case .zsh: ZshCompletion(program: program).script
        case .fish: FishCompletion(program: program).script
        }
    }
}
