import Testing

@testable import Connect

@Suite struct InactivityWaitTests {
    private static let still = InactivityWait.Activity(receivedBytes: 0, isInMessage: false, isHeldUp: false)

    /// Expects the remaining wait at a time.
    private func expect(
        _ expected: Duration, of wait: inout InactivityWait, at time: Duration,
        _ activity: InactivityWait.Activity = still, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let remaining = wait.remaining(at: time, activity)
        #expect(remaining == expected, sourceLocation: sourceLocation)
    }

    @Test("A total wait ends on time, however many messages arrive")
    func total() {
        var wait = InactivityWait(.seconds(30), restartsOnArrival: false, at: .seconds(100))
        for second in 101...129 {
            wait.messageArrived(at: .seconds(second))
            expect(.seconds(130 - second), of: &wait, at: .seconds(second))
        }
        expect(.zero, of: &wait, at: .seconds(130))
        expect(.zero, of: &wait, at: .seconds(131))
    }

    @Test("Each message restarts an idle wait")
    func idle() {
        var wait = InactivityWait(.seconds(1), restartsOnArrival: true, at: .seconds(0))
        expect(.milliseconds(600), of: &wait, at: .milliseconds(400))
        wait.messageArrived(at: .milliseconds(900))
        expect(.milliseconds(900), of: &wait, at: .milliseconds(1000))
        expect(.zero, of: &wait, at: .milliseconds(1900))
    }

    @Test("A wait that a reply to each message has shortened says so, and any other does not")
    func shortened() {
        var wait = InactivityWait(.seconds(1), restartsOnArrival: true, at: .zero)
        expect(.zero, of: &wait, at: .milliseconds(100), Self.answered(.milliseconds(2)))
        #expect(wait.quietPeriod == .milliseconds(100))
        expect(.milliseconds(900), of: &wait, at: .milliseconds(100), Self.answered(.milliseconds(700)))
        #expect(wait.quietPeriod == nil)
        expect(.zero, of: &wait, at: .seconds(1))
        #expect(wait.quietPeriod == nil)
    }

    @Test("A message in progress extends an idle wait while it grows, but never a total wait")
    func progress() {
        for restarts in [true, false] {
            var wait = InactivityWait(.seconds(1), restartsOnArrival: restarts, at: .zero)
            func activity(_ bytes: Int) -> InactivityWait.Activity {
                InactivityWait.Activity(receivedBytes: bytes, isInMessage: true, isHeldUp: false)
            }
            expect(restarts ? .seconds(1) : .milliseconds(100), of: &wait, at: .milliseconds(900), activity(100))
            expect(restarts ? .seconds(1) : .zero, of: &wait, at: .milliseconds(1800), activity(200))
            // No further byte: the message is stalled.
            expect(.zero, of: &wait, at: .milliseconds(2800), activity(200))
        }
    }

    private static func answered(
        _ roundTrip: Duration, receivedBytes: Int = 0, isInMessage: Bool = false
    ) -> InactivityWait.Activity {
        InactivityWait.Activity(
            receivedBytes: receivedBytes, isInMessage: isInMessage, isHeldUp: false, answeredRoundTrip: roundTrip)
    }

    @Test("A reply to each message shortens the wait to 100 ms")
    func answered() {
        var wait = InactivityWait(.seconds(1), restartsOnArrival: true, at: .zero)
        expect(.milliseconds(990), of: &wait, at: .milliseconds(10))
        wait.messageArrived(at: .milliseconds(20))
        expect(.milliseconds(90), of: &wait, at: .milliseconds(30), Self.answered(.milliseconds(1)))
        expect(.zero, of: &wait, at: .milliseconds(120), Self.answered(.milliseconds(1)))
    }

    @Test("A reply that takes 700 ms still arrives, and shortens the rest of the wait")
    func slowReply() {
        var wait = InactivityWait(.seconds(1), restartsOnArrival: true, at: .zero)
        expect(.milliseconds(300), of: &wait, at: .milliseconds(700))
        wait.messageArrived(at: .milliseconds(700))
        expect(.milliseconds(100), of: &wait, at: .milliseconds(700), Self.answered(.milliseconds(50)))
    }

    @Test("Without a reply to each message, the wait has its whole length again after each message")
    func unanswered() {
        var wait = InactivityWait(.seconds(1), restartsOnArrival: true, at: .zero)
        wait.messageArrived(at: .milliseconds(20))
        expect(.milliseconds(920), of: &wait, at: .milliseconds(100))
    }

    @Test("Two round trips extend the short wait, at most to the long one")
    func distantPeer() {
        var wait = InactivityWait(.seconds(1), restartsOnArrival: true, at: .zero)
        expect(.milliseconds(400), of: &wait, at: .zero, Self.answered(.milliseconds(200)))
        expect(.seconds(1), of: &wait, at: .zero, Self.answered(.milliseconds(800)))
    }

    @Test("A message in progress prevents the short wait")
    func answeredInProgress() {
        var wait = InactivityWait(.seconds(1), restartsOnArrival: true, at: .zero)
        expect(
            .seconds(1), of: &wait, at: .milliseconds(500),
            Self.answered(.zero, receivedBytes: 5, isInMessage: true))
        // The message is stalled.
        expect(
            .milliseconds(600), of: &wait, at: .milliseconds(900),
            Self.answered(.zero, receivedBytes: 5, isInMessage: true))
    }

    @Test("Data waiting to be written or read locally extends either wait", arguments: [true, false])
    func heldUp(restarts: Bool) {
        var wait = InactivityWait(.seconds(1), restartsOnArrival: restarts, at: .zero)
        let busy = InactivityWait.Activity(receivedBytes: 0, isInMessage: false, isHeldUp: true)
        expect(.seconds(1), of: &wait, at: .seconds(5), busy)
        expect(.zero, of: &wait, at: .seconds(6))
    }
}
