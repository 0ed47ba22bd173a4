import Testing
import WSCore

@testable import wsx

@Suite struct LingerTimerTests {
    private static let still = LingerTimer.Activity(receivedBytes: 0, isInMessage: false, isHeldUp: false)

    /// Waits while messages arrive, and returns how many did before the wait was over.
    private func messagesBeforeEnd(restartsOnArrival: Bool) throws -> Int {
        var (count, isOver) = (0, false)
        try withIdleLoop { loop in
            let linger = LingerTimer(.milliseconds(60), restartsOnArrival: restartsOnArrival, on: loop) {
                Self.still
            } action: {
                isOver = true
            }
            let messages = Timer(on: loop) {
                count += 1
                linger.messageArrived()
                // The last one of a peer that falls silent.
                if count == 30 { loop.stop() }
            }
            messages.start(after: .milliseconds(10), every: .milliseconds(10))
            let end = Timer(on: loop) { if isOver { loop.stop() } }
            end.start(after: .milliseconds(1), every: .milliseconds(1))
            loop.run()
        }
        return count
    }

    @Test("a total wait ends while messages still arrive")
    func total() throws {
        #expect(try messagesBeforeEnd(restartsOnArrival: false) < 30)
    }

    @Test("a wait is extended while the connection moves, and ends when it stands still")
    func activity() throws {
        try withIdleLoop { loop in
            var looks = 0
            var isOver = false
            let linger = LingerTimer(.milliseconds(2), restartsOnArrival: true, on: loop) {
                looks += 1
                // A message arrives in pieces, then input waits to be written, then nothing happens.
                return LingerTimer.Activity(
                    receivedBytes: min(looks, 3) * 100, isInMessage: looks < 6, isHeldUp: looks == 5)
            } action: {
                isOver = true
                loop.stop()
            }
            loop.run()
            #expect(isOver)
            // Looks 1 to 3 see it move, 4 does not.
            #expect(looks == 4)
            withExtendedLifetime(linger) {}
        }
    }
}
