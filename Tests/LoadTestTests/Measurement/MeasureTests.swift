import TestSupport
import Testing

@testable import LoadTest

@Suite struct MeasureTests {
    /// Results in which each count differs, and each time was measured once.
    private static func results() -> BenchResults {
        let results = BenchSamples.results(seed: 3, mode: .receive)
        for (index, count) in CountGroup.all.flatMap(\.counts).enumerated() {
            results.tally[keyPath: count.path] = index + 1
        }
        for measure in kept {
            results.times[measure].removeAll()
            results.times[measure].record(UInt64(measure.rawValue + 1) * 1000)
        }
        return results
    }

    /// The times that are not those of replies with several messages, nor left out with latencies.
    private static let kept = TimeMeasure.allCases.filter {
        $0.rawValue < TimeMeasure.first.rawValue && $0 != .service
    }

    @Test("Each measure is written, read again, and added up")
    func roundTrip() throws {
        let read = try BenchResults(json: Array(Self.results().json().utf8).span.bytes)
        try read.add(Self.results())
        for (index, count) in CountGroup.all.flatMap(\.counts).enumerated() {
            expectEqual(read.tally[keyPath: count.path], 2 * (index + 1), "\(count.name)")
        }
        for measure in Self.kept {
            expectEqual(read.times[measure].totalCount, 2, "\(measure.name)")
            expectEqual(read.times[measure].maximum, UInt64(measure.rawValue + 1) * 1000, "\(measure.name)")
        }
    }

    @Test("Each measure is a threshold, by a name of its own")
    func thresholds() {
        let names = CountGroup.all.flatMap { group in group.counts.map { "\(group.prefix)\($0.name)" } }
        expectEqual(Set(names).count, names.count)
        for name in names {
            expectEqual(CountGroup.count(named: name).map { "\($0.group.prefix)\($0.count?.name ?? "")" }, name)
        }
        expectEqual(TimeMeasure.allCases.map { TimeMeasure(named: $0.name) }, TimeMeasure.allCases)
        for measure in Self.kept {
            let limit = Threshold.Bound.time(Double(measure.rawValue + 1) * 1000)
            let threshold = Threshold(measure.name, .time(measure, .maximum), .equal, limit)
            expectEqual(threshold.verdict(on: Self.results()).isMet, true, "\(measure.name)")
        }
    }

    @Test("Each count that is known during a run is a metric")
    func metrics() {
        var live = LiveResults(Self.results().description, threadCount: 1)
        live.update([LoadProgress(Self.results().tally, openCount: 0, seconds: [])])
        let text = OpenMetrics.text(of: live)
        for group in CountGroup.all {
            guard let metric = group.metric else { continue }
            for count in group.counts {
                let value = Self.results().tally[keyPath: count.path]
                let line = "\(metric.name)_total{\(metric.label)=\"\(count.name)\"} \(value)\n"
                expectTrue(text.contains(line))
            }
        }
    }
}
