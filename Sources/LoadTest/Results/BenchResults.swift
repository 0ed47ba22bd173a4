import Formats
import WSCore

/// The measurements of a load test, from one run or merged from several.
///
/// A class: the compiler takes long for accesses to a struct with so many parts that cannot be copied.
package final class BenchResults {
    /// The requested load.
    package var description: BenchDescription
    /// The counts of messages, errors, and bytes.
    package internal(set) var tally: LoadTally
    /// The latencies of correct replies, in nanoseconds.
    package internal(set) var latencies: Histogram
    package internal(set) var times: TimeHistograms
    /// The times of replies that consist of several messages, or `nil` if replies are single messages.
    package internal(set) var stream: StreamResults?
    /// The clocks of the publishers, or `nil` if messages have no times.
    package internal(set) var publishedClock: PublishedClock?
    /// The results of each step of a scenario, in the order of the steps; empty without a scenario.
    package internal(set) var steps: [PartResults]
    /// The results of messages due in each stage; empty without stages.
    package internal(set) var stages: [PartResults]
    /// The connections, handshakes, and errors of each second.
    internal var timeline: Timeline
    /// The counts and latencies of each second while messages were sent.
    package internal(set) var seconds: [BenchSecond]
    /// The number of replies that were outstanding when messages began to count.
    internal var carriedCount = 0
    /// The time during which messages were sent.
    package internal(set) var duration: Duration
    package internal(set) var processorTimes: ProcessorTimes
    /// The wall-clock time of the first message.
    package internal(set) var startTime: WallTime
    /// What was found besides measurements.
    package var findings: Findings

    /// What was found in a run besides measurements, in words.
    package struct Findings: Sendable {
        /// Why the run failed, apart from thresholds; empty if nothing failed.
        package var reasons: [String] = []
        /// Why the run is inconclusive, beside the doubts that its figures raise.
        package var doubts: [String] = []
        /// Warnings, beside those that the figures raise.
        package var remarks: [String] = []
        /// Whether each of several runs has added its own doubts and warnings, so the sum raises none.
        package var areOfSeveralRuns = false
        /// Whether they were read from the results of a search for the highest rate.
        package var isOfSearch = false
    }

    /// Why the run failed, apart from thresholds; empty if nothing failed.
    package var reasons: [String] {
        get { findings.reasons }
        set { findings.reasons = newValue }
    }

    package init(
        description: BenchDescription, tally: LoadTally, latencies: consuming Histogram,
        times: consuming TimeHistograms = TimeHistograms(), stream: StreamResults? = nil,
        publishedClock: PublishedClock? = nil, steps: [PartResults] = [], stages: [PartResults] = [],
        timeline: Timeline = Timeline(), seconds: [BenchSecond], duration: Duration,
        processorTimes: ProcessorTimes = ProcessorTimes(), startTime: WallTime,
        findings: Findings = Findings()
    ) {
        self.description = description
        self.tally = tally
        self.latencies = latencies
        self.times = times
        self.stream = stream
        self.publishedClock = publishedClock
        self.steps = steps
        self.stages = stages
        self.timeline = timeline
        self.seconds = seconds
        self.duration = duration
        self.processorTimes = processorTimes
        self.startTime = startTime
        self.findings = findings
    }

    /// The number of seconds with counts of their own.
    package var secondCount: Int { seconds.count }

    /// The number of messages that the mode's rate counts, while messages were sent.
    internal var countInTime: Int { seconds.reduce(0) { $0 + $1.count(in: description.mode) } }

    /// Whether replies had latencies, but all have been left out.
    package var hasOmittedAllLatencies: Bool { tally.latencyOmitted > 0 && latencies.totalCount == 0 }

    /// The rate, in messages per second.
    package var rate: Double { duration > .zero ? Double(countInTime) / (duration / .seconds(1)) : 0 }

    /// The number of TLS handshakes as text: `680 handshakes, 669 resumed`.
    package var tlsHandshakes: String {
        let resumed = tally.openings.tlsResumed == 0 ? "none" : Phrase.grouped(tally.openings.tlsResumed)
        let noun = tally.openings.tlsHandshakes == 1 ? "handshake" : "handshakes"
        return "\(Phrase.grouped(tally.openings.tlsHandshakes)) \(noun), \(resumed) resumed"
    }

    /// The number of HTTP/2 connections and their streams as text: `1,000 streams on 10 connections`.
    package var http2Streams: String {
        let (streams, connections) = (tally.openings.http2Streams, tally.openings.http2Connections)
        return "\(Phrase.grouped(streams)) stream\(streams == 1 ? "" : "s") on "
            + "\(Phrase.grouped(connections)) connection\(connections == 1 ? "" : "s")"
    }

    /// The version of the JSON format. It changes when the meaning of a name changes.
    package static let version = 1

    /// The percentiles in results, with their names in JSON and in text.
    package static let percentiles: [(field: StaticString, label: String, percentile: Double)] = [
        ("p50", "p50", 50), ("p75", "p75", 75), ("p90", "p90", 90), ("p95", "p95", 95), ("p99", "p99", 99),
        ("p999", "p99.9", 99.9), ("p9999", "p99.99", 99.99), ("p99999", "p99.999", 99.999),
    ]
}

