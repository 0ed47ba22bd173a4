/// Opens several WebSockets on each HTTP/2 connection, for the connectors of a loop.
package final class HTTP2Pool {
    /// A connection, and what connectors report about it.
    struct Shared {
        let connection: HTTP2Connection
        let peer: String
        let tls: TLSSummary?
    }

    /// The WebSockets with one way to one server. As many connections as they need are opened at the same time.
    final class Entry {
        /// The number of streams of a connection, apart from that of the connector which opens it.
        private let furtherCount: Int
        /// The connections that take further streams, and their number, at least 1.
        private var free: [(shared: Shared, count: Int)] = []
        /// The number of connections that connectors open.
        private var openingCount = 0
        /// Connectors that wait for these connections.
        private var waiting: [(Shared?) -> Void] = []

        fileprivate init(streamCount: Int) {
            furtherCount = streamCount - 1
        }

        /// Calls `body`, perhaps later, with a connection for one stream; or with nil, if the caller has to open a
        /// connection, and then call ``add(_:)`` or ``fail()``.
        func acquire(_ body: @escaping (Shared?) -> Void) {
            while let (shared, count) = free.popLast() {
                guard shared.connection.acceptsStreams else {
                    shared.connection.keepOpen(false)
                    continue
                }
                if count > 1 { free.append((shared, count - 1)) }
                body(shared)
                if count == 1 { shared.connection.keepOpen(false) }
                return
            }
            waiting.append(body)
            openMissing()
        }

        /// Shares a connection that has one stream, after the server's settings.
        func add(_ shared: Shared) {
            openingCount -= 1
            let count = min(furtherCount, shared.connection.session.maximumPeerStreams - 1)
            if count > 0 {
                shared.connection.keepOpen(true)
                free.append((shared, count))
            }
            let served = waiting.prefix(max(0, count))
            waiting.removeFirst(served.count)
            for body in served { acquire(body) }
            openMissing()
        }

        /// Lets another connector open the connection.
        func fail() {
            openingCount -= 1
            openMissing()
        }

        /// Lets connectors open connections for those that wait.
        private func openMissing() {
            while waiting.count > openingCount * furtherCount {
                openingCount += 1
                waiting.removeLast()(nil)
            }
        }

        /// Lets the connections end with their last stream.
        fileprivate func release() {
            for (shared, _) in free { shared.connection.keepOpen(false) }
            free = []
        }
    }

    private let streamCount: Int
    private var entries: [String: Entry] = [:]

    /// - Parameter streamsPerConnection: At least 1. A connection is opened for this many WebSockets, one after the other
    ///   or at the same time.
    package init(streamsPerConnection: Int) {
        streamCount = streamsPerConnection
    }

    /// The entry for a key, which stands for one way to one server.
    func entry(_ key: String) -> Entry {
        if let entry = entries[key] { return entry }
        let entry = Entry(streamCount: streamCount)
        entries[key] = entry
        return entry
    }

    /// Lets all connections end with their last stream.
    package func release() {
        for entry in entries.values { entry.release() }
    }
}
