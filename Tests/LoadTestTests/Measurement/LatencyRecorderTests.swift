import TestSupport
import Testing

@testable import LoadTest

@Suite struct LatencyRecorderTests {
    private static let second: UInt64 = 1_000_000_000

    @Test("Each reply counts in the second of its arrival, also after empty seconds")
    func seconds() {
        var recorder = LatencyRecorder()
        recorder.start(at: 5, until: 5 + 10 * Self.second)
        recorder.record(100, at: 5)
        recorder.record(300, at: 4 + Self.second)
        recorder.record(200, at: 5 + Self.second)
        recorder.record(400, at: 5 + 3 * Self.second)
        recorder.end(at: 6 + 3 * Self.second)
        expectEqual(recorder.seconds.map(\.received), [2, 1, 0, 1])
        expectEqual(recorder.seconds.map(\.latencies.p99), [300, 200, 0, 400])
        expectEqual(recorder.total.totalCount, 4)
    }

    @Test("Replies after the end count in the total but in no second")
    func late() {
        var recorder = LatencyRecorder()
        recorder.start(at: 0, until: 2 * Self.second + 5)
        recorder.record(1, at: 1)
        recorder.record(2, at: 2 * Self.second + 4)
        recorder.record(3, at: 2 * Self.second + 5)
        recorder.record(4, at: 9 * Self.second)
        recorder.end(at: 2 * Self.second + 5)
        recorder.record(5, at: 9 * Self.second)
        recorder.finish()
        expectEqual(recorder.seconds.map(\.received), [1, 0, 1])
        expectEqual(recorder.total.totalCount, 5)
    }

    @Test("The histogram of a second is stored encoded")
    func histograms() {
        var recorder = LatencyRecorder()
        recorder.start(at: 0, until: .max)
        recorder.record(7, at: 1)
        recorder.end(at: 2)
        expectEqual(recorder.seconds.map { Array($0.histogram.prefix(4)) }, [[0x1C, 0x84, 0x93, 0x14]])
        expectEqual(recorder.seconds.map(\.latencies.maximum), [7])
    }

    @Test("The seconds between two times can lose their latencies, and the rest stays exact")
    func omit() {
        var recorder = LatencyRecorder()
        recorder.start(at: 0, until: .max)
        for (index, latency) in [3_000_001, 9_000_007, 2_000_001, 5_000_003].enumerated() {
            recorder.record(UInt64(latency), at: UInt64(index) * Self.second + 1)
        }
        expectEqual(recorder.omit(since: Self.second + 5, until: 2 * Self.second + 5), 2)
        recorder.end(at: 3 * Self.second + 9)
        recorder.finish()
        expectEqual(recorder.seconds.map(\.received), [1, 1, 1, 1])
        expectEqual(recorder.seconds.map(\.latencies.maximum), [3_000_001, 0, 0, 5_000_003])
        #expect((recorder.total.minimum, recorder.total.maximum) == (3_000_001, 5_000_003))
        expectEqual(recorder.total.sum, 8_000_004)
    }

    @Test("Sent messages, and messages without a latency, count in their second, too")
    func counts() {
        var recorder = LatencyRecorder()
        recorder.start(at: 0, until: .max)
        recorder.recordSent(2, dueAt: 1, at: 1)
        recorder.recordArrival(at: Self.second)
        recorder.record(7, count: 3, at: Self.second)
        recorder.recordSent(dueAt: 1, at: 3 * Self.second)
        recorder.end(at: 3 * Self.second + 1)
        expectEqual(recorder.seconds.map(\.sent), [2, 0, 0, 1])
        expectEqual(recorder.seconds.map(\.received), [0, 4, 0, 0])
    }
}
