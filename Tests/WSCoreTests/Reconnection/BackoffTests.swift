import TestSupport
import Testing
import WSCore

@Suite struct BackoffTests {
    @Test("the ceiling starts at 4 s and doubles up to 60 s")
    func ceilings() {
        var backoff = Backoff()
        for seconds in [4, 8, 16, 32, 60, 60, 60, 60] {
            let wait = backoff.nextWait(random: .max)
            expectEqual(wait, .seconds(seconds) - .nanoseconds(1))
        }
        expectEqual(backoff.tryCount, 8)
    }

    @Test("the ceiling of a client on which a person waits starts at 250 ms and doubles up to 60 s")
    func interactiveCeilings() {
        var backoff = Backoff(delays: .interactive)
        for milliseconds in [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000] {
            let wait = backoff.nextWait(random: .max)
            expectEqual(wait, .milliseconds(milliseconds) - .nanoseconds(1))
        }
    }

    @Test("delays in a range start from its lower bound, with a ceiling from twice that to the upper bound")
    func range() {
        var backoff = Backoff(delays: .between(.seconds(1) ... .seconds(5)))
        for seconds in [2, 4, 5, 5] {
            var copy = backoff
            let shortest = copy.nextWait(random: 0)
            expectEqual(shortest, .seconds(1))
            let longest = backoff.nextWait(random: .max)
            expectEqual(longest, .seconds(seconds) - .nanoseconds(1))
        }
        backoff.reset()
        let wait = backoff.nextWait(random: 1 << 63)
        expectEqual(wait, .milliseconds(1500))
    }

    @Test("in a narrow range, the first ceiling is the upper bound, and equal bounds are the delay")
    func narrowRange() {
        var narrow = Backoff(delays: .between(.seconds(2) ... .seconds(3)))
        let longest = narrow.nextWait(random: .max)
        expectEqual(longest, .seconds(3) - .nanoseconds(1))
        var constant = Backoff(delays: .between(.seconds(2) ... .seconds(2)))
        for random: UInt64 in [0, .max, 1 << 63] {
            let wait = constant.nextWait(random: random)
            expectEqual(wait, .seconds(2))
        }
        let requested = constant.nextWait(random: 0, atLeast: .seconds(20))
        expectEqual(requested, .seconds(20))
    }

    @Test("the delay is proportional to the random number")
    func jitter() {
        var backoff = Backoff()
        var waits: [Duration?] = []
        for random: UInt64 in [0, 1 << 63, 1 << 62] { waits.append(backoff.nextWait(random: random)) }
        expectEqual(waits, [.zero, .seconds(4), .seconds(4)])
    }

    @Test(
        "the delay is the larger of the random one and the requested one, of which at most 5 minutes count",
        arguments: [(0, 4), (1, 4), (20, 20), (300, 300), (301, 300), (86_400, 300)])
    func requested(seconds: Int, expected: Int) {
        var backoff = Backoff()
        let wait = backoff.nextWait(random: .max, atLeast: .seconds(seconds))
        expectEqual(wait, .seconds(expected) - (expected == 4 ? .nanoseconds(1) : .zero))
        // The ceiling does not depend on it.
        let next = backoff.nextWait(random: .max)
        expectEqual(next, .seconds(8) - .nanoseconds(1))
    }

    @Test("after the maximum number of tries there are no more until a connection is stable")
    func bound() {
        var backoff = Backoff(maximumTries: 3)
        for _ in 1...3 {
            let wait = backoff.nextWait(random: 0)
            expectEqual(wait, .zero)
        }
        var wait = backoff.nextWait(random: 0)
        expectNil(wait)
        backoff.connectionWasLost(after: .seconds(1))
        wait = backoff.nextWait(random: 0)
        expectNil(wait)
        backoff.connectionWasLost(after: .seconds(10))
        wait = backoff.nextWait(random: 0)
        expectEqual(wait, .zero)
    }

    @Test(
        "a connection is stable after 10 s or when messages were confirmed on it",
        arguments: [
            (Duration.milliseconds(9_999), false, 8), (.seconds(10), false, 4), (.zero, true, 4), (.zero, false, 8),
        ])
    func held(openTime: Duration, hasConfirmed: Bool, nextCeilingSeconds: Int) {
        var backoff = Backoff()
        _ = backoff.nextWait(random: 0)
        backoff.connectionWasLost(after: openTime, hasConfirmed: hasConfirmed)
        let wait = backoff.nextWait(random: .max)
        expectEqual(wait, .seconds(nextCeilingSeconds) - .nanoseconds(1))
    }

    @Test("a server that accepts connections but stays silent uses up the tries, however long detection takes")
    func silence() {
        var backoff = Backoff(maximumTries: 1)
        var wait = backoff.nextWait(random: 0)
        expectEqual(wait, .zero)
        backoff.connectionWasLost(after: .seconds(20), silentFor: .seconds(20))
        wait = backoff.nextWait(random: 0)
        expectNil(wait)
        // A connection that was alive before it fell silent counts like any other.
        backoff.connectionWasLost(after: .seconds(30), silentFor: .seconds(20))
        wait = backoff.nextWait(random: 0)
        expectEqual(wait, .zero)
    }

    static let restartCases: [Int] = [0, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000]

    @Test(
        "a restarted server rarely sees over 10 % of 200 clients within 100 ms, and never many more",
        arguments: Self.restartCases)
    func restart(downMilliseconds: Int) {
        let largestShares = (0..<100).map { seed in
            let arrivals = arrivals(downFor: .milliseconds(downMilliseconds), seed: UInt64(seed))
            return largestShare(of: arrivals, within: .milliseconds(100))
        }
        #expect(largestShares.count { $0 > 20 } <= 1)
        #expect(largestShares.allSatisfy { 1...24 ~= $0 })
    }

    @Test("a spike counts completely")
    func spike() {
        let times = (0..<10).map { Duration.milliseconds(500 + 10 * $0) }
        expectEqual(largestShare(of: [.zero] + times + [.seconds(1)], within: .milliseconds(100)), 10)
        expectEqual(largestShare(of: [.zero, .milliseconds(100)], within: .milliseconds(100)), 1)
    }

    /// The times at which 200 clients, all disconnected at once, reach a server that is back after `downTime`.
    private func arrivals(downFor downTime: Duration, seed: UInt64) -> [Duration] {
        var random = SeededRandom(seed: seed)
        return (0..<200).map { _ in
            var backoff = Backoff()
            var time = Duration.zero
            repeat { time += backoff.nextWait(random: random.next()) ?? .zero } while time < downTime
            return time
        }
    }

    /// The maximum number of times within any interval of length `window`.
    private func largestShare(of times: [Duration], within window: Duration) -> Int {
        let times = times.sorted()
        var first = 0
        var largest = 0
        for (index, time) in times.enumerated() {
            while time - times[first] >= window { first += 1 }
            largest = max(largest, index - first + 1)
        }
        return largest
    }
}
