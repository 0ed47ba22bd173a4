import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct TimelineTests {
    private static let second: UInt64 = 1_000_000_000
    private static let refusal = ErrorCause(.http, 429, "Too Many Requests")

    @Test("Errors belong to the second in which they occurred, by cause or by kind")
    func errors() {
        var measurement = LoadMeasurement()
        measurement.count(.connect, cause: nil)
        measurement.begin(at: 10, warmup: .zero, duration: .seconds(3), end: .whenStopped)
        measurement.sample(openCount: 4, at: 10)
        measurement.count(.handshake, cause: Self.refusal)
        measurement.count(.timeout, cause: nil)
        measurement.sample(openCount: 5, at: 10 + Self.second)
        measurement.count(.closed, cause: Self.refusal)
        measurement.count(\.mismatched, ofMessageAt: 20)
        measurement.advance(to: 10 + 3 * Self.second)
        measurement.sample(openCount: 6, at: 10 + 3 * Self.second)
        let timeline = measurement.timelineResults
        expectEqual(timeline.openCounts, [5, 6, 6])
        let errors: [Timeline.Fault: [Int: Int]] = [
            .count("connect"): [-1: 1], .cause(Self.refusal): [0: 1, 1: 1], .count("timeout"): [0: 1],
            .count("mismatched"): [1: 1],
        ]
        expectEqual(timeline.errors, errors)
    }

    @Test("A mismatched reply that proves to be a duplicate is not counted again")
    func corrections() {
        var measurement = LoadMeasurement()
        measurement.begin(at: 10, warmup: .zero, duration: .seconds(3), end: .whenStopped)
        measurement.count(\.mismatched, ofMessageAt: 20)
        measurement.sample(openCount: 1, at: 10)
        measurement.unmatch(messageAt: 20)
        measurement.sample(openCount: 1, at: 10 + Self.second)
        measurement.count(\.mismatched, ofMessageAt: 20)
        measurement.sample(openCount: 1, at: 10 + 2 * Self.second)
        expectEqual(measurement.timelineResults.errors[.count("mismatched")], [-1: 1])
    }

    @Test("Handshakes during the load have percentiles for each second")
    func handshakes() {
        var measurement = LoadMeasurement()
        measurement.opened(
            .nanoseconds(6), phases: PhaseDurations(), tls: nil, version: .http1, isShared: false, now: 5)
        measurement.opened(
            .nanoseconds(8), phases: PhaseDurations(), tls: nil, version: .http1, isShared: false, now: Self.second)
        let start = 2 * Self.second
        measurement.begin(at: start, warmup: .zero, duration: .seconds(3), end: .whenStopped)
        let times: [(now: UInt64, nanoseconds: Int64)] = [
            (0, 1), (1, 2), (2 * Self.second + 5, 6), (4 * Self.second, 9),
        ]
        for (now, nanoseconds) in times {
            measurement.opened(
                .nanoseconds(nanoseconds), phases: PhaseDurations(), tls: nil, version: .http1, isShared: false,
                now: start + now)
        }
        let seconds = [
            PartResults.Second(number: 0, count: 2, p50: 1, p99: 2),
            PartResults.Second(number: 2, count: 1, p50: 6, p99: 6),
        ]
        expectEqual(measurement.timelineResults.handshakes, seconds)
        let opening = [
            PartResults.Second(number: 0, count: 1, p50: 6, p99: 6),
            PartResults.Second(number: 1, count: 1, p50: 8, p99: 8),
        ]
        expectEqual(measurement.timelineResults.opening, opening)
    }

    @Test("Timelines of threads are added by second, and unknown connections stay unknown")
    func sums() throws {
        var sum = Timeline(openCounts: [1, 2], errors: [.count("timeout"): [0: 1]])
        let others: [Timeline.Fault: [Int: Int]] = [.count("timeout"): [0: 2, 2: 1], .count("closed"): [1: 1]]
        try sum.add(Timeline(openCounts: [3, 4, 5], errors: others))
        let errors: [Timeline.Fault: [Int: Int]] = [.count("timeout"): [0: 3, 2: 1], .count("closed"): [1: 1]]
        expectEqual(sum, Timeline(openCounts: [4, 6, 5], errors: errors))
        try sum.add(Timeline(openCounts: nil))
        expectNil(sum.openCounts)
    }

    @Test("The most frequent errors are listed, and the rest is added up, also after a round trip")
    func others() throws {
        let results = BenchSamples.results(seed: 1)
        results.seconds = [results.seconds[0]]
        results.timeline = Timeline(openCounts: [7])
        for code in 4000..<4010 { results.timeline.errors[.cause(ErrorCause(.close, code, ""))] = [0: code - 3990] }
        let text = results.json()
        let read = try BenchResults(json: Array(text.utf8).span.bytes)
        expectEqual(read.timeline.errors.count, 9)
        expectEqual(read.timeline.errors[.count("other")], [0: 10 + 11])
        expectEqual(read.timeline.openCounts, [7])
        expectEqual(read.json(), text)
    }
}
