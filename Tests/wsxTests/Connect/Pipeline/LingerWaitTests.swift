import Testing

@testable import wsx

@Suite struct LingerWaitTests {
    private static let still = LingerWait.Activity(receivedBytes: 0, isInMessage: false, isHeldUp: false)

    /// Expects the remaining wait at a time.
    private func expect(
        _ expected: Duration, of wait: inout LingerWait, at time: Duration,
        _ activity: LingerWait.Activity = still, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let remaining = wait.remaining(at: time, activity)
        #expect(remaining == expected, sourceLocation: sourceLocation)
    }

    @Test("A total wait ends on time, however many messages arrive")
    func total() {
        var wait = LingerWait(.seconds(30), restartsOnArrival: false, at: .seconds(100))
        for second in 101...129 {
            wait.messageArrived(at: .seconds(second))
            expect(.seconds(130 - second), of: &wait, at: .seconds(second))
        }
        expect(.zero, of: &wait, at: .seconds(130))
        expect(.zero, of: &wait, at: .seconds(131))
    }

    @Test("Each message restarts an idle wait")
    func idle() {
        var wait = LingerWait(.seconds(1), restartsOnArrival: true, at: .seconds(0))
        expect(.milliseconds(600), of: &wait, at: .milliseconds(400))
        wait.messageArrived(at: .milliseconds(900))
        expect(.milliseconds(900), of: &wait, at: .milliseconds(1000))
        expect(.zero, of: &wait, at: .milliseconds(1900))
    }

    @Test("A message in progress extends an idle wait while it grows, but never a total wait")
    func progress() {
        for restarts in [true, false] {
            var wait = LingerWait(.seconds(1), restartsOnArrival: restarts, at: .zero)
            func activity(_ bytes: Int) -> LingerWait.Activity {
                LingerWait.Activity(receivedBytes: bytes, isInMessage: true, isHeldUp: false)
            }
            expect(restarts ? .seconds(1) : .milliseconds(100), of: &wait, at: .milliseconds(900), activity(100))
            expect(restarts ? .seconds(1) : .zero, of: &wait, at: .milliseconds(1800), activity(200))
            // No further byte: the message is stalled.
            expect(.zero, of: &wait, at: .milliseconds(2800), activity(200))
        }
    }

    @Test("Data waiting to be written or read locally extends either wait", arguments: [true, false])
    func heldUp(restarts: Bool) {
        var wait = LingerWait(.seconds(1), restartsOnArrival: restarts, at: .zero)
        let busy = LingerWait.Activity(receivedBytes: 0, isInMessage: false, isHeldUp: true)
        expect(.seconds(1), of: &wait, at: .seconds(5), busy)
        expect(.zero, of: &wait, at: .seconds(6))
    }
}
