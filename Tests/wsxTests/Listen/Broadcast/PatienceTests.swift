import Testing

@testable import wsx

@Suite struct PatienceTests {
    @Test("A series of slow clients delays the others hardly longer than the first one")
    func halved() {
        var patience = Patience()
        var total = Duration.zero
        for second in 1...8 {
            let now = Duration.seconds(second)
            patience.recover(at: now)
            total += patience.duration
            patience.lose(at: now)
        }
        #expect(total == .milliseconds(1000 + 500 + 250 + 125) + .microseconds(62_500) + .milliseconds(3 * 50))
        #expect(patience.duration == Patience.least)
    }

    @Test("The limit is restored after ten seconds without a loss, and not earlier")
    func recovery() {
        var patience = Patience()
        patience.lose(at: .seconds(5))
        patience.recover(at: .seconds(15) - .milliseconds(1))
        #expect(patience.duration == .milliseconds(500))
        patience.recover(at: .seconds(15))
        #expect(patience.duration == Patience.full)
    }
}
