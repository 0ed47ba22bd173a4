import Conversation
import WSCore

@testable import LoadTest

/// Realistic results.
enum BenchSamples {
    /// Random results for a seed.
    static func results(seed: UInt64, mode: BenchMode = .echo) -> BenchResults {
        var random = SeededRandom(seed: seed)
        var tally = LoadTally()
        for count in CountGroup.all.filter({ "\($0.name)" != "http2" }).flatMap(\.counts) {
            tally[keyPath: count.path] = Int.random(in: 0..<1_000_000, using: &random)
        }
        (tally.latencyOmitted, tally.samplesOmitted) = (0, 0)
        var latencies = Histogram()
        var times = TimeHistograms()
        for _ in 0..<Int.random(in: 0..<5, using: &random) { times[.handshake].record(latency(&random)) }
        for phase in TimeMeasure.phases where Bool.random(using: &random) { times[phase].record(latency(&random)) }
        for _ in 0..<Int.random(in: 0..<5, using: &random) { times[.delay].record(latency(&random)) }
        var seconds: [BenchSecond] = []
        for _ in 0..<Int.random(in: 1..<5, using: &random) {
            var second = Histogram()
            let count = Int.random(in: 0..<50, using: &random)
            for _ in 0..<count { second.record(latency(&random)) }
            latencies.add(second)
            seconds.append(
                BenchSecond(sent: Int.random(in: 0..<50, using: &random), received: count, latencies: second))
        }
        if mode.metrics.hasLatencies { tally.received = Int(clamping: latencies.totalCount) }
        tally.sent = tally.received + tally.lost + tally.mismatched + tally.interrupted
        var description = description(mode, &random)
        let stages = stages(&random)
        description.stages = stages?.plan
        let stream = mode == .request ? stream(&random) : nil
        return BenchResults(
            description: description, tally: tally, latencies: latencies, times: times, stream: stream,
            stages: stages?.results ?? [],
            seconds: seconds,
            duration: .nanoseconds(Int.random(in: 0..<3_600_000_000_000_000, using: &random)),
            processorTimes: ProcessorTimes(
                process: .microseconds(Int.random(in: 0..<1_000_000_000, using: &random)),
                load: .microseconds(Int.random(in: 0..<1_000_000_000, using: &random)),
                busiest: .microseconds(Int.random(in: 0..<1_000_000_000, using: &random))),
            startTime: WallTime(
                seconds: Int.random(in: 0..<4_000_000_000, using: &random),
                microseconds: Int.random(in: 0..<1_000_000, using: &random)))
    }

    /// Random stages with one of few plans, or none.
    private static func stages(_ random: inout SeededRandom) -> (plan: StagePlan, results: [PartResults])? {
        guard Bool.random(using: &random) else { return nil }
        let seconds = Int.random(in: 1..<3, using: &random)
        let stages = (0..<2).map { _ in
            LoadStages.Stage(target: Int.random(in: 0..<100, using: &random), duration: .seconds(seconds))
        }
        let results = (1...2).map { number in
            var latencies = Histogram()
            for _ in 0..<Int.random(in: 0..<5, using: &random) { latencies.record(latency(&random)) }
            var part = PartResults(name: "stage\(number)", latencies: StoredHistogram(latencies))
            for (_, count) in PartResults.counts { part[keyPath: count] = Int.random(in: 0..<1000, using: &random) }
            return part
        }
        let quantity = Bool.random(using: &random) ? StagePlan.Quantity.connections : .rate
        return (StagePlan(quantity: quantity, stages: stages), results)
    }

    /// Random replies of several messages.
    private static func stream(_ random: inout SeededRandom) -> StreamResults {
        let recorder = StreamRecorder()
        for _ in 0..<Int.random(in: 1..<5, using: &random) {
            var stream = ReplyStream()
            let start = latency(&random)
            for offset in 0...UInt64.random(in: 0..<5, using: &random) { stream.received(at: start + offset * 7777) }
            recorder.record(stream, since: 0)
        }
        return recorder.results
    }

    private static func latency(_ random: inout SeededRandom) -> UInt64 {
        UInt64.random(in: 0..<1 << UInt64.random(in: 1...42, using: &random), using: &random)
    }

    private static func description(_ mode: BenchMode, _ random: inout SeededRandom) -> BenchDescription {
        let message = BenchDescription.Message(
            kind: Bool.random(using: &random) ? .text : .binary, byteCount: Int.random(in: 1..<4, using: &random))
        return BenchDescription(
            mode: mode, url: ["ws://a/", "ws://b/?x=\"y\"", "echo:"].randomElement(using: &random) ?? "",
            connections: Int.random(in: 1..<10_000, using: &random), threads: Int.random(in: 1..<9, using: &random),
            message: Bool.random(using: &random) ? message : nil,
            inFlight: Bool.random(using: &random) ? Int.random(in: 1..<3, using: &random) : nil,
            rateAsked: Bool.random(using: &random) ? Int.random(in: 1..<1000, using: &random) : nil)
    }
}
