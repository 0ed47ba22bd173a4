import Testing

@testable import WSCore

@Suite struct PreciseTimerTests {
    @Test("a timer fires once, not before its time")
    func once() throws {
        try withLoop { loop in
            var times: [UInt64] = []
            let timer = PreciseTimer(on: loop) { times.append(loop.nowNanoseconds) }
            let time = loop.nowNanoseconds + 1_234_567
            timer.start(at: time)
            loop.run { !times.isEmpty }
            loop.settle()
            #expect(times.count == 1)
            #expect(times.allSatisfy { $0 >= time })
        }
    }

    @Test("a time in the past fires immediately, even repeatedly from the action")
    func past() throws {
        try withLoop { loop in
            var count = 0
            var timer: PreciseTimer?
            timer = PreciseTimer(on: loop) {
                count += 1
                if count < 100 { timer?.start(at: count.isMultiple(of: 2) ? 0 : loop.nowNanoseconds) }
            }
            timer?.start(at: 1)
            loop.run { count == 100 }
            loop.settle()
            #expect(count == 100)
            timer = nil
        }
    }

    @Test("a stopped timer does not fire, and one released by its own action does not fire again")
    func stopped() throws {
        try withLoop { loop in
            var count = 0
            let stopped = PreciseTimer(on: loop) { count += 100 }
            stopped.start(at: loop.nowNanoseconds + 1_000_000)
            stopped.stop()
            var released: PreciseTimer?
            released = PreciseTimer(on: loop) {
                count += 1
                released = nil
            }
            released?.start(at: loop.nowNanoseconds + 1_000_000)
            loop.run { count > 0 }
            loop.settle()
            #expect(count == 1)
        }
    }

    @Test("a later start replaces an earlier one")
    func again() throws {
        try withLoop { loop in
            var time: UInt64 = 0
            let timer = PreciseTimer(on: loop) { time = loop.nowNanoseconds }
            let start = loop.nowNanoseconds
            timer.start(at: start + 1_000_000)
            timer.start(at: start + 8_000_000)
            loop.run { time > 0 }
            #expect(time >= start + 8_000_000)
        }
    }
}