/// The processor times of a load test.
package struct ProcessorTimes: Equatable, Sendable {
    /// That of the process since its start.
    package var process = Duration.zero
    /// That of the load's threads while messages were sent.
    package var load = Duration.zero
    /// That of the busiest of these threads.
    package var busiest = Duration.zero
    /// The time for which these threads were ready to run, but had no processor.
    package var waited = Duration.zero
}

/// The parameters of a load test, as recorded in its results.
package struct BenchDescription: Equatable, Sendable {
    /// The messages that were sent.
    package struct Message: Equatable, Sendable {
        /// Text or binary.
        package let kind: MessageKind
        /// The size of each payload in bytes, or `nil` if sizes differ.
        package let byteCount: Int?
    }

    /// The mode of the load.
    package let mode: BenchMode
    /// The URL, without credentials.
    package internal(set) var url: String
    /// The requested number of connections.
    package internal(set) var connections: Int
    /// The number of threads.
    package internal(set) var threads: Int
    /// The kind of messages, or `nil` if there were none or they differed.
    package internal(set) var message: Message?
    /// The maximum number of messages in flight per connection, or `nil` if there was no limit or it differed between
    /// runs.
    package internal(set) var inFlight: Int?
    /// The requested rate in messages per second, in total, or `nil` for a closed loop.
    package internal(set) var rateAsked: Int?
    /// How messages arrived at that rate. Merged results with different ones have the default.
    package internal(set) var arrival = Arrival.constant
    /// Whether connections may resume the TLS sessions of earlier ones.
    package internal(set) var resumesTLS = false
    /// The number of connections that are streams of one HTTP/2 connection, or `nil` over HTTP/1.1, or if it differed
    /// between runs.
    package internal(set) var streams: Int?
    /// The stages of the load, or `nil` if there were none or they differed between runs.
    package internal(set) var stages: StagePlan?
    package var notes = RunNotes()

    /// Whether messages had due times: an open loop.
    package var isScheduled: Bool { rateAsked != nil || stages?.quantity == .rate }

    /// The requested rate as text: `20,000 per second (Poisson)`; `nil` without a constant rate.
    package var targetRate: String? {
        rateAsked.map { "\(Phrase.grouped($0)) per second" + (arrival == .poisson ? " (Poisson)" : "") }
    }
}

extension BenchResults {
    /// Creates the results of a run without measurements. ``add(_:processorTime:waited:)`` adds those of its threads.
    /// - Parameters:
    ///   - startTime: When messages started to count.
    ///   - processorTime: The processor time of the process.
    package convenience init(_ description: BenchDescription, startTime: WallTime, processorTime: Duration) {
        self.init(
            description: description, tally: LoadTally(), latencies: Histogram(), seconds: [],
            duration: .zero, processorTimes: ProcessorTimes(process: processorTime), startTime: startTime)
    }

