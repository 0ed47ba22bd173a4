import WSCore

extension BenchResults {
    /// Adds up what the threads of a load test have measured.
    /// - Parameter startTime: When messages began to count.
    init(_ description: BenchDescription, of workers: [LoadWorker], startTime: WallTime) {
        self.init(
            description: description, tally: LoadTally(), latencies: Histogram(), handshakes: Histogram(), seconds: [],
            duration: .zero, processorTime: ProcessorTime.used, loadProcessorTime: .zero, startTime: startTime)
        for worker in workers {
            duration = max(duration, .nanoseconds(Int64(clamping: worker.endTime &- worker.countStart)))
            loadProcessorTime += worker.processorTime
            do throws(BenchResultsError) {
                try add(worker.tally)
                try latencies.add(checking: worker.latencies.total)
                try handshakes.add(checking: worker.handshakes)
                try add(worker.phases)
                try delays.add(checking: worker.delays)
                try add(worker.latencies.seconds)
            } catch {
                preconditionFailure("what a run has measured cannot be added up: \(error)")
            }
        }
        if description.mode == .broadcast { countLost(workers) }
    }

    /// What was published and has not come to all readers: which of them had it, no thread knows alone.
    private mutating func countLost(_ workers: [LoadWorker]) {
        let readerCount = workers.reduce(0) { $0 + $1.readerCount }
        tally.lost = max(0, tally.sent * readerCount - tally.received - tally.mismatched)
    }
}
