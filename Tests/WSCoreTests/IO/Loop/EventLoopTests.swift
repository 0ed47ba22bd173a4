import CSystem
import TestSupport
import Testing

@testable import WSCore

@Suite struct EventLoopTests {
    @Test("work requested during a turn runs once at its end, in order")
    func endOfTurn() throws {
        try withLoop { loop in
            var events: [String] = []
            let first = Work { events.append("first") }
            let second = Work { events.append("second") }
            let timer = Timer(on: loop) {
                loop.atEndOfTurn(first)
                loop.atEndOfTurn(second)
                events.append("turn")
            }
            timer.start(after: .zero)
            loop.run { events.count >= 3 }
            loop.runOnce()
            expectEqual(events, ["turn", "first", "second"])
        }
    }

    @Test("work that requests further work gets it done in the same turn, before any timer")
    func nestedWork() throws {
        try withLoop { loop in
            var events: [String] = []
            let inner = Work { events.append("inner") }
            let timer = Timer(on: loop) { events.append("timer") }
            let outer = Work {
                events.append("outer")
                loop.atEndOfTurn(inner)
                timer.start(after: .zero)
            }
            loop.atEndOfTurn(outer)
            loop.run { events.count >= 3 }
            expectEqual(events, ["outer", "inner", "timer"])
        }
    }

    @Test("ready events are handled before an expired timer, even if that takes several turns")
    func timersWaitForReadyEvents() throws {
        try withLoop { loop in
            var events: [String] = []
            let timer = Timer(on: loop) { events.append("timer") }
            timer.start(after: .zero)
            let watches = try (0..<150).map { _ in
                let descriptor = wsx_open_event()
                wsx_set_event(descriptor)
                return try DescriptorWatch(descriptor, for: [.readable, .edgeTriggered], on: loop) {
                    events.append("event")
                }
            }
            defer { for watch in watches { watch.close() } }
            loop.run { events.contains("timer") }
            expectEqual(events, Array(repeating: "event", count: 150) + ["timer"])
        }
    }

    @Test("work requested during or at the end of a turn for the next turn runs at the end of the next turn")
    func nextTurn() throws {
        try withLoop { loop in
            var turns: [String: UInt64] = [:]
            let fromEvent = Work { turns["from event"] = loop.turnCount }
            let fromEnd = Work { turns["from end"] = loop.turnCount }
            let end = Work {
                turns["end"] = loop.turnCount
                loop.atEndOfNextTurn(fromEnd)
            }
            let timer = Timer(on: loop) {
                loop.atEndOfTurn(end)
                loop.atEndOfNextTurn(fromEvent)
            }
            timer.start(after: .zero)
            loop.run()
            let turn = try #require(turns["end"])
            expectEqual(turns, ["end": turn, "from event": turn + 1, "from end": turn + 1])
        }
    }

    @Test("end-of-turn work belongs to the turn it ends, not to the events after the next wait")
    func workAndLaterEventsAreOfDifferentTurns() throws {
        try withLoop { loop in
            var turns: [UInt64] = []
            let later = Timer(on: loop) { turns.append(loop.turnCount) }
            let work = Work { turns.append(loop.turnCount) }
            let timer = Timer(on: loop) {
                turns.append(loop.turnCount)
                loop.atEndOfTurn(work)
                later.start(after: .milliseconds(1))
            }
            timer.start(after: .zero)
            loop.run { turns.count >= 3 }
            expectEqual(turns[0], turns[1])
            #expect(turns[1] < turns[2])
        }
    }

    @Test("work that reschedules itself every turn does not block timers")
    func endlessWork() throws {
        try withLoop { loop in
            var isServed = false
            let work = Work {}
            work.action = { [unowned work] in if !isServed { loop.atEndOfNextTurn(work) } }
            loop.atEndOfNextTurn(work)
            let timer = Timer(on: loop) { isServed = true }
            timer.start(after: .milliseconds(2))
            loop.run()
            expectTrue(isServed)
        }
    }

    @Test("run() waits for a timer started by the last work")
    func workThatStartsSomething() throws {
        try withLoop { loop in
            var hasFired = false
            let timer = Timer(on: loop) { hasFired = true }
            let work = Work { timer.start(after: .milliseconds(1)) }
            loop.atEndOfTurn(work)
            loop.run()
            expectTrue(hasFired)
        }
    }

    @Test("a loop without active handles returns immediately, and so does one stopped before it ran")
    func emptyAndStopped() throws {
        try withLoop { loop in
            loop.run()
            let timer = Timer(on: loop) {}
            timer.start(after: .seconds(60))
            loop.stop()
            loop.run()
            timer.stop()
            loop.run()
        }
    }

    @Test("stop() ends run() after the current turn's work")
    func stopRunsWork() throws {
        try withLoop { loop in
            var hasWorked = false
            let work = Work { hasWorked = true }
            let timer = Timer(on: loop) {
                loop.atEndOfTurn(work)
                loop.stop()
            }
            timer.start(after: .zero, every: .seconds(60))
            loop.run()
            expectTrue(hasWorked)
        }
    }

    @Test("a loop releases finished work, and is itself released")
    func release() throws {
        weak var weakLoop: EventLoop?
        weak var weakWork: Work?
        do {
            let loop = try EventLoop()
            weakLoop = loop
            do {
                let work = Work {}
                weakWork = work
                loop.atEndOfTurn(work)
            }
            expectNotNil(weakWork)
            loop.runOnce()
            expectNil(weakWork)
        }
        expectNil(weakLoop)
    }

    @Test("both clocks advance")
    func clocks() throws {
        try withLoop { loop in
            let before = (loop.now, loop.turnTime)
            loop.run { loop.now - before.0 >= .milliseconds(20) }
            #expect(loop.now - before.0 >= .milliseconds(20))
            #expect(loop.turnTime - before.1 >= .milliseconds(19))
        }
    }

    @Test(
        "durations are rounded up to whole milliseconds, and negative ones become zero",
        arguments: [
            (.zero, 0), (.nanoseconds(1), 1), (.milliseconds(1), 1), (.microseconds(1001), 2), (.seconds(3), 3000),
            (.seconds(-1), 0), (.nanoseconds(-1), 0), (.seconds(Int64.max), .max),
        ] as [(Duration, UInt64)])
    func milliseconds(duration: Duration, expected: UInt64) {
        expectEqual(duration.milliseconds, expected)
    }

    @Test("A duration beyond 64 bits of nanoseconds is the largest one")
    func nanoseconds() {
        expectEqual(Duration.milliseconds(1500).nanoseconds, 1_500_000_000)
        expectEqual(Duration.seconds(Int64.max).nanoseconds, 1_000_000_000 << 32)
        expectEqual(Duration.seconds(-1).nanoseconds, 0)
    }
}

private final class Work: EndOfTurnWork {
    var action: () -> Void

    init(_ action: @escaping () -> Void) {
        self.action = action
    }

    func endTurn() {
        action()
    }
}
