import Testing

@testable import Peer

@Suite("Schedule of the input")
struct InputPacerTests {
    /// The times at which messages go, in milliseconds, if timers are late by these times.
    private static func times(lateness: [Int]) -> [Int] {
        let pacer = InputPacer(every: .milliseconds(20))
        pacer.resume(at: .milliseconds(1000))
        return lateness.map { late in
            let now = pacer.dueTime + .milliseconds(late)
            pacer.sent(at: now)
            return Int(now / .milliseconds(1)) - 1000
        }
    }

    @Test("Delays of timers do not add up")
    func noDrift() {
        #expect(Self.times(lateness: [0, 0, 3, 0, 19, 0]) == [0, 20, 43, 60, 99, 100])
    }

    @Test("What was missed is not sent in a burst")
    func noBurst() {
        #expect(Self.times(lateness: [0, 20, 0, 500, 0]) == [0, 40, 60, 580, 600])
    }

    @Test("A pause restarts the schedule, unless it ends before a message is due")
    func pause() {
        let pacer = InputPacer(every: .milliseconds(20))
        pacer.resume(at: .milliseconds(5))
        pacer.sent(at: .milliseconds(5))
        pacer.resume(at: .milliseconds(10))
        #expect(pacer.dueTime == .milliseconds(25))
        pacer.resume(at: .milliseconds(35))
        #expect(pacer.dueTime == .milliseconds(35))
        pacer.sent(at: .milliseconds(36))
        #expect(pacer.dueTime == .milliseconds(55))
    }
}
