import WSCore

extension BenchResults {
    /// Adds the results of another run of the same mode, as if both had been one: counts, bytes, connections, threads and
    /// what the processors have spent are summed, histograms count for count, seconds by their number. It took as long as
    /// the longest, and began with the first. The order in which results are added makes no difference.
    public mutating func add(_ other: borrowing BenchResults) throws(BenchResultsError) {
        guard description.mode == other.description.mode else {
            throw .otherMode(description.mode, other.description.mode)
        }
        description = try description.joined(with: other.description)
        try add(other.tally)
        try latencies.add(checking: other.latencies)
        try handshakes.add(checking: other.handshakes)
        try add(other.phases)
        try delays.add(checking: other.delays)
        try add(other.seconds)
        duration = max(duration, other.duration)
        processorTime += other.processorTime
        loadProcessorTime += other.loadProcessorTime
        busiestProcessorTime = max(busiestProcessorTime, other.busiestProcessorTime)
        if other.startTime < startTime { startTime = other.startTime }
    }

    /// Adds the counts of another load.
    internal mutating func add(_ other: LoadTally) throws(BenchResultsError) {
        for counts in [LoadTally.messageCounts, LoadTally.errorCounts, LoadTally.byteCounts] {
            for (_, count) in counts {
                tally[keyPath: count] = try Self.sum(tally[keyPath: count], other[keyPath: count])
            }
        }
        // They are told together, too.
        var errorCount = 0
        for (_, count) in LoadTally.errorCounts { errorCount = try Self.sum(errorCount, tally[keyPath: count]) }
    }

    /// Adds how long parts of opening connections took in another load.
    internal mutating func add(_ other: borrowing PhaseHistograms) throws(BenchResultsError) {
        for phase in ConnectError.Phase.allCases {
            try other.read(phase) { (addend) throws(BenchResultsError) in
                try phases.update(phase) { (sum) throws(BenchResultsError) in try sum.add(checking: addend) }
            }
        }
    }

    /// Adds the seconds of a load that is taken to have run at the same time.
    internal mutating func add(_ others: [BenchSecond]) throws(BenchResultsError) {
        for (number, second) in others.enumerated() {
            if number < seconds.count {
                try seconds[number].add(second)
            } else {
                seconds.append(second)
            }
        }
        try Self.checkSum(of: seconds)
    }

    /// Throws ``BenchResultsError/tooLarge`` where the messages cannot be counted.
    internal static func checkSum(of seconds: [BenchSecond]) throws(BenchResultsError) {
        var (sent, received) = (0, 0)
        for second in seconds {
            sent = try sum(sent, second.sent)
            received = try sum(received, second.received)
        }
    }

    fileprivate static func sum(_ one: Int, _ other: Int) throws(BenchResultsError) -> Int {
        let (sum, overflow) = one.addingReportingOverflow(other)
        guard !overflow else { throw .tooLarge }
        return sum
    }
}

extension BenchDescription {
    /// What can be said of two runs together: what was not the same in both is not told.
    fileprivate func joined(with other: BenchDescription) throws(BenchResultsError) -> BenchDescription {
        var joined = self
        // Each URL once, whatever the order in which they come.
        let urls = Set(url.split(separator: " ")).union(other.url.split(separator: " "))
        joined.url = urls.sorted().joined(separator: " ")
        joined.connections = try BenchResults.sum(connections, other.connections)
        joined.threads = try BenchResults.sum(threads, other.threads)
        if message != other.message { joined.message = nil }
        if inFlight != other.inFlight { joined.inFlight = nil }
        joined.rateAsked = nil
        if let rateAsked, let otherRate = other.rateAsked {
            joined.rateAsked = try BenchResults.sum(rateAsked, otherRate)
        }
        return joined
    }
}

extension BenchSecond {
    /// Adds what went and came in this second of another load.
    internal mutating func add(_ other: BenchSecond) throws(BenchResultsError) {
        sent = try BenchResults.sum(sent, other.sent)
        received = try BenchResults.sum(received, other.received)
        do throws(HistogramError) {
            var sum = try Histogram(decoding: histogram)
            let addend = try Histogram(decoding: other.histogram)
            guard !sum.totalCount.addingReportingOverflow(addend.totalCount).overflow else { throw .damaged }
            sum.add(addend)
            histogram = sum.encoded()
            maximum = max(maximum, other.maximum)
        } catch {
            throw .badHistogram("per_second.histogram", error)
        }
    }
}

extension Histogram {
    /// Adds another histogram where the sum can be counted.
    internal mutating func add(checking other: borrowing Histogram) throws(BenchResultsError) {
        guard !totalCount.addingReportingOverflow(other.totalCount).overflow else { throw .tooLarge }
        add(other)
    }
}
