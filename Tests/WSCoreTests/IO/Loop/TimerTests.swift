import TestSupport
import Testing

@testable import WSCore

@Suite struct TimerTests {
    @Test("a timer fires once, not before its time")
    func once() throws {
        try withLoop { loop in
            var count = 0
            let timer = Timer(on: loop) { count += 1 }
            let start = loop.now
            timer.start(after: .milliseconds(20))
            loop.run { count > 0 }
            #expect(loop.now - start >= .milliseconds(20))
            loop.advance(by: .milliseconds(40))
            expectEqual(count, 1)
        }
    }

    @Test("a repeating timer fires until it is stopped, even from its own action")
    func repeating() throws {
        try withLoop { loop in
            var count = 0
            var timer: Timer?
            timer = Timer(on: loop) {
                count += 1
                if count == 3 { timer?.stop() }
            }
            timer?.start(after: .zero, every: .milliseconds(1))
            loop.run { count >= 3 }
            loop.advance(by: .milliseconds(20))
            expectEqual(count, 3)
            timer = nil
        }
    }

    @Test("an interval of zero means one millisecond")
    func zeroInterval() throws {
        try withLoop { loop in
            var count = 0
            let timer = Timer(on: loop) { count += 1 }
            timer.start(after: .zero, every: .zero)
            loop.run { count >= 5 }
            timer.stop()
        }
    }

    @Test("a timer with keepsLoopAlive off lets the loop end, but fires while the loop runs")
    func lonely() throws {
        try withLoop { loop in
            var count = 0
            let timer = Timer(on: loop) { count += 1 }
            timer.keepsLoopAlive = false
            timer.start(after: .milliseconds(1), every: .milliseconds(1))
            loop.run()
            loop.run { count >= 2 }
            timer.keepsLoopAlive = true
            let begin = loop.now
            timer.start(after: .milliseconds(20))
            loop.run()
            #expect(loop.now - begin >= .milliseconds(20))
        }
    }

    @Test("restarting a timer postpones its call")
    func restart() throws {
        try withLoop { loop in
            var firedAt: Duration?
            let timer = Timer(on: loop) { firedAt = loop.now }
            let start = loop.now
            timer.start(after: .milliseconds(5))
            timer.start(after: .milliseconds(60))
            loop.run { firedAt != nil }
            let elapsed = try #require(firedAt) - start
            #expect(elapsed >= .milliseconds(60))
        }
    }

    @Test("a released timer does not fire")
    func released() throws {
        try withLoop { loop in
            var hasFired = false
            var timer: Timer? = Timer(on: loop) { hasFired = true }
            timer?.start(after: .milliseconds(1))
            timer = nil
            loop.advance(by: .milliseconds(20))
            expectFalse(hasFired)
        }
    }

    @Test("a timer can be released by its own action")
    func releasedByItself() throws {
        try withLoop { loop in
            var count = 0
            var timer: Timer?
            timer = Timer(on: loop) {
                timer = nil
                count += 1
            }
            timer?.start(after: .zero, every: .milliseconds(1))
            loop.run { count > 0 }
            loop.advance(by: .milliseconds(10))
            expectEqual(count, 1)
        }
    }

    @Test("a timer for a time in the past fires in the next turn, so that its action cannot block the loop")
    func past() throws {
        try withLoop { loop in
            var turns: [UInt64] = []
            var timer: Timer?
            timer = Timer(on: loop) {
                turns.append(loop.turnCount)
                if turns.count < 100 { timer?.start(at: turns.count.isMultiple(of: 2) ? 0 : loop.turnNanoseconds) }
            }
            timer?.start(at: 1)
            loop.run { turns.count == 100 }
            loop.settle()
            #expect(turns.count == 100 && Set(turns).count == 100)
            timer = nil
        }
    }

    @Test("timers fire in the order of their times, and those of one time in the order of their starts")
    func order() throws {
        try withLoop { loop in
            let base = loop.nowNanoseconds + 60_000_000_000
            var generator = SeededRandom(seed: 1)
            var (fired, expected): ([Int], [(time: UInt64, number: Int)]) = ([], [])
            var timers: [Timer] = []
            for number in 0..<300 {
                let timer = Timer(on: loop) { fired.append(number) }
                timers.append(timer)
                timer.start(at: base + UInt64.random(in: 0..<50, using: &generator) * 1000)
            }
            // Started again, or stopped.
            for number in (0..<300).shuffled(using: &generator).prefix(200) {
                let time = base + UInt64.random(in: 0..<50, using: &generator) * 1000
                timers[number].start(at: time)
                if number.isMultiple(of: 3) { timers[number].stop() } else { expected.append((time, number)) }
            }
            for number in Set(0..<300).subtracting(expected.map(\.number)) { timers[number].stop() }
            // The sort is stable.
            let order = expected.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            loop.advance(by: .seconds(120))
            expectEqual(fired, order.map(\.element.number))
        }
    }

    @Test("a timer can outlive its loop")
    func outlivesLoop() throws {
        var timer: Timer?
        try withLoop { loop in
            timer = Timer(on: loop) {}
            timer?.start(after: .seconds(60))
        }
        timer = nil
    }
}
