/// An error in an address override, `HOST:PORT:IP[,IP...]`.
public enum AddressOverrideError: Error, Equatable, CustomStringConvertible {
    /// The text starts with a sign that has a meaning only in curl.
    case prefix(String)
    /// The port is missing.
    case missingPort
    /// An address is missing, for example between two commas.
    case missingAddress
    /// The host or port is invalid.
    case host(URLError)
    /// The text is not an IP address, for example a host name.
    case invalidAddress(String)
    /// This machine has no interface with the name of the IPv6 address's zone.
    case unknownZone(String)

    /// The cause and a remedy.
    public var description: String {
        switch self {
        case .prefix("-"): "nothing is remembered that could be removed; leave the '-' out"
        case .prefix(let sign): "the addresses hold for the whole run anyway; leave the '\(sign)' out"
        case .missingPort: "there is no port; write HOST:PORT:IP"
        case .missingAddress: "an address is missing; write HOST:PORT:IP[,IP...]"
        case .host(let error): error.description
        case .invalidAddress(let text):
            "\(quoted(text)) is not an IP address; write one like 192.0.2.1 or [2001:db8::1]"
        case .unknownZone(let zone): "this machine has no interface \(quoted(zone)); 'ip link' lists those it has"
        }
    }
}
