import Testing

@testable import WSCore

@Suite struct DescriptorBudgetTests {
    @Test("streams have what the reserve, the threads and all that is opened for clients leave")
    func streams() {
        let budget = DescriptorBudget(total: 1024)
        #expect(budget.streams() == 992)
        #expect(budget.streams(besides: 300) == 692)
        #expect(budget.streams(onEachOf: 4) == 242)
        #expect(DescriptorBudget(total: 20).streams() == 1)
    }

    @Test("clients that need several descriptors leave room for one who is told that there are too many of them")
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
