/// The connections of a thread by number: those that are open, those that are being opened, and those that have ended.
package struct ConnectionTable {
    private var open: [UInt64: any LoadHandler] = [:]
    /// The numbers of the open connections on which the server is not ready yet.
    package internal(set) var unready: Set<UInt64> = []
    /// The numbers of the connections that are being opened during the load, or whose server is not ready yet, with the
    /// due times of messages that wait for them.
    internal var reopening: [UInt64: [UInt64]] = [:]
    /// The next connection with a number continues where the last one ended.
    private var ended: [UInt64: EarlierConnections] = [:]

    /// The open connection with a number.
    package subscript(number: UInt64) -> (any LoadHandler)? {
        get { open[number] }
        set { open[number] = newValue }
    }

    /// The open connections.
    package var values: some Collection<any LoadHandler> { open.values }
    /// The number of open connections.
    internal var count: Int { open.count }
    /// Whether no connection is open.
    package var isEmpty: Bool { open.isEmpty }
    /// The number of open connections, without those that are being closed.
    package var usableCount: Int { open.values.count { !$0.isClosing } }

    /// The open connections that have waited for their server to be ready since a time or longer.
    package func lateLogins(before time: UInt64) -> [LoadConnection] {
        unready.compactMap { open[$0] }.filter { $0.openTime < time && $0.pipeline?.isReady == false }
    }

    /// The connections with a number that have ended.
    internal func earlier(_ number: UInt64) -> EarlierConnections { ended[number] ?? EarlierConnections() }

    /// The seed of the random values on a connection. The connections with a number have different ones.
    internal func seed(of number: UInt64) -> UInt64 { number ^ earlier(number).count << 40 }

    /// Remembers a connection that has ended and may be opened again. A server may store what it receives, so the
    /// messages under one number must not repeat.
    /// - Parameter templateCount: The number of templates. The next connection begins with the first one again.
    internal mutating func remember(_ connection: LoadConnection, templateCount: Int) {
        let period = UInt64(max(1, templateCount))
        let rest = connection.messageCount % period
        ended[connection.number] = EarlierConnections(
            count: earlier(connection.number).count + 1,
            messageCount: connection.messageCount + (rest > 0 ? period - rest : 0),
            automaticCount: connection.pipeline?.automaticCount ?? 0)
    }
}

/// The connections with the same number that have ended.
internal struct EarlierConnections {
    /// The number of connections.
    var count: UInt64 = 0
    /// The number of messages of the load that they have sent, rounded up to a multiple of the number of templates.
    var messageCount: UInt64 = 0
    /// The number of messages that they have sent automatically.
    var automaticCount: UInt64 = 0
}
