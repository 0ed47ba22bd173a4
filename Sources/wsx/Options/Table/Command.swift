/// The first word after `wsx`. The program without a command is a nil `Command?` throughout.
enum Command: String, CaseIterable {
    case connect
    case listen
    case bench
    case help
    case completions
}
