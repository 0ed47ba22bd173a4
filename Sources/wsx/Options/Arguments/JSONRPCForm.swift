/// The form of the calls that `--json-rpc` makes.
enum JSONRPCForm: String, CaseIterable, OptionChoice {
    case automatic = "auto"
    case standard = "2.0"
    case devtools

    var summary: String {
        switch self {
        case .automatic: "devtools for a path under /devtools/, 2.0 elsewhere"
        case .standard: "JSON-RPC 2.0"
        case .devtools: "without the member jsonrpc"
        }
    }

    /// Whether calls have the member `jsonrpc`, at the path that a request asks for.
    func hasVersion(at requestTarget: String) -> Bool {
        switch self {
        case .automatic: !requestTarget.hasPrefix("/devtools/")
        case .standard: true
        case .devtools: false
        }
    }
}
