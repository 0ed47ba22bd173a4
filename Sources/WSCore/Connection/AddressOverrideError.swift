/// Why a text is not `HOST:PORT:IP[,IP...]`.
public enum AddressOverrideError: Error, Equatable, CustomStringConvertible {
    /// It begins with a sign that only curl gives a meaning to.
    case prefix(String)
    /// There is no port.
    case missingPort
    /// There is no address, or nothing between two commas.
    case missingAddress
    /// The host or the port cannot be one.
    case host(URLError)
    /// What stands in place of an address; a name, for instance.
    case invalidAddress(String)
    /// The zone of an IPv6 address is no interface of this machine; the zone.
    case unknownZone(String)

    /// Why, and what to try.
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