    /// Adds the measurements of a thread.
    /// - Parameters:
    ///   - processorTime: The processor time of the thread while messages were sent.
    ///   - waited: Its waits for a processor.
    package func add(_ measurement: borrowing LoadMeasurement, processorTime: Duration, waited: Duration) {
        duration = max(duration, measurement.duration)
        carriedCount += measurement.carriedCount
        processorTimes.waited += waited
        processorTimes.load += processorTime
        processorTimes.busiest = max(processorTimes.busiest, processorTime)
        do throws(BenchResultsError) {
            try add(measurement.tally)
            try latencies.add(checking: measurement.latencies.total)
            try times.add(measurement.times)
            removeIncompleteService()
            try stream.add(measurement.streams?.results)
            try publishedClock.add(measurement.publishedClock)
            try steps.add(byName: measurement.steps.map(\.results))
            if let recorder = measurement.latencies.stages {
                try stages.add(byName: recorder.results(hasLatencies: description.mode.metrics.hasLatencies))
            }
            try timeline.add(measurement.timelineResults)
            try add(measurement.latencies.seconds)
        } catch {
            preconditionFailure("what a run has measured cannot be added up: \(error)")
        }
    }

    /// Counts missing deliveries. Single threads cannot, because they do not know which messages reached the readers of
    /// others.
    /// - Parameter readerCount: The number of readers of all threads.
    package func countMissingDeliveries(to readerCount: Int) {
        guard description.mode.metrics.population == .deliveries else { return }
        for index in stages.indices {
            let stage = stages[index]
            stages[index].lost = max(0, stage.sent * readerCount - stage.received - stage.mismatched)
        }
        let missing = tally.sent * readerCount - tally.received - tally.mismatched
        tally.lost = max(0, missing)
        // More deliveries than expected: some mismatched ones were duplicates.
        let excess = min(tally.mismatched, max(0, -missing))
        tally.mismatched -= excess
        tally.duplicated += excess
    }
}

extension BenchSecond {
    /// The number of messages that a mode's rate counts.
    internal func count(in mode: BenchMode) -> Int { mode.metrics.rate.of(sent: sent, received: received) }
}

extension BenchResults {
    /// The results of a step or stage, or `nil` if there is none with this name.
    internal func part(named name: String) -> PartResults? { (steps + stages).first { $0.name == name } }

    /// Passes the histogram of a time to `body`, unless replies are single messages, which have no ``TimeMeasure/first``.
    internal func read<Value>(_ measure: TimeMeasure, _ body: (borrowing Histogram) -> Value?) -> Value? {
        guard case .stream(let path) = measure.declaration.place else { return body(times[measure]) }
        return stream.flatMap { body($0[keyPath: path].readable()) }
    }
}

extension LoadPlan {
    /// The description of the load for the results.
    /// - Parameter url: The server's URL, without credentials.
    package func description(url: String) -> BenchDescription {
        let hasMessages =
            switch mode.load.messages {
            case .always: true
            case .whenGiven: !messages.templates.isEmpty
            case .never: false
            }
        return BenchDescription(
            mode: mode, url: url, connections: connections.count, threads: connections.threadCount,
            message: hasMessages ? BenchDescription.Message(kind: messages.kind, byteCount: commonBytes) : nil,
            inFlight: mode.accepts(.inFlight) && pace.rate == nil ? pace.inFlight : nil,
            rateAsked: pace.constantRate, arrival: pace.arrival, resumesTLS: connections.resumesTLS,
            streams: connections.streams,
            stages: stagePlan)
    }

    /// The size of each message in bytes, or `nil` if sizes differ.
    private var commonBytes: Int? {
        guard let first = messages.templates.first else { return messageBytes }
        return messages.templates.allSatisfy { $0.constantByteCount == first.constantByteCount }
            ? first.constantByteCount : nil
    }
}
