import Testing

@testable import WSCore

@Suite struct DescriptorBudgetTests {
    @Test("client streams get the descriptors left by the reserve, the threads, and per-client files")
    func streams() {
        let budget = DescriptorBudget(total: 1024)
        #expect(budget.streams() == 992)
        #expect(budget.streams(besides: 300) == 692)
        #expect(budget.streams(onEachOf: 4) == 242)
        #expect(DescriptorBudget(total: 20).streams() == 1)
    }

    @Test("clients that need several descriptors leave room to refuse one more client")
    func clients() {
        for total in [64, 256, 1024, 1 << 20] {
            let budget = DescriptorBudget(total: total)
            let clients = budget.clients(with: 4)
            #expect(budget.streams(besides: clients * 3) > clients, "of \(total)")
        }
        #expect(DescriptorBudget(total: 64).clients(with: 4) == 4)
        #expect(DescriptorBudget(total: 20).clients(with: 4) == 1)
    }
}
