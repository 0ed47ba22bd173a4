/// Selects the proxy for a target: the one given with `--proxy`, otherwise the one from the environment.
///
/// As in curl, the first variable that is not empty applies:
///
/// | target | variables |
/// | --- | --- |
/// | `wss` | `wss_proxy`, `WSS_PROXY`, `https_proxy`, `HTTPS_PROXY`, `all_proxy`, `ALL_PROXY` |
/// | `ws` | `ws_proxy`, `WS_PROXY`, `http_proxy`, `all_proxy`, `ALL_PROXY` |
///
/// `HTTP_PROXY` is ignored: in a CGI program, clients of the web server can set it with a `Proxy` header field. The
/// exceptions (``NoProxyList``) come from `--no-proxy`, otherwise from `no_proxy` or `NO_PROXY`, and apply to every
/// proxy. Local addresses are not exempt unless listed.
package struct ProxyChoice: Sendable {
    /// A selected proxy and its source.
    package struct Chosen: Equatable, Sendable {
        /// The proxy.
        package let proxy: Proxy
        /// The variable that specified it, or nil for `--proxy`.
        package let variable: String?
    }

    private typealias Variable = (name: String, value: String)

    private let explicit: Proxy?
    private let secureVariable: Variable?
    private let plainVariable: Variable?
    private let exceptions: NoProxyList

    /// Creates the selection.
    /// - Parameters:
    ///   - proxy: The value of `--proxy`; an empty string disables proxies, including those in the environment.
    ///   - noProxy: The value of `--no-proxy`, which replaces the variables even if empty.
    ///   - environment: Returns the value of a variable.
    /// - Throws: ``ProxyURLError`` if the value of `--proxy` is invalid.
    package init(
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

    /// Returns the proxy for a target, or nil for a direct connection.
    ///
    /// - Parameters:
    ///   - isSecure: Whether the target is a `wss` URL.
    ///   - host: The target's host in the form of ``WebSocketURL``.
    ///   - port: The target's port.
    /// - Throws: ``ProxyChoiceError`` if the variable that applies is invalid. Other variables are not checked.
    package func proxy(isSecure: Bool, host: String, port: UInt16) throws(ProxyChoiceError) -> Chosen? {
        guard !exceptions.contains(host: host, port: port) else { return nil }
        if let explicit { return Chosen(proxy: explicit, variable: nil) }
        guard let variable = isSecure ? secureVariable : plainVariable else { return nil }
        do {
            return Chosen(proxy: try Proxy(parsing: variable.value), variable: variable.name)
        } catch {
            throw ProxyChoiceError(variable: variable.name, reason: error)
        }
    }

    /// The proxies for some targets, without those of invalid variables.
    package var all: [Chosen] {
        if let explicit { return [Chosen(proxy: explicit, variable: nil)] }
        return [secureVariable, plainVariable].compactMap { variable in
            guard let variable, let proxy = try? Proxy(parsing: variable.value) else { return nil }
            return Chosen(proxy: proxy, variable: variable.name)
        }
    }

    private static let secureVariables = [
        "wss_proxy", "WSS_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
    ]
    private static let plainVariables = ["ws_proxy", "WS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY"]
    private static let exceptionVariables = ["no_proxy", "NO_PROXY"]
}

/// An environment variable with an invalid proxy URL.
package struct ProxyChoiceError: Error, Equatable, CustomStringConvertible {
    /// The name of the variable.
    package let variable: String
    /// The error in its value.
    package let reason: ProxyURLError

    /// The variable, the cause, and a remedy.
    package var description: String { "environment variable \(variable): \(reason)" }
}
