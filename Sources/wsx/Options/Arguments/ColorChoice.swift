/// When notices, the REPL and indented JSON are coloured.
enum ColorChoice: String, CaseIterable, OptionChoice {
    case auto
    case always
    case never

    var summary: String {
        switch self {
        case .auto: "on a terminal, unless NO_COLOR is set"
        case .always: "everywhere"
        case .never: "nowhere"
        }
    }
}
