import WSCore

extension BenchResults {
    /// Adds the results of another run of the same mode, as if both were one run.
    ///
    /// Counts, bytes, connections, threads, and processor times are summed. Histograms are added count by count, and
    /// seconds by their number. The duration is the longer one, and the start the earlier one. The order of additions
    /// does not matter.
    /// - Throws: ``BenchResultsError`` if the modes differ or a sum is too large.
    package func add(_ other: BenchResults) throws(BenchResultsError) {
        guard description.mode == other.description.mode else {
            throw .otherMode(description.mode.rawValue, other.description.mode.rawValue)
        }
        description = try description.joined(with: other.description)
        try add(other.tally)
        try latencies.add(checking: other.latencies)
        try times.add(other.times)
        removeIncompleteService()
        try stream.add(other.stream)
        try publishedClock.add(other.publishedClock)
        try steps.add(byName: other.steps)
        if description.stages == nil { stages = [] } else { try stages.add(byName: other.stages) }
        try timeline.add(other.timeline)
        try add(other.seconds)
        duration = max(duration, other.duration)
        processorTimes.process += other.processorTimes.process
        processorTimes.load += other.processorTimes.load
        processorTimes.busiest = max(processorTimes.busiest, other.processorTimes.busiest)
        processorTimes.waited += other.processorTimes.waited
        if other.startTime < startTime { startTime = other.startTime }
        for list in [\Findings.reasons, \.doubts, \.remarks] {
            let known = findings[keyPath: list]
            findings[keyPath: list] += other.findings[keyPath: list].filter { !known.contains($0) }
        }
    }

    /// Removes service times if latencies have been left out on any thread: the rest would be those of other replies.
    internal func removeIncompleteService() {
        if tally.latencyOmitted > 0, times[.service].totalCount > 0 { times[.service].removeAll() }
    }

    /// Adds the counts of another load.
    internal func add(_ other: LoadTally) throws(BenchResultsError) { try tally.add(checking: other) }

    /// Adds the seconds of another load, as if it ran at the same time.
    internal func add(_ others: [BenchSecond]) throws(BenchResultsError) {
        for (number, second) in others.enumerated() {
            if number < seconds.count {
                try seconds[number].add(second)
            } else {
                seconds.append(second)
            }
        }
        try Self.checkSum(of: seconds)
    }

    /// Checks that the messages can be counted.
    /// - Throws: ``BenchResultsError/tooLarge``.
    internal static func checkSum(of seconds: [BenchSecond]) throws(BenchResultsError) {
        var (sent, received) = (0, 0)
        for second in seconds {
            sent = try sent.adding(checking: second.sent)
            received = try received.adding(checking: second.received)
        }
    }
}

extension LoadTally {
    /// Adds the counts of another load.
    internal mutating func add(checking other: LoadTally) throws(BenchResultsError) {
        for count in CountGroup.all.flatMap(\.counts) {
            self[keyPath: count.path] = try self[keyPath: count.path].adding(checking: other[keyPath: count.path])
        }
        try causes.add(other.causes)
        // Their sum is reported as well, and must not overflow.
        var errorCount = 0
        for count in CountGroup.errors.counts {
            errorCount = try errorCount.adding(checking: self[keyPath: count.path])
        }
    }
}

extension BenchDescription {
    /// Combines the descriptions of two runs. Values that differ are dropped.
    fileprivate func joined(with other: BenchDescription) throws(BenchResultsError) -> BenchDescription {
        var joined = self
        // List each URL once, independent of the order.
        let urls = Set(url.split(separator: " ")).union(other.url.split(separator: " "))
        joined.url = urls.sorted().joined(separator: " ")
        joined.connections = try connections.adding(checking: other.connections)
        joined.threads = try threads.adding(checking: other.threads)
        if message != other.message { joined.message = nil }
        if inFlight != other.inFlight { joined.inFlight = nil }
        joined.resumesTLS = resumesTLS || other.resumesTLS
        if streams != other.streams { joined.streams = nil }
        if arrival != other.arrival { joined.arrival = .constant }
        joined.rateAsked = nil
        if let rateAsked, let otherRate = other.rateAsked {
            joined.rateAsked = try rateAsked.adding(checking: otherRate)
        }
        joined.stages = nil
        if let stages, let others = other.stages { joined.stages = try stages.joined(with: others) }
        joined.notes = notes.joined(with: other.notes)
        return joined
    }
}

extension BenchSecond {
    /// Adds the same second of another load.
    internal mutating func add(_ other: BenchSecond) throws(BenchResultsError) {
        sent = try sent.adding(checking: other.sent)
        received = try received.adding(checking: other.received)
        if let addend = other.counts { try counts?.add(checking: addend) }
        do throws(HistogramError) {
            var sum = try Histogram(decoding: histogram)
            let addend = try Histogram(decoding: other.histogram)
            guard !sum.totalCount.addingReportingOverflow(addend.totalCount).overflow else { throw .damaged }
            sum.add(addend)
            histogram = sum.encoded()
            maximum = max(maximum, other.maximum)
            exactLatencies = nil
        } catch {
            throw .badHistogram("per_second.histogram", error)
        }
    }
}
