import Testing

@testable import Connect

@Suite struct ReplyCountTests {
    private var count = ReplyCount()

    private mutating func pong(
        _ payload: [UInt8] = ReplyCount.payload, at time: Duration, receivedCount: Int
    ) -> Duration? {
        count.pongReceived(payload.span.bytes, at: time, receivedCount: receivedCount)
    }

    @Test("Each message has a reply if as many arrive after the pong as were sent after the ping")
    mutating func replies() {
        #expect(count.needsPing)
        count.pingSent(at: .seconds(1), sentCount: 0, receivedCount: 0)
        #expect(!count.needsPing)
        let roundTrip = pong(at: .milliseconds(1030), receivedCount: 0)
        #expect(roundTrip == .milliseconds(30))
        #expect(count.roundTrip == .milliseconds(30))
        #expect(count.answeredRoundTrip(sentCount: 2, receivedCount: 1) == nil)
        #expect(count.answeredRoundTrip(sentCount: 2, receivedCount: 2) == .milliseconds(30))
    }

    @Test("A greeting is no reply: it arrives before the pong")
    mutating func greeting() {
        count.pingSent(at: .zero, sentCount: 0, receivedCount: 0)
        _ = pong(at: .zero, receivedCount: 1)
        #expect(count.answeredRoundTrip(sentCount: 1, receivedCount: 1) == nil)
        #expect(count.answeredRoundTrip(sentCount: 1, receivedCount: 2) == .zero)
    }

    @Test("More messages than were sent are not replies to each message: the server sends on its own")
    mutating func feed() {
        count.pingSent(at: .zero, sentCount: 0, receivedCount: 0)
        _ = pong(at: .zero, receivedCount: 0)
        #expect(count.answeredRoundTrip(sentCount: 1, receivedCount: 2) == nil)
    }

    @Test("Without messages after the ping, nothing is answered")
    mutating func nothingSent() {
        count.pingSent(at: .zero, sentCount: 3, receivedCount: 0)
        _ = pong(at: .zero, receivedCount: 3)
        #expect(count.answeredRoundTrip(sentCount: 3, receivedCount: 3) == nil)
    }

    @Test("Only the first pong with the payload of the ping counts")
    mutating func otherPongs() {
        let unasked = pong(at: .zero, receivedCount: 0)
        count.pingSent(at: .zero, sentCount: 0, receivedCount: 0)
        let other = pong([1], at: .seconds(1), receivedCount: 0)
        #expect(unasked == nil && other == nil && count.roundTrip == nil)
        let first = pong(at: .seconds(2), receivedCount: 0)
        let second = pong(at: .seconds(3), receivedCount: 1)
        #expect(first == .seconds(2) && second == nil)
        #expect(count.answeredRoundTrip(sentCount: 1, receivedCount: 1) == .seconds(2))
    }

    @Test("Replies are missing if fewer have arrived since the ping than messages were sent, also without a pong")
    mutating func missing() {
        #expect(count.missingReplies(sentCount: 1, receivedCount: 0) == nil)
        count.pingSent(at: .zero, sentCount: 1, receivedCount: 4)
        #expect(count.missingReplies(sentCount: 2, receivedCount: 4)?.words == "0 replies to 1 message")
        #expect(count.missingReplies(sentCount: 2, receivedCount: 5) == nil)
        _ = pong(at: .zero, receivedCount: 5)
        #expect(count.missingReplies(sentCount: 4, receivedCount: 6)?.words == "1 reply to 3 messages")
    }

    @Test("Messages are held until they are released, within a limit")
    mutating func holding() {
        let payload = [UInt8](repeating: 0, count: ReplyCount.holdLimitBytes / 2)
        for isFull in [false, true] {
            count.hold(ReplyCount.Held(payload: payload, kind: .text, decoding: nil, mayBeReply: true, time: .zero))
            #expect(count.isHoldFull == isFull)
        }
        #expect(count.release().count == 2 && count.release().isEmpty && !count.isHoldFull)
    }
}
