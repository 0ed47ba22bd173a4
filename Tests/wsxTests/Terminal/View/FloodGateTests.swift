import Testing

@testable import UserInterface

@Suite struct FloodGateTests {
    @Test("Up to the limit, all messages of a second are shown")
    func calm() {
        var gate = FloodGate()
        for second in 0..<5 {
            for index in 0..<FloodGate.limit {
                let isShown = gate.admits(at: .seconds(second) + .milliseconds(index))
                #expect(isShown)
            }
        }
        #expect(gate.hiddenCount == 0)
    }

    @Test("Beyond the limit, messages are counted; while the flood lasts, samples are shown")
    func flood() {
        var gate = FloodGate()
        var shown = 0
        for _ in 0..<1000 { if gate.admits(at: .zero) { shown += 1 } }
        #expect(shown == FloodGate.limit)
        #expect(gate.intervalEnd == .seconds(1))
        let (first, length) = gate.endInterval(at: .seconds(1))
        #expect(first == 1000 - FloodGate.limit && length == .seconds(1))
        #expect(gate.continues)
        shown = 0
        for index in 0..<1000 { if gate.admits(at: .milliseconds(1000 + index)) { shown += 1 } }
        #expect(shown == FloodGate.sampleCount)
        let (second, _) = gate.endInterval(at: .seconds(2))
        #expect(second == 1000 - FloodGate.sampleCount)
    }

    @Test("The samples of a flood are spread over the second, not its first messages")
    func samples() {
        var gate = FloodGate()
        for _ in 0..<1000 { _ = gate.admits(at: .zero) }
        _ = gate.endInterval(at: .seconds(1))
        var shown: [Int] = []
        for index in 0..<2000 where gate.admits(at: .seconds(1) + .microseconds(500 * index)) { shown.append(index) }
        #expect(shown == Array(stride(from: 0, to: 2000, by: 200)))
        // Many messages at once are one sample, even if the end of the interval is late.
        _ = gate.endInterval(at: .seconds(2))
        var count = 0
        for _ in 0..<1000 { if gate.admits(at: .milliseconds(3500)) { count += 1 } }
        #expect(count == 1)
    }

    @Test("A flood ends with an interval that has few messages")
    func end() {
        var gate = FloodGate()
        for _ in 0..<1000 { _ = gate.admits(at: .zero) }
        _ = gate.endInterval(at: .seconds(1))
        for _ in 0..<20 { _ = gate.admits(at: .milliseconds(1100)) }
        let (hidden, _) = gate.endInterval(at: .seconds(2))
        #expect(hidden == 19)
        #expect(!gate.continues)
        for _ in 0..<FloodGate.limit {
            let isShown = gate.admits(at: .milliseconds(2100))
            #expect(isShown)
        }
    }
}
