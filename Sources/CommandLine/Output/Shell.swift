/// The shells that completions are made for.
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

    /// The script that makes the shell complete a program's command lines.
    public func completionScript(of program: ProgramDescription) -> String {
        switch self {
        case .bash: BashCompletion(program: program).script
        case .zsh: ZshCompletion(program: program).script
        case .fish: FishCompletion(program: program).script
        }
    }
}
