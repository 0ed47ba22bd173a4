import TestSupport
import Testing
import WSCore

@Suite struct HeartbeatTests {
    @Test("the first heartbeat is due after one interval, and each further one an interval later")
    func schedule() {
        var heartbeat = heartbeat()
        expect(&heartbeat, at: 0, .wait(until: .seconds(10)))
        expect(&heartbeat, at: 9, .wait(until: .seconds(10)))
        expect(&heartbeat, at: 10, ping(1))
        expect(&heartbeat, at: 10, .wait(until: .seconds(20)))
        expect(&heartbeat, at: 21, seeing: observation(received: 5), ping(2))
        expect(&heartbeat, at: 21, seeing: observation(received: 5), .wait(until: .seconds(31)))
    }

    @Test("a busy connection sends heartbeats, too")
    func busy() {
        var heartbeat = heartbeat()
        for beat in 1...5 {
            expect(&heartbeat, at: 10 * beat, seeing: observation(received: 1_000 * beat), ping(beat))
        }
    }

    @Test("a silent peer is considered dead after the given number of misses", arguments: [1, 2, 3, 10])
    func loss(misses: Int) {
        var heartbeat = heartbeat(misses: misses)
        for beat in 1...misses { expect(&heartbeat, at: 10 * beat, ping(beat)) }
        expectEqual(heartbeat.missCount, misses - 1)
        expect(&heartbeat, at: 10 * misses + 9, .wait(until: .seconds(10 * misses + 10)))
        expect(&heartbeat, at: 10 * misses + 10, .peerIsLost(silentFor: .seconds(10 * misses + 10)))
    }

    @Test("silence is measured from the last byte received")
    func silence() {
        var heartbeat = heartbeat(misses: 2)
        expect(&heartbeat, at: 10, ping(1))
        expect(&heartbeat, at: 20, seeing: observation(received: 1), ping(2))
        expect(&heartbeat, at: 30, seeing: observation(received: 1), ping(3))
        expect(&heartbeat, at: 40, seeing: observation(received: 1), .peerIsLost(silentFor: .seconds(20)))
    }

    @Test("any received byte resets the misses")
    func life() {
        var heartbeat = heartbeat(misses: 2)
        for beat in 1...20 {
            // One byte in every second interval.
            expect(&heartbeat, at: 10 * beat, seeing: observation(received: beat / 2), ping(beat))
            expectEqual(heartbeat.missCount, (beat > 1 && beat % 2 == 1 ? 1 : 0))
        }
    }

    @Test("silence before the first heartbeat is not a miss")
    func before() {
        var heartbeat = heartbeat(misses: 1)
        expect(&heartbeat, at: 10, ping(1))
        expectEqual(heartbeat.missCount, 0)
    }

    @Test("silence does not count while reading is paused or in the interval in which it resumes")
    func paused() {
        var heartbeat = heartbeat(misses: 1)
        expect(&heartbeat, at: 10, seeing: observation(received: 7, isPaused: true), ping(1))
        for beat in 2...9 {
            expect(&heartbeat, at: 10 * beat, seeing: observation(received: 7, isPaused: true), ping(beat))
        }
        expect(&heartbeat, at: 100, seeing: observation(received: 7), ping(10))
        expectEqual(heartbeat.missCount, 0)
        expect(&heartbeat, at: 110, seeing: observation(received: 7), .peerIsLost(silentFor: .seconds(100)))
    }

    @Test("a silent peer that takes waiting output is alive")
    func slowReader() {
        var heartbeat = heartbeat(misses: 1)
        for beat in 1...9 {
            expect(&heartbeat, at: 10 * beat, seeing: observation(taken: 100 * beat, isWaiting: true), ping(beat))
        }
        expect(&heartbeat, at: 100, seeing: observation(taken: 1_000), ping(10))
        expect(&heartbeat, at: 110, seeing: observation(taken: 1_010), .peerIsLost(silentFor: .seconds(10)))
    }

    @Test("a peer that takes none of the waiting output is considered dead")
    func stuckReader() {
        var heartbeat = heartbeat(misses: 1)
        expect(&heartbeat, at: 10, seeing: observation(taken: 100, isWaiting: true), ping(1))
        expect(
            &heartbeat, at: 20, seeing: observation(taken: 100, isWaiting: true), .peerIsLost(silentFor: .seconds(20)))
    }

