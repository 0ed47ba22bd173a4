/// The shells that completions are made for.
enum Shell: String, CaseIterable, OptionChoice {
    case bash
    case zsh
    case fish

    var summary: String {
        switch self {
        case .bash: "GNU bash"
        case .zsh: "Z shell"
        case .fish: "fish"
        }
    }

    /// The script that makes the shell complete wsx's command lines.
    var completionScript: String {
        switch self {
        case .bash: BashCompletion.script
        case .zsh: ZshCompletion.script
        case .fish: FishCompletion.script
        }
    }
}
