import TestSupport
import Testing

@testable import LoadTest

@Suite struct OpenLoopTests {
    /// One message per millisecond, alternating between two connections, starting at 5 s.
    private static func make() -> OpenLoop {
        OpenLoop(
            Pacer(
                LoadSchedule(rate: 1000, connectionCount: 2, shard: Shard(index: 0, count: 1)), at: 5_000_000_000))
    }

    @Test("Messages are taken in order as they are due")
    func due() {
        var loop = Self.make()
        expectEqual(loop.next(by: 4_999_999_999, before: .max), .later(5_000_000_000))
        expectEqual(loop.next(by: 5_001_000_000, before: .max), .due(at: 5_000_000_000, position: 0, wasHeld: false))
        expectEqual(loop.next(by: 5_001_000_000, before: .max), .due(at: 5_001_000_000, position: 1, wasHeld: false))
        expectEqual(loop.next(by: 5_001_000_000, before: .max), .later(5_002_000_000))
        expectEqual(loop.next(by: 9_000_000_000, before: 5_002_000_000), .over)
    }

    @Test("With too many waiting messages the loop pauses, and the delay is the server's")
    func held() {
        var loop = Self.make()
        for _ in 0..<OpenLoop.maximumBacklog { loop.backlogCount += 1 }
        let again = 5_000_500_000 + OpenLoop.pause
        expectEqual(loop.next(by: 5_000_500_000, before: .max), .later(again))
        loop.backlogCount -= 1
        expectEqual(loop.backlogCount, OpenLoop.maximumBacklog - 1)
        expectEqual(loop.next(by: again, before: .max), .due(at: 5_000_000_000, position: 0, wasHeld: true))
        expectEqual(loop.next(by: again, before: .max), .due(at: 5_001_000_000, position: 1, wasHeld: true))
        expectEqual(loop.next(by: 5_002_000_000, before: .max), .due(at: 5_002_000_000, position: 0, wasHeld: false))
    }

    @Test("At the end, the messages that would have been due are counted")
    func end() {
        var loop = Self.make()
        loop.backlogCount += 1
        expectEqual(loop.end(from: 5_100_000_000, until: 6_000_000_000, atMost: .max), 900)
        expectEqual(loop.backlogCount, 0)
        var limited = Self.make()
        expectEqual(limited.end(from: 0, until: 6_000_000_000, atMost: 10), 10)
    }
}
