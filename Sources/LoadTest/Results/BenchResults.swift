import WSCore

/// What a load test has measured, in one run or, merged, in several.
public struct BenchResults: ~Copyable {
    /// What was asked for.
    public internal(set) var description: BenchDescription
    /// Counts of messages, errors and bytes.
    public internal(set) var tally: LoadTally
    /// The latencies of right replies, in nanoseconds.
    public internal(set) var latencies: Histogram
    /// How long connections took to open, in nanoseconds.
    public internal(set) var handshakes: Histogram
    /// How long each part of that took.
    public internal(set) var phases = PhaseHistograms()
    /// How much later than they were due messages of an open loop were sent by this end, in nanoseconds.
    public internal(set) var delays = Histogram()
    /// What went and came in each second while messages were sent.
    public internal(set) var seconds: [BenchSecond]
    /// How long messages were sent.
    public internal(set) var duration: Duration
    /// What the processors have spent, from the start of the process.
    public internal(set) var processorTime: Duration
    /// What the threads of the load have spent while messages were sent.
    public internal(set) var loadProcessorTime: Duration
    /// What the busiest of these threads has spent.
    public internal(set) var busiestProcessorTime = Duration.zero
    /// The wall-clock time of the first message.
    public internal(set) var startTime: WallTime

    /// The messages that the mode's rate is made of, while messages were sent.
    internal var countInTime: Int { seconds.reduce(0) { $0 + $1.count(in: description.mode) } }

    /// Those by the time, in a second.
    public var rate: Double { duration > .zero ? Double(countInTime) / (duration / .seconds(1)) : 0 }

    /// The version of the form of the results; another one may mean another thing by the same name.
    public static let version = 1

    /// What is told of a histogram: each percentile with its name in JSON, and as people write it.
    public static let percentiles: [(field: StaticString, label: String, percentile: Double)] = [
        ("p50", "p50", 50), ("p75", "p75", 75), ("p90", "p90", 90), ("p95", "p95", 95), ("p99", "p99", 99),
        ("p999", "p99.9", 99.9), ("p9999", "p99.99", 99.99), ("p99999", "p99.999", 99.999),
    ]
}

/// What a load test was asked to do, as far as its results tell of it.
public struct BenchDescription: Equatable, Sendable {
    /// The messages that were sent.
    public struct Message: Equatable, Sendable {
        /// Text or binary.
        public let kind: MessageKind
        /// The size of each payload; nil: they differ.
        public let byteCount: Int?
    }

    /// What the connections did.
    public let mode: BenchMode
    /// Without credentials.
    public internal(set) var url: String
    /// The connections that were asked for.
    public internal(set) var connections: Int
    /// The threads that they ran on.
    public internal(set) var threads: Int
    /// Nil: there were none, or not all were alike.
    public internal(set) var message: Message?
    /// The messages of a connection that could be without a reply; nil: as many as there were, or not always as many.
    public internal(set) var inFlight: Int?
    /// The messages a second that were asked for, in all; nil: as many as there were replies.
    public internal(set) var rateAsked: Int?
}

extension BenchResults {
    /// Makes the results of a run, to which ``add(_:processorTime:)`` adds those of its threads.
    /// - Parameters:
    ///   - startTime: When messages began to count.
    ///   - processorTime: The processor time of the process.
    public init(_ description: BenchDescription, startTime: WallTime, processorTime: Duration) {
        self.init(
            description: description, tally: LoadTally(), latencies: Histogram(), handshakes: Histogram(), seconds: [],
            duration: .zero, processorTime: processorTime, loadProcessorTime: .zero, startTime: startTime)
    }

    /// Adds what a thread has measured.
    /// - Parameter processorTime: The processor time of the thread while messages were sent.
    public mutating func add(_ measurement: borrowing LoadMeasurement, processorTime: Duration) {
        duration = max(duration, measurement.duration)
        loadProcessorTime += processorTime
        busiestProcessorTime = max(busiestProcessorTime, processorTime)
        do throws(BenchResultsError) {
            try add(measurement.tally)
            try latencies.add(checking: measurement.latencies.total)
            try handshakes.add(checking: measurement.handshakes)
            try add(measurement.phases)
            try delays.add(checking: measurement.delays)
            try add(measurement.latencies.seconds)
        } catch {
            preconditionFailure("what a run has measured cannot be added up: \(error)")
        }
    }

    /// Counts the deliveries that are missing: no thread knows alone which of its messages came to all readers.
    /// - Parameter readerCount: The number of readers of all threads.
    public mutating func countMissingDeliveries(to readerCount: Int) {
        guard description.mode.metrics.population == .deliveries else { return }
        let missing = tally.sent * readerCount - tally.received - tally.mismatched
        tally.lost = max(0, missing)
        // More than there was to come: something was taken for a delivery that came besides.
        let excess = min(tally.mismatched, max(0, -missing))
        tally.mismatched -= excess
        tally.duplicated += excess
    }
}

extension BenchSecond {
    /// The messages that a mode's rate is made of.
    internal func count(in mode: BenchMode) -> Int {
        switch mode.metrics.rate {
        case .sent: sent
        case .received: received
        }
    }
}

extension LoadPlan {
    /// The description of the load in results.
    /// - Parameter url: The server's URL, without credentials.
    public func description(url: String) -> BenchDescription {
        let hasMessages =
            switch mode.load.messages {
            case .always: true
            case .whenGiven: !messages.templates.isEmpty
            case .never: false
            }
        return BenchDescription(
            mode: mode, url: url, connections: connectionCount, threads: threadCount,
            message: hasMessages ? BenchDescription.Message(kind: messages.kind, byteCount: commonBytes) : nil,
            inFlight: mode.accepts(.inFlight) && rate == nil ? inFlight : nil, rateAsked: rate)
    }

    /// The size of each message; nil: they differ.
    private var commonBytes: Int? {
        guard let first = messages.templates.first else { return messageBytes }
        return messages.templates.allSatisfy { $0.constantBytes == first.constantBytes } ? first.constantBytes : nil
    }
}