    @Test("a late step does not count as a miss, since nothing was read in the meantime")
    func stoppedProcess() {
        var heartbeat = heartbeat(misses: 1)
        expect(&heartbeat, at: 10, ping(1))
        expect(&heartbeat, at: 3_600, ping(2))
        expect(&heartbeat, at: 3_610, .peerIsLost(silentFor: .seconds(3_610)))
    }

    @Test("an application message can replace the ping")
    func message() {
        var heartbeat = Heartbeat(every: .seconds(10), maximumMisses: 2, kind: .message, startingAt: .zero)
        expect(&heartbeat, at: 10, .sendMessage)
        expect(&heartbeat, at: 20, .sendMessage)
        expect(&heartbeat, at: 30, .peerIsLost(silentFor: .seconds(30)))
    }

    @Test("RFC 6455 §5.5.3: a pong reports its own ping's round trip, even after later pings")
    func roundTrips() {
        var heartbeat = heartbeat()
        for beat in 1...3 { _ = heartbeat.step(at: .seconds(10 * beat), observation(received: beat)) }
        expectRoundTrip(&heartbeat, "heartbeat 2", at: .milliseconds(30_500), .milliseconds(10_500))
        expectRoundTrip(&heartbeat, "heartbeat 3", at: .milliseconds(30_700), .milliseconds(700))
    }

    static let foreignPongsCases: [String] = [
        "", "heartbeat", "heartbeat ", "heartbeat 2", "heartbeat 01", "heartbeat +1", "heartbeat -1",
        "heartbeat 1 ",
        "heartbeat_1", "Heartbeat 1", "1", "confirm 1", "heartbeat 18446744073709551617",
    ]

    @Test("a pong that answers none of the heartbeat's pings reports no round trip", arguments: Self.foreignPongsCases)
    func foreignPongs(payload: String) {
        var heartbeat = heartbeat()
        expect(&heartbeat, at: 10, ping(1))
        expectRoundTrip(&heartbeat, payload, at: .seconds(11), nil)
        expectRoundTrip(&heartbeat, "heartbeat 1", at: .seconds(12), .seconds(2))
        // A second pong for the same ping is ignored.
        expectRoundTrip(&heartbeat, "heartbeat 1", at: .seconds(13), nil)
    }

    @Test("RFC 6455 §5.5.3: a pong also settles all earlier pings")
    func latestOnly() {
        var heartbeat = heartbeat()
        for beat in 1...3 { _ = heartbeat.step(at: .seconds(10 * beat), observation(received: beat)) }
        expectRoundTrip(&heartbeat, "heartbeat 3", at: .seconds(31), .seconds(1))
        expectRoundTrip(&heartbeat, "heartbeat 2", at: .seconds(31), nil)
    }

    @Test("only the latest 64 unanswered pings are remembered")
    func unanswered() {
        var heartbeat = heartbeat()
        for beat in 1...100 { expect(&heartbeat, at: 10 * beat, seeing: observation(received: beat), ping(beat)) }
        expectRoundTrip(&heartbeat, "heartbeat 36", at: .seconds(1_001), nil)
        expectRoundTrip(&heartbeat, "heartbeat 37", at: .seconds(1_001), .seconds(631))
    }

    private func heartbeat(misses: Int = 3) -> Heartbeat {
        Heartbeat(every: .seconds(10), maximumMisses: misses, startingAt: .zero)
    }

    private func observation(
        received: Int = 0, taken: Int = 0, isWaiting: Bool = false, isPaused: Bool = false
    ) -> Heartbeat.Observation {
        Heartbeat.Observation(
            receivedBytes: received, takenBytes: taken, isOutputWaiting: isWaiting, isReadingPaused: isPaused)
    }

    private func ping(_ number: Int) -> Heartbeat.Step { .sendPing(Array("heartbeat \(number)".utf8)) }

    private func expect(
        _ heartbeat: inout Heartbeat, at seconds: Int, seeing seen: Heartbeat.Observation = .init(),
        _ expected: Heartbeat.Step, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let step = heartbeat.step(at: .seconds(seconds), seen)
        expectEqual(step, expected, sourceLocation: sourceLocation)
    }

    private func expectRoundTrip(
        _ heartbeat: inout Heartbeat, _ payload: String, at now: Duration, _ expected: Duration?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let payload = Array(payload.utf8)
        let roundTrip = heartbeat.pongReceived(payload.span.bytes, at: now)
        expectEqual(roundTrip, expected, sourceLocation: sourceLocation)
    }
}
