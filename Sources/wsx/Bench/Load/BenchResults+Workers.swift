import WSCore

extension BenchResults {
    /// Adds up what the threads of a load test have measured.
    /// - Parameter startTime: When messages began to count.
    init(_ description: BenchDescription, of workers: [LoadWorker], startTime: WallTime) {
        self.init(
            description: description, tally: LoadTally(), latencies: Histogram(), handshakes: Histogram(), seconds: [],
            duration: .zero, processorTime: ProcessorTime.used, loadProcessorTime: .zero, startTime: startTime)
        for worker in workers {
            duration = max(duration, worker.measurement.duration)
            loadProcessorTime += worker.processorTime
            busiestProcessorTime = max(busiestProcessorTime, worker.processorTime)
            do throws(BenchResultsError) {
                try add(worker.measurement.tally)
                try latencies.add(checking: worker.measurement.latencies.total)
                try handshakes.add(checking: worker.measurement.handshakes)
                try add(worker.measurement.phases)
                try delays.add(checking: worker.measurement.delays)
                try add(worker.measurement.latencies.seconds)
            } catch {
                preconditionFailure("what a run has measured cannot be added up: \(error)")
            }
        }
        if description.mode == .broadcast { countLost(workers) }
    }

    /// What was published and has not come to all readers: which of them had it, no thread knows alone.
    private mutating func countLost(_ workers: [LoadWorker]) {
        let readerCount = workers.reduce(0) { $0 + $1.workload.readerCount }
        let missing = tally.sent * readerCount - tally.received - tally.mismatched
        tally.lost = max(0, missing)
        // More than there was to come: something was taken for a delivery that came besides.
        let excess = min(tally.mismatched, max(0, -missing))
        tally.mismatched -= excess
        tally.duplicated += excess
    }
}
