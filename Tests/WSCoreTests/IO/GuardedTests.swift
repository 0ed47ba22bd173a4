import Testing

@testable import WSCore

@Suite struct GuardedTests {
    @Test("no change of a thread is lost to another")
    func threads() throws {
        let count = Guarded(0)
        let threads = try (0..<4).map { _ in
            try LoopThread { for _ in 0..<10_000 { count.withValue { $0 += 1 } } }
        }
        for thread in threads { thread.join() }
        #expect(count.withValue { $0 } == 40_000)
    }
}
