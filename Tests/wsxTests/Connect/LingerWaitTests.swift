import Testing

@testable import wsx

@Suite struct LingerWaitTests {
    private static let still = LingerWait.Activity(receivedBytes: 0, isInMessage: false, isHeldUp: false)

    @Test("a total wait ends on time, however many messages arrive")
    func total() {
        var wait = LingerWait(.seconds(30), restartsOnArrival: false, at: .seconds(100))
        for second in 101...129 {
            wait.messageArrived(at: .seconds(second))
            #expect(wait.remaining(at: .seconds(second), Self.still) == .seconds(130 - second))
        }
        #expect(wait.remaining(at: .seconds(130), Self.still) == .zero)
        #expect(wait.remaining(at: .seconds(131), Self.still) == .zero)
    }

    @Test("an idle wait begins anew with each message")
    func idle() {
        var wait = LingerWait(.seconds(1), restartsOnArrival: true, at: .seconds(0))
        #expect(wait.remaining(at: .milliseconds(400), Self.still) == .milliseconds(600))
        wait.messageArrived(at: .milliseconds(900))
        #expect(wait.remaining(at: .milliseconds(1000), Self.still) == .milliseconds(900))
        #expect(wait.remaining(at: .milliseconds(1900), Self.still) == .zero)
    }

    @Test("a message in progress extends an idle wait while it grows, and a total wait never")
    func progress() {
        for restarts in [true, false] {
            var wait = LingerWait(.seconds(1), restartsOnArrival: restarts, at: .zero)
            func remaining(_ bytes: Int, at time: Duration) -> Duration {
                wait.remaining(
                    at: time, LingerWait.Activity(receivedBytes: bytes, isInMessage: true, isHeldUp: false))
            }
            #expect(remaining(100, at: .milliseconds(900)) == (restarts ? .seconds(1) : .milliseconds(100)))
            #expect(remaining(200, at: .milliseconds(1800)) == (restarts ? .seconds(1) : .zero))
            // No byte more: the message stands still.
            #expect(remaining(200, at: .milliseconds(2800)) == .zero)
        }
    }

    @Test("what waits to be written or read here extends either wait", arguments: [true, false])
    func heldUp(restarts: Bool) {
        var wait = LingerWait(.seconds(1), restartsOnArrival: restarts, at: .zero)
        let busy = LingerWait.Activity(receivedBytes: 0, isInMessage: false, isHeldUp: true)
        #expect(wait.remaining(at: .seconds(5), busy) == .seconds(1))
        #expect(wait.remaining(at: .seconds(6), Self.still) == .zero)
    }
}
