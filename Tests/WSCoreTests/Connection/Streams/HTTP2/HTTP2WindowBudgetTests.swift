import TestSupport
import Testing

@testable import WSCore

@Suite struct HTTP2WindowBudgetTests {
    @Test("A window takes at most a quarter of what is left, and gives it back") func quarter() {
        let budget = HTTP2WindowBudget(byteCount: 64)
        #expect(!budget.take(17) && budget.take(16) && budget.freeBytes == 48)
        #expect(!budget.take(13) && budget.take(12) && budget.freeBytes == 36)
        budget.release(28)
        expectEqual(budget.freeBytes, 64)
    }
}
