import COpenSSL

/// The TLS sessions that later connections to the same server can resume.
struct ResumptionStore: ~Copyable {
    private var sessions: [String: [OpaquePointer]] = [:]

    /// The maximum number of sessions per server. A server usually sends two tickets.
    private static let maximumPerServer = 4
    private static let maximumServers = 256

    /// The number of servers with stored sessions.
    var serverCount: Int { sessions.count }

    deinit {
        for session in sessions.values.joined() { SSL_SESSION_free(session) }
    }

    /// Stores a session for the server `key` and takes ownership of it.
    mutating func keep(_ session: OpaquePointer, for key: String) {
        if sessions[key] == nil, sessions.count >= Self.maximumServers, let other = sessions.keys.first {
            removeAll(for: other)
        }
        // A TLS 1.2 server renews its ticket, which makes the older ones useless.
        if SSL_SESSION_get_protocol_version(session) < TLS1_3_VERSION { removeAll(for: key) }
        sessions[key, default: []].append(session)
        if let count = sessions[key]?.count, count > Self.maximumPerServer, let oldest = sessions[key]?.removeFirst() {
            SSL_SESSION_free(oldest)
        }
    }

    /// Returns the latest session, or `nil`. The caller must free it.
    mutating func take(for key: String) -> OpaquePointer? {
        guard let session = sessions[key]?.last else { return nil }
        // RFC 8446 §C.4: a client should not reuse a ticket, because reuse lets observers link its connections.
        if SSL_SESSION_get_protocol_version(session) >= TLS1_3_VERSION {
            sessions[key]?.removeLast()
        } else {
            SSL_SESSION_up_ref(session)
        }
        return session
    }

    /// Discards the sessions of a server after one has failed.
    mutating func removeAll(for key: String) {
        for session in sessions.removeValue(forKey: key) ?? [] { SSL_SESSION_free(session) }
    }
}
