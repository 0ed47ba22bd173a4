/// A client of a ``Server`` with an accepted request that has not been answered yet.
package final class AcceptedClient: Sendable {
    /// The client's number, starting from 1 and never reused.
    package let number: Int
    /// The request and the result of the opening handshake.
    package let upgrade: ServerUpgrade
    /// The accepted extensions.
    package let extensions: [ExtensionOffer]
    /// The client's address.
    package let address: PeerAddress
    /// The TLS parameters; nil without TLS.
    package let tls: TLSSummary?
    /// The index of the endpoint it connected to, in the order of calls to ``Server/listen(on:)``, starting from 0.
    package let endpointIndex: Int

    init(
        number: Int, upgrade: ServerUpgrade, extensions: [ExtensionOffer], address: PeerAddress,
        tls: TLSSummary?, endpointIndex: Int
    ) {
        self.number = number
        self.upgrade = upgrade
        self.extensions = extensions
        self.address = address
        self.tls = tls
        self.endpointIndex = endpointIndex
    }

    /// The response to the request.
    package var response: ResponseHead { upgrade.response(accepting: extensions) }
}
