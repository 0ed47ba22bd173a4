/// Forwards requests that are not upgrades to another server.
package struct RequestForwarding {
    /// Maps the heads.
    let gateway: Gateway
    /// The resources of the connections to the server.
    let resources: ConnectorResources
    /// How to reach the server, with the request to send: that of a client, with the field for the length of its body, if
    /// it has one.
    let settings: (RequestHead, _ framing: HeaderField?) throws(HandshakeRefusal) -> Connector.Settings
    /// The response if the server cannot be reached.
    let refusal: (ConnectError, RequestHead) -> HandshakeRefusal
    /// Whether exchanges keep the heads of responses, and are reported.
    let reportsExchanges: Bool
    /// The time without progress in either direction after which an exchange is given up, at least once and at most twice.
    let timeout: Duration

    /// The default of ``timeout``. Other gateways wait as long.
    package static let defaultTimeout = Duration.seconds(60)

    /// Creates a forwarding.
    package init(
        _ gateway: Gateway, resources: ConnectorResources, timeout: Duration = defaultTimeout,
        reportsExchanges: Bool = false,
        settings: @escaping (RequestHead, _ framing: HeaderField?) throws(HandshakeRefusal) -> Connector.Settings,
        refusal: @escaping (ConnectError, RequestHead) -> HandshakeRefusal
    ) {
        self.gateway = gateway
        self.resources = resources
        self.timeout = timeout
        self.reportsExchanges = reportsExchanges
        self.settings = settings
        self.refusal = refusal
    }
}
