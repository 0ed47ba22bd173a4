/// The headings of the options, in the order in which help and manual show them.
enum OptionGroup: String, CaseIterable {
    case messages = "Messages"
    case server = "Server"
    case access = "Access"
    case web = "Web pages"
    case faults = "Fault injection"
    case format = "Input and output"
    case ending = "Ending"
    case requests = "Requests and replies"
    case staying = "Staying connected"
    case request = "Request"
    case network = "Network"
    case tls = "TLS"
    case compression = "Compression"
    case limits = "Limits"
    case display = "Display"
    case general = "General"
}
