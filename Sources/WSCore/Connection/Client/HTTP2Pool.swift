/// Opens several WebSockets on each HTTP/2 connection, for the connectors of a loop.
package final class HTTP2Pool {
    /// A connection, and what connectors report about it.
    struct Shared {
        let connection: HTTP2Connection
        let peer: String
        let tls: TLSSummary?
    }

    /// The WebSockets with one way to one server.
    final class Place {
        private let streamCount: Int
        /// The connection that takes further streams, and their number.
        private var current: (shared: Shared, freeCount: Int)?
        private var isOpening = false
        private var waiting: [(Shared?) -> Void] = []

        fileprivate init(streamCount: Int) {
            self.streamCount = streamCount
        }

        /// Calls `body`, perhaps later, with a connection for one stream; or with nil, if the caller has to open the next
        /// connection, and then call ``add(_:)`` or ``fail()``.
        func join(_ body: @escaping (Shared?) -> Void) {
            if let (shared, freeCount) = current, shared.connection.takesStreams {
                current = freeCount > 1 ? (shared, freeCount - 1) : nil
                body(shared)
                if freeCount == 1 { shared.connection.hold(false) }
                return
            }
            release()
            if isOpening {
                waiting.append(body)
            } else {
                isOpening = true
                body(nil)
            }
        }

        /// Shares a connection that has one stream.
        func add(_ shared: Shared) {
            if streamCount > 1 {
                current = (shared, streamCount - 1)
                shared.connection.hold(true)
            }
            openingEnded()
        }

        /// Lets another connector open the connection.
        func fail() { openingEnded() }

        private func openingEnded() {
            isOpening = false
            let bodies = waiting
            waiting = []
            for body in bodies { join(body) }
        }

        /// Lets the connection end with its last stream.
        fileprivate func release() {
            current?.shared.connection.hold(false)
            current = nil
        }
    }

    private let streamCount: Int
    private var places: [String: Place] = [:]

    /// - Parameter streamsPerConnection: At least 1. A connection is opened for this many WebSockets, one after the other
    ///   or at the same time.
    package init(streamsPerConnection: Int) {
        streamCount = streamsPerConnection
    }

    /// The place for a key, which stands for one way to one server.
    func place(_ key: String) -> Place {
        if let place = places[key] { return place }
        let place = Place(streamCount: streamCount)
        places[key] = place
        return place
    }

    /// Lets all connections end with their last stream.
    package func release() {
        for place in places.values { place.release() }
    }
}
