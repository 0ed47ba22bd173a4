extension LoadContext {
    /// Prepares the exchange of a connection that is being opened, if there is one.
    /// - Parameter subprotocol: The subprotocol that the server selected, or `nil` if it selected none.
    package func prepareExchange(of connection: LoadConnection, subprotocol: String?) {
        if let rules = exchangeRules {
            connection.exchange = RuleExchange(rules, number: connection.number, in: self)
        } else if let applicationProtocol = plan.conversation.applicationProtocol {
            let row = rows?.row(of: connection.number)
            let session = applicationProtocol.makeSession(connection.number + 1, row, clockOffset)
            connection.exchange = ProtocolExchange(session, subprotocol: subprotocol, in: self)
        }
        if let codecs = plan.conversation.codecs {
            connection.exchange = CodecExchange(codecs, inner: connection.exchange, in: self)
        }
        if connection.exchange?.isReady == false { arrivals.unready.insert(connection.number) }
    }
}
