import TestSupport
import Testing
import WSCore

@testable import LoadTest

/// The results of long runs.
@Suite struct ResultSizeTests {
    private static let causeCount = 300
    /// The number of different seconds, which repeat.
    private static let sampleCount = 29

    /// The results of a run with varied latencies in every second, connections that are replaced, and many causes of
    /// errors.
    private static func results(seconds count: Int) throws -> BenchResults {
        var random = SeededRandom(seed: 1)
        let results = BenchSamples.results(seed: 1)
        results.latencies.removeAll()
        results.seconds = []
        results.timeline = Timeline()
        results.duration = .seconds(count)
        results.description.notes.labels = [("branch", "main")]
        let causes = (0..<causeCount).map { ErrorCause(.close, 4000 + $0, "an application's reason \($0)") }
        for cause in causes { results.tally.causes.add(cause, count: 1_000_000) }
        var samples: [BenchSecond] = []
        for _ in 0..<sampleCount {
            var second = Histogram()
            // Most are near 200 us, and some up to a second.
            for _ in 0..<1500 {
                let scale = UInt64.random(in: 1...4, using: &random) == 1 ? 5000 : 3 as UInt64
                second.record(
                    UInt64.random(in: 80_000...200_000, using: &random)
                        * UInt64.random(in: 1...UInt64.random(in: 1...scale, using: &random), using: &random))
            }
            results.latencies.add(second)
            samples.append(BenchSecond(sent: 150_000, received: 1500, latencies: second))
        }
        for number in 0..<count {
            results.seconds.append(samples[number % sampleCount])
            results.timeline.openCounts?.append(10_000)
            try results.timeline.handshakes.add(bySecond: [
                PartResults.Second(number: number, count: 1000, p50: 123_456_789, p99: 1_234_567_890)
            ])
            for cause in causes { results.timeline.errors[.cause(cause), default: [:]][number] = 100 }
        }
        results.tally.received = Int(clamping: results.latencies.totalCount)
        results.tally.interrupted = 0
        results.tally.sent = results.tally.received + results.tally.lost + results.tally.mismatched
        return results
    }

    @Test("The results of half an hour take less than a megabyte, and their seconds keep their percentiles")
    func halfAnHour() throws {
        let results = try Self.results(seconds: 1800)
        let text = results.json()
        #expect(text.utf8.count < 1_000_000)
        let read = try BenchResults(json: Array(text.utf8).span.bytes)
        for (second, exact) in zip(read.seconds, results.seconds).prefix(Self.sampleCount) {
            expectEqual(second.latencies, exact.latencies)
            let histogram = try second.decodedHistogram()
            expectEqual(histogram.totalCount, 1500)
            expectEqual(histogram.maximum, exact.maximum)
            // The precision of the histogram depends on its size.
            let median = Double(histogram.value(atPercentile: 50))
            let error = abs(median / Double(exact.latencies.p50) - 1)
            #expect(error < 0.13)
        }
        expectEqual(read.latencies.value(atPercentile: 99), results.latencies.value(atPercentile: 99))
    }

    @Test("Short runs have exact histograms")
    func aMinute() throws {
        let results = try Self.results(seconds: 60)
        let read = try BenchResults(json: Array(results.json().utf8).span.bytes)
        expectEqual(read.seconds.map(\.histogram), results.seconds.map(\.histogram))
    }
}
