/// Which time stands in front of the REPL's lines.
enum TimestampStyle: String, CaseIterable, OptionChoice {
    case local
    case utc
    case relative
    case off

    var summary: String {
        switch self {
        case .local: "the local time of day"
        case .utc: "the time of day in UTC"
        case .relative: "the time since the start"
        case .off: "no time"
        }
    }
}
