import WSCore

/// The times that a load test measures besides latencies, by their names in JSON and in thresholds.
package enum TimeMeasure: String, CaseIterable, Sendable {
    case handshake
    case login
    case delay
    case service
    /// Of replies with several messages.
    case first
    case gap
    // The phases of opening a connection.
    case name
    case connect
    case proxy
    case tls
    case upgrade
}

/// The times that a load test measures besides latencies, in nanoseconds.
package struct TimeHistograms: ~Copyable {
    /// The times to open connections.
    package internal(set) var handshakes = Histogram()
    /// The times from the opening of a connection until the server was ready. Empty without `--ready`.
    package internal(set) var logins = Histogram()
    /// The durations of each phase of opening.
    package internal(set) var phases = PhaseHistograms()
    /// The delays of messages in an open loop after their due times, caused by this end.
    package internal(set) var delays = Histogram()
    /// The times for which messages of an open loop occupied their connection. Empty if connections can have several
    /// messages in flight.
    package internal(set) var services = Histogram()

    /// Adds the times of another load.
    internal mutating func add(_ other: borrowing TimeHistograms) throws(BenchResultsError) {
        try handshakes.add(checking: other.handshakes)
        try logins.add(checking: other.logins)
        for phase in ConnectError.Phase.allCases {
            try other.phases.read(phase) { (addend) throws(BenchResultsError) in
                try phases.update(phase) { (sum) throws(BenchResultsError) in try sum.add(checking: addend) }
            }
        }
        try delays.add(checking: other.delays)
        try services.add(checking: other.services)
    }
}
