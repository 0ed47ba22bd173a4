import WSCore

extension BenchResults {
    /// Adds up what the threads of a load test have measured.
    /// - Parameter startTime: When messages began to count.
    init(_ description: BenchDescription, of workers: [LoadWorker], startTime: WallTime) {
        self.init(
            description: description, tally: LoadTally(), latencies: Histogram(), handshakes: Histogram(), seconds: [],
            duration: .zero, processorTime: ProcessorTime.used, loadProcessorTime: .zero, startTime: startTime)
        for worker in workers {
            tally.add(worker.tally)
            latencies.add(worker.latencies.total)
            handshakes.add(worker.handshakes)
            duration = max(duration, .nanoseconds(Int64(clamping: worker.endTime &- worker.countStart)))
            loadProcessorTime += worker.processorTime
            seconds.add(worker.latencies.seconds)
        }
    }
}

extension [BenchSecond] {
    /// Adds the seconds of a load that ran at the same time.
    fileprivate mutating func add(_ others: [BenchSecond]) {
        for (index, other) in others.enumerated() {
            if index < count { self[index].add(other) } else { append(other) }
        }
    }
}

extension BenchSecond {
    /// Adds what another thread sent and received in this second.
    fileprivate mutating func add(_ other: BenchSecond) {
        sent += other.sent
        received += other.received
        do throws(HistogramError) {
            var sum = try Histogram(decoding: histogram)
            sum.add(try Histogram(decoding: other.histogram))
            var encoded = ByteBuffer()
            sum.encode(into: &encoded)
            histogram = encoded.withReadableBytes { $0.withUnsafeBytes { Array($0) } }
        } catch {
            preconditionFailure("a histogram of our own cannot be decoded: \(error)")
        }
    }
}
