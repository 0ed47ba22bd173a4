import COpenSSL

/// What earlier sessions left for later ones with the same server to be resumed by.
struct ResumptionStore: ~Copyable {
    private var sessions: [String: [OpaquePointer]] = [:]

    /// A server usually sends two tickets.
    private static let maximumPerServer = 4
    private static let maximumServers = 256

    /// Of how many servers something is kept.
    var serverCount: Int { sessions.count }

    deinit {
        for session in sessions.values.joined() { SSL_SESSION_free(session) }
    }

    /// Takes a session over, for the servers of `key`.
    mutating func keep(_ session: OpaquePointer, for key: String) {
        if sessions[key] == nil, sessions.count >= Self.maximumServers, let other = sessions.keys.first {
            removeAll(for: other)
        }
        // A TLS 1.2 server renews a ticket; the older ones are then of no further use.
        if SSL_SESSION_get_protocol_version(session) < TLS1_3_VERSION { removeAll(for: key) }
        sessions[key, default: []].append(session)
        if let count = sessions[key]?.count, count > Self.maximumPerServer, let oldest = sessions[key]?.removeFirst() {
            SSL_SESSION_free(oldest)
        }
    }

    /// The latest session, to be freed by the caller.
    mutating func take(for key: String) -> OpaquePointer? {
        guard let session = sessions[key]?.last else { return nil }
        // RFC 8446 §C.4: a client should not reuse a ticket, by which its connections could be told to belong together.
        if SSL_SESSION_get_protocol_version(session) >= TLS1_3_VERSION {
            sessions[key]?.removeLast()
        } else {
            SSL_SESSION_up_ref(session)
        }
        return session
    }

    /// Forgets what is kept for a server, of which one has failed.
    mutating func removeAll(for key: String) {
        for session in sessions.removeValue(forKey: key) ?? [] { SSL_SESSION_free(session) }
    }
}
