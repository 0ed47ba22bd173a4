@testable import WSCore

// The server refuses a request with an invalid host before it asks the policy.
extension OriginPolicy {
    /// Whether a request with these values of Origin and Host is accepted.
    static func allowsOrigin(_ origin: String?, host: String, allowed: [String]) -> Bool {
        guard let host = try? HostAndPort(parsing: host) else { return false }
        return allowsOrigin(origin, host: host, allowed: allowed)
    }

    /// Whether a request with this value of Host is accepted.
    static func allowsHost(_ host: String, allowed: [String]) -> Bool {
        guard let host = try? HostAndPort(parsing: host) else { return false }
        return allowsHost(host, allowed: allowed)
    }
}
