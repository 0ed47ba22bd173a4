import WSCore

/// A time that a load test measures besides latencies.
///
/// A new one is a case, its ``declaration``, and a call where it is measured: what writes, reads, and merges results, the
/// table and the page of results, thresholds, and metrics follow the declaration.
package enum TimeMeasure: Int, CaseIterable, Sendable {
    // In the order of results.
    /// The time to open a connection.
    case handshake
    /// The delay of a message in an open loop after its due time, caused by this end.
    case delay
    /// The time from the opening of a connection until the server was ready, with `--ready`.
    case login
    /// The time for which a message of an open loop occupied its connection, if that can have only one in flight;
    /// otherwise its latency without the wait for room.
    case service
    /// The delay of this end's threads: how late they run when a timer is due every 10 ms.
    case lag
    // The phases of opening a connection.
    case name
    case connect
    case proxy
    case tls
    case upgrade
    // Of replies with several messages, which ``StreamResults`` keeps.
    /// The time from the request to the first message.
    case first
    /// The longest time between two messages.
    case gap
}

extension TimeMeasure {
    /// Where results have the summary and the histogram of a time.
    internal enum Place: Sendable {
        /// Members such as `delay_us` and `delay_histogram`.
        case members
        /// The same, unless there were none. Results of earlier versions lack them.
        case optionalMembers
        /// The members for phases.
        case phases(ConnectError.Phase)
        /// The member for replies with several messages.
        case stream(KeyPath<StreamResults, StoredHistogram> & Sendable)
    }

    /// What others have to know about a time.
    internal struct Declaration: Sendable {
        /// The name in JSON and in thresholds.
        let name: String
        let place: Place
        /// The name in texts; nil: the same.
        var label: String?
        /// Whether the table of results has a line with the range, unless there were none.
        var isListed = false
        /// The name and the explanation of the metric of a run; nil: the time is known only at the end of the run.
        var metric: (name: String, help: String)?
    }

    internal var declaration: Declaration {
        switch self {
        case .handshake: Declaration(name: "handshake", place: .members)
        case .delay: Declaration(name: "delay", place: .members)
        case .login: Declaration(name: "login", place: .optionalMembers, isListed: true)
        case .service: Declaration(name: "service", place: .optionalMembers, isListed: true)
        case .lag: Declaration(name: "lag", place: .optionalMembers)
        case .name: Declaration(name: "name", place: .phases(.resolving))
        case .connect: Declaration(name: "connect", place: .phases(.connecting), label: "connection")
        case .proxy: Declaration(name: "proxy", place: .phases(.tunnelling))
        case .tls: Declaration(name: "tls", place: .phases(.securing), label: "TLS")
        case .upgrade: Declaration(name: "upgrade", place: .phases(.upgrading))
        case .first:
            Declaration(
                name: "first", place: .stream(\.firsts),
                metric: ("wsx_first_message_seconds", "Times to the first message of a reply."))
        case .gap:
            Declaration(
                name: "gap", place: .stream(\.gaps),
                metric: ("wsx_longest_gap_seconds", "Longest gaps between messages of a reply."))
        }
    }

    /// The time with a name in JSON and in thresholds.
    package init?(named name: String) {
        guard let measure = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = measure
    }

    /// The name in JSON and in thresholds.
    package var name: String { declaration.name }
    /// The name in texts.
    package var label: String { declaration.label ?? name }
    /// The phase of opening a connection; nil: the time is another.
    package var phase: ConnectError.Phase? {
        if case .phases(let phase) = declaration.place { phase } else { nil }
    }

    /// The phases of opening a connection, in their order.
    package static let phases = allCases.filter { $0.phase != nil }

    /// The times with a line in the table of results.
    package static let listed = allCases.filter(\.declaration.isListed)

    /// The member of results with the summary, in microseconds.
    internal var summaryName: String { "\(name)_us" }
    /// The member of results with the histogram.
    internal var histogramName: String { "\(name)_histogram" }
}

/// The times that a load test measures besides latencies, in nanoseconds, without those of ``StreamResults``.
package struct TimeHistograms: ~Copyable {
    private let histograms: UnsafeMutablePointer<Histogram>

    /// The number of histograms: those of the measures before this one.
    private static var count: Int { TimeMeasure.first.rawValue }

    /// Creates empty histograms.
    package init() {
        histograms = .allocate(capacity: Self.count)
        for index in 0..<Self.count { (histograms + index).initialize(to: Histogram()) }
    }

    deinit {
        histograms.deinitialize(count: Self.count)
        histograms.deallocate()
    }

    /// The histogram of a measure before ``TimeMeasure/first``.
    package subscript(measure: TimeMeasure) -> Histogram {
        @inline(__always) _read {
            precondition(measure.rawValue < Self.count)
            yield histograms[measure.rawValue]
        }
        @inline(__always) _modify {
            precondition(measure.rawValue < Self.count)
            yield &histograms[measure.rawValue]
        }
    }

    /// Records the phases of a connection. Phases that did not occur are omitted.
    internal mutating func record(_ durations: PhaseDurations) {
        for measure in TimeMeasure.phases {
            guard let phase = measure.phase, durations[phase] > .zero else { continue }
            self[measure].record(durations[phase].nanoseconds)
        }
    }

    /// Adds the times of another load.
    internal mutating func add(_ other: borrowing TimeHistograms) throws(BenchResultsError) {
        for index in 0..<Self.count { try histograms[index].add(checking: other.histograms[index]) }
    }
}
