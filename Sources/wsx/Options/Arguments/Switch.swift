/// Whether something is done that is done unless told otherwise.
enum Switch: String, CaseIterable, OptionChoice {
    case on
    case off

    var summary: String {
        switch self {
        case .on: "where the peer can"
        case .off: "never"
        }
    }
}
