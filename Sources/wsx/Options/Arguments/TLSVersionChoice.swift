import WSCore

/// The versions of TLS that one can insist on.
enum TLSVersionChoice: String, CaseIterable, OptionChoice {
    case tls12 = "1.2"
    case tls13 = "1.3"

    var summary: String {
        switch self {
        case .tls12: "TLS 1.2 and 1.3"
        case .tls13: "TLS 1.3 alone"
        }
    }

    /// The version.
    var version: TLSVersion {
        switch self {
        case .tls12: .tls12
        case .tls13: .tls13
        }
    }
}
