/// The commands, by their names.
package enum Command: String, CaseIterable {
    case connect
    case listen
    case relay
    case bench
    case merge = "bench merge"
    case curl
    case convert
    case check
    case help
    case completions
}
