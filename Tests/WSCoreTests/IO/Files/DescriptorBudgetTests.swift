import TestSupport
import Testing

@testable import WSCore

@Suite struct DescriptorBudgetTests {
    @Test("client streams get the descriptors left by the reserve, the threads, and per-client files")
    func streams() {
        let budget = DescriptorBudget(total: 1024)
        expectEqual(budget.streams(), 992)
        expectEqual(budget.streams(besides: 300), 692)
        expectEqual(budget.streams(onEachOf: 4), 242)
        expectEqual(DescriptorBudget(total: 20).streams(), 1)
    }

    @Test("clients that need several descriptors leave room to refuse one more client")
    func clients() {
        for total in [64, 256, 1024, 1 << 20] {
            let budget = DescriptorBudget(total: total)
            let clients = budget.clients(with: 4)
            #expect(budget.streams(besides: clients * 3) > clients, "of \(total)")
        }
        expectEqual(DescriptorBudget(total: 64).clients(with: 4), 4)
        expectEqual(DescriptorBudget(total: 20).clients(with: 4), 1)
    }
}
