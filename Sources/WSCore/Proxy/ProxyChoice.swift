/// Which proxy a target is connected to through: that of `--proxy`, or else that of the environment.
///
/// As with curl, the variables are the first of these that is not empty:
///
/// | target | variables |
/// | --- | --- |
/// | `wss` | `wss_proxy`, `WSS_PROXY`, `https_proxy`, `HTTPS_PROXY`, `all_proxy`, `ALL_PROXY` |
/// | `ws` | `ws_proxy`, `WS_PROXY`, `http_proxy`, `all_proxy`, `ALL_PROXY` |
///
/// `HTTP_PROXY` is none of them, because in a CGI program a client of its web server can set it, by a header field
/// `Proxy`. What ``NoProxyList`` describes is read from `--no-proxy`, or else from `no_proxy` or `NO_PROXY`, and
/// holds for each of the proxies. Addresses of this machine are no exception, unless they are listed.
public struct ProxyChoice: Sendable {
    /// A proxy, and what named it.
    public struct Chosen: Equatable, Sendable {
        /// The proxy.
        public let proxy: Proxy
        /// The variable that named it, or nil for `--proxy`.
        public let variable: String?
    }

    private typealias Variable = (name: String, value: String)

    private let explicit: Proxy?
    private let secureVariable: Variable?
    private let plainVariable: Variable?
    private let exceptions: NoProxyList

    /// Takes what there is to choose from, or throws ``ProxyURLError`` for what `--proxy` says.
    /// - Parameters:
    ///   - proxy: The value of `--proxy`; an empty one means none, whatever the environment says.
    ///   - noProxy: The value of `--no-proxy`, which takes the place of the variables, also if it is empty.
    ///   - environment: The value of a variable.
    public init(
        proxy: String? = nil, noProxy: String? = nil, environment: (String) -> String?
    ) throws(ProxyURLError) {
        func firstVariable(_ names: [String]) -> Variable? {
            for name in names {
                if let value = environment(name), !value.isEmpty { return (name, value) }
            }
            return nil
        }
        if let proxy {
            explicit = proxy.isEmpty ? nil : try Proxy(parsing: proxy)
            secureVariable = nil
            plainVariable = nil
        } else {
            explicit = nil
            secureVariable = firstVariable(Self.secureVariables)
            plainVariable = firstVariable(Self.plainVariables)
        }
        exceptions = NoProxyList(parsing: noProxy ?? firstVariable(Self.exceptionVariables)?.value ?? "")
    }

    /// The proxy for a target; nil: it is connected to directly.
    ///
    /// Throws ``ProxyChoiceError`` where a variable names no proxy. A variable that is not used may say anything.
    /// - Parameters:
    ///   - isSecure: Whether the target is a `wss` URL.
    ///   - host: The target's host as ``WebSocketURL`` has it.
    ///   - port: The target's port.
    public func proxy(isSecure: Bool, host: String, port: UInt16) throws(ProxyChoiceError) -> Chosen? {
        guard !exceptions.contains(host: host, port: port) else { return nil }
        if let explicit { return Chosen(proxy: explicit, variable: nil) }
        guard let variable = isSecure ? secureVariable : plainVariable else { return nil }
        do {
            return Chosen(proxy: try Proxy(parsing: variable.value), variable: variable.name)
        } catch {
            throw ProxyChoiceError(variable: variable.name, reason: error)
        }
    }

    private static let secureVariables = [
        "wss_proxy", "WSS_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
    ]
    private static let plainVariables = ["ws_proxy", "WS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY"]
    private static let exceptionVariables = ["no_proxy", "NO_PROXY"]
}

/// A variable of the environment that names no proxy.
public struct ProxyChoiceError: Error, Equatable, CustomStringConvertible {
    /// The variable.
    public let variable: String
    /// What is wrong with its value.
    public let reason: ProxyURLError

    /// The variable, why, and what to try.
    public var description: String { "the variable \(variable): \(reason)" }
}
