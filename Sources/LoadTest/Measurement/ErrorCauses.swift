import Formats

/// What refused or ended a connection, as far as the peer or the system has said it.
package struct ErrorCause: Hashable, Sendable {
    /// What the code is a number of.
    package enum Kind: String, Sendable {
        /// HTTP statuses of servers and proxies.
        case http
        /// Close codes (RFC 6455 §7.4); 1005 and 1006 stand for their absence.
        case close
        /// TLS alerts of the peer (RFC 8446 §6); 0 for a problem found by this end, such as an untrusted certificate.
        case tls
        /// Error numbers of the system; those of name lookups are negative.
        case system
        /// An HTTP status of a proxy, or 0 for another problem with it.
        case proxy
        /// A response that opens no WebSocket, or none; 0.
        case upgrade
        /// The close code for a violation of the protocol (RFC 6455 §7.4), or 0.
        case violation
        /// A phase of a connection that timed out; 0.
        case silence
    }

    package let kind: Kind
    package let code: Int
    /// The code in words; empty if it is unknown.
    package let name: String

    /// Creates a cause.
    package init(_ kind: Kind, _ code: Int, _ name: String) {
        self.kind = kind
        self.code = code
        self.name = name
    }

    /// The cause as text: `HTTP 429 Too Many Requests`, `close 1011 internal error`, or `connection refused`.
    package var words: String {
        switch kind {
        case .http: name.isEmpty ? "HTTP \(code)" : "HTTP \(code) \(name)"
        case .close: name.isEmpty ? "close \(code)" : "close \(code) \(name)"
        case .tls: code == 0 ? name : "TLS alert \(code) \(name)"
        case .proxy: "proxy: \(name)"
        case .system, .upgrade, .violation, .silence: name
        }
    }
}

/// The number of errors of each cause.
package struct ErrorCauses: Equatable, Sendable {
    private var counts: [ErrorCause: Int] = [:]

    /// Counts errors.
    package mutating func add(_ cause: ErrorCause, count: Int = 1) { counts[cause, default: 0] += count }

    /// Adds the errors of another load.
    /// - Throws: ``BenchResultsError/tooLarge``.
    internal mutating func add(_ other: ErrorCauses) throws(BenchResultsError) {
        for (cause, count) in other.counts {
            counts[cause] = try counts[cause, default: 0].adding(checking: count)
        }
    }

    /// Whether no cause was counted.
    package var isEmpty: Bool { counts.isEmpty }

    /// The most frequent causes, and the sum of the others: `12 × HTTP 429 Too Many Requests, 3 others`.
    /// - Parameter times: The multiplication sign.
    package func words(limit: Int, times: String = "×") -> String {
        let causes = sorted
        let rest = ResultWords.counts([(causes.dropFirst(limit).reduce(0) { $0 + $1.count }, "others")])
        let shown = causes.prefix(limit).map { "\(Phrase.grouped($0.count)) \(times) \($0.cause.words)" }
        return (shown + (rest.isEmpty ? [] : [rest])).joined(separator: ", ")
    }

    /// The causes with their counts, the most frequent first.
    package var sorted: [(cause: ErrorCause, count: Int)] {
        counts.map { (cause: $0.key, count: $0.value) }.sorted {
            ($1.count, $0.cause.kind.rawValue, $0.cause.code, $0.cause.name)
                < ($0.count, $1.cause.kind.rawValue, $1.cause.code, $1.cause.name)
        }
    }
}
