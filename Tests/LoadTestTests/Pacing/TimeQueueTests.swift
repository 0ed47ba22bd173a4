import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct TimeQueueTests {
    @Test(
        "Items are taken in the order of their times, and only when they have come", arguments: 0..<20 as Range<UInt64>)
    func order(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var queue = TimeQueue<Int>()
        let times = (0..<Int.random(in: 0..<40, using: &random)).map { _ in UInt64.random(in: 0..<20, using: &random) }
        for (number, time) in times.enumerated() { queue.add(number, at: time) }
        expectEqual(queue.earliest, times.min())
        var taken: [UInt64] = []
        for now in 0..<20 as Range<UInt64> {
            while let entry = queue.takeDue(by: now) {
                #expect(entry.time == now && times[entry.item] == now)
                taken.append(entry.time)
            }
        }
        expectEqual(taken, times.sorted())
        expectNil(queue.earliest)
    }
}
