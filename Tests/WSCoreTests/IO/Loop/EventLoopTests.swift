import Testing

@testable import WSCore

@Suite struct EventLoopTests {
    @Test("work asked for during a turn runs at its end, in order, and once")
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
            #expect(events == ["turn", "first", "second"])
        }
    }

    @Test("work that asks for work has it done in the same turn, before any timer")
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
            #expect(events == ["outer", "inner", "timer"])
        }
    }

    @Test("work for the next turn runs at its end, whether it was asked for among the events of a turn or at its end")
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
            #expect(turns == ["end": turn, "from event": turn + 1, "from end": turn + 1])
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
            #expect(turns[0] == turns[1])
            #expect(turns[1] < turns[2])
        }
    }

    @Test("work that goes on turn after turn keeps nobody waiting")
    func endlessWork() throws {
        try withLoop { loop in
            var isServed = false
            let work = Work {}
            work.action = { [unowned work] in if !isServed { loop.atEndOfNextTurn(work) } }
            loop.atEndOfNextTurn(work)
            let timer = Timer(on: loop) { isServed = true }
            timer.start(after: .milliseconds(2))
            loop.run()
            #expect(isServed)
        }
    }

    @Test("what the last work starts is waited for: run() does not return with a timer still to fire")
    func workThatStartsSomething() throws {
        try withLoop { loop in
            var hasFired = false
            let timer = Timer(on: loop) { hasFired = true }
            let work = Work { timer.start(after: .milliseconds(1)) }
            loop.atEndOfTurn(work)
            loop.run()
            #expect(hasFired)
        }
    }

    @Test("a loop with nothing to wait for returns at once, and one that was stopped before it ran, too")
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

    @Test("stop() ends run() after the work of the present turn")
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
            #expect(hasWorked)
        }
    }

    @Test("a loop lets go of work that is done, and of itself")
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
            #expect(weakWork != nil)
            loop.runOnce()
            #expect(weakWork == nil)
        }
        #expect(weakLoop == nil)
    }

    @Test("both clocks go forward")
    func clocks() throws {
        try withLoop { loop in
            let before = (loop.now, loop.turnTime)
            loop.run(for: .milliseconds(20))
            #expect(loop.now - before.0 >= .milliseconds(20))
            #expect(loop.turnTime - before.1 >= .milliseconds(19))
        }
    }

    @Test(
        "durations become whole milliseconds, rounded up, and never below zero",
        arguments: [
            (.zero, 0), (.nanoseconds(1), 1), (.milliseconds(1), 1), (.microseconds(1001), 2), (.seconds(3), 3000),
            (.seconds(-1), 0), (.nanoseconds(-1), 0), (.seconds(Int64.max), .max),
        ] as [(Duration, UInt64)])
    func milliseconds(duration: Duration, expected: UInt64) {
        #expect(duration.milliseconds == expected)
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
