import TestSupport
import Testing

@testable import WSCore

@Suite struct MutexTests {
    @Test("concurrent changes from several threads are not lost")
    func threads() throws {
        let count = Mutex(0)
        let threads = try (0..<4).map { _ in
            try Thread { for _ in 0..<10_000 { count.withLock { $0 += 1 } } }
        }
        for thread in threads { thread.join() }
        expectEqual(count.withLock { $0 }, 40_000)
    }
}
