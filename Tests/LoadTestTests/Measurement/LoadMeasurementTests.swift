import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct LoadMeasurementTests {
    private static let second: UInt64 = 1_000_000_000

    @Test("Messages count if they were due after the warm-up")
    func warmup() {
        var measurement = LoadMeasurement()
        measurement.arrived(at: 5)
        expectEqual(measurement.counts(5), false, "the load has not begun")
        measurement.begin(at: 10, warmup: .nanoseconds(10), duration: nil, end: .withLastReply)
        for time in [10, 19, 20, 21] as [UInt64] {
            expectEqual(measurement.sent(dueAt: time, now: 25), (time >= 20))
            measurement.answered(on: 0, sentAt: time, now: 30)
            measurement.count(\.mismatched, ofMessageAt: time)
        }
        measurement.leftUnsent([18, 19, 20])
        expectEqual(measurement.tally.sent, 2)
        #expect((measurement.tally.received, measurement.tally.mismatched, measurement.tally.unsent) == (2, 2, 1))
    }

    @Test("With a duration, the period ends after it, or when sending stops earlier")
    func duration() {
        for (stop, isEarly, duration) in [(130, false, 100), (60, false, 40), (60, true, 40)] as [(UInt64, Bool, Int)] {
            var measurement = LoadMeasurement()
            measurement.begin(at: 20, warmup: .zero, duration: .nanoseconds(100), end: .withLastReply)
            measurement.stop(at: stop, isEarly: isEarly)
            expectEqual(measurement.duration, .nanoseconds(duration))
        }
    }

    @Test("With a message count, the period ends with the last message or reply")
    func messages() {
        for (sent, answered) in [(50, 90), (90, 50)] as [(UInt64, UInt64)] {
            var measurement = LoadMeasurement()
            measurement.begin(at: 20, warmup: .zero, duration: nil, end: .withLastReply)
            if answered < sent { measurement.answered(on: 0, sentAt: 30, now: answered) }
            expectEqual(measurement.sent(dueAt: 40, now: sent), true)
            measurement.stop(at: 95, isEarly: false)
            expectEqual(measurement.duration, .zero, "the duration is known only after the last reply")
            if answered > sent { measurement.answered(on: 0, sentAt: 40, now: answered) }
            measurement.replyWaitEnded()
            expectEqual(measurement.duration, .nanoseconds(70))
        }
    }

    @Test("One way, the period ends when all connections have ended")
    func oneWay() {
        var measurement = LoadMeasurement()
        measurement.begin(at: 20, warmup: .zero, duration: nil, end: .whenClosed)
        expectEqual(measurement.sent(dueAt: 30, now: 30), true)
        measurement.stop(at: 40, isEarly: false)
        measurement.replyWaitEnded()
        measurement.finish(at: 80)
        expectEqual(measurement.duration, .nanoseconds(60))
    }

    @Test("A cut-short run ends the period, and later replies count in no second")
    func early() {
        for end in [LoadMeasurement.End.withLastReply, .whenClosed, .whenStopped] {
            var measurement = LoadMeasurement()
            measurement.begin(at: 0, warmup: .zero, duration: nil, end: end)
            for time in 1...3 as ClosedRange<UInt64> { expectEqual(measurement.sent(dueAt: time, now: time), true) }
            measurement.answered(on: 0, sentAt: 1, now: 10)
            measurement.stop(at: 20, isEarly: true)
            measurement.answered(on: 0, sentAt: 2, now: 30)
            measurement.replyWaitEnded()
            // While connections are closing.
            measurement.answered(on: 0, sentAt: 3, now: 40)
            measurement.arrived(at: 41)
            measurement.finish(at: 50)
            expectEqual(measurement.duration, .nanoseconds(20))
            expectEqual(measurement.latencies.seconds.map(\.received), [1])
            expectEqual(measurement.tally.received, 3)
            expectEqual(measurement.latencies.total.totalCount, 3)
        }
    }

    @Test("A load that never started has no measurements")
    func neverBegun() {
        var measurement = LoadMeasurement()
        measurement.replyWaitEnded()
        measurement.finish(at: 50)
        expectEqual(measurement.duration, .zero)
        expectEmpty(measurement.latencies.seconds)
    }
}
