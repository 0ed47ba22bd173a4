import CAllocationCounter
import Conversation
import TestSupport
import Testing
import WSCore

@Suite struct LineQueueTests {
    @Test("messages not covered by a pong are sent again in order and unchanged")
    func order() {
        let messages = Fixture(isConnected: true)
        messages.record("one")
        messages.record("", as: .binary)
        let ping = messages.makePing()
        messages.record("three", as: .binary)
        messages.record("four")
        expectEqual(messages.count, 4)
        expectEqual(messages.take(pong: ping), 2)
        expectEqual(messages.count, 2)
        messages.store.connectionEnded()
        expectEqual(messages.sendAgain(), [.binary("three"), .text("four")])
        // They are kept until a pong on the new connection covers them.
        messages.store.connectionEnded()
        expectEqual(messages.sendAgain(), [.binary("three"), .text("four")])
    }

    @Test("a pong also confirms the messages of earlier pings")
    func laterPong() {
        let messages = Fixture(isConnected: true)
        var pings: [[UInt8]] = []
        for text in ["one", "two", "three"] {
            messages.record(text)
            pings.append(messages.makePing())
        }
        expectEqual(Set(pings).count, 3)
        expectEqual(messages.take(pong: pings[1]), 2)
        expectEqual(messages.take(pong: pings[0]), 0)
        messages.store.connectionEnded()
        expectEqual(messages.sendAgain(), [.text("three")])
    }

    static let foreignPongsCases: [String] = [
        "", "confirm", "confirm 0", "confirm 2", "confirm 01", "confirm +1", "heartbeat 1", "\u{0}",
    ]

    @Test("a pong that answers none of our pings confirms nothing", arguments: Self.foreignPongsCases)
    func foreignPongs(payload: String) {
        let messages = Fixture(isConnected: true)
        messages.record("one")
        let ping = messages.makePing()
        expectEqual(ping, Array("confirm 1".utf8))
        expectEqual(messages.take(pong: Array(payload.utf8)), 0)
        expectEqual(messages.count, 1)
    }

    @Test("a pong from a lost connection confirms nothing on the next")
    func pongOfLostConnection() {
        let messages = Fixture(isConnected: true)
        messages.record("one")
        let lost = messages.makePing()
        messages.store.connectionEnded()
        expectEqual(messages.sendAgain(), [.text("one")])
        expectEqual(messages.take(pong: lost), 0)
        let ping = messages.makePing()
        expectNotEqual(ping, lost)
        expectEqual(messages.take(pong: ping), 1)
        expectTrue(messages.isEmpty)
    }

    @Test("the answer to our close frame confirms all messages")
    func close() {
        let messages = Fixture(isConnected: true)
        messages.record("one")
        _ = messages.makePing()
        messages.record("two")
        expectEqual(messages.closeConfirmed(), 2)
        #expect(messages.isEmpty && messages.byteCount == 0 && messages.pingDueTime == nil)
        expectEqual(messages.sendAgain(), [])
    }

    @Test("messages recorded without a connection wait for one, and no ping is due")
    func disconnected() {
        let messages = Fixture()
        messages.record("early", isSent: false, at: .seconds(1))
        messages.store.inputEnded()
        #expect(messages.pingDueTime == nil && !messages.needsPing(at: .seconds(100)))
        expectEqual(messages.sendAgain(at: .seconds(7)), [.text("early")])
        expectEqual(messages.pingDueTime, .seconds(7))
        messages.store.connectionEnded()
        messages.record("late", isSent: false, at: .seconds(8))
        expectNil(messages.pingDueTime)
        expectEqual(messages.sendAgain(at: .seconds(9)), [.text("early"), .text("late")])
    }

    @Test("messages that were never sent are counted apart, and no answer confirms them")
    func waiting() {
        let messages = Fixture(isConnected: true)
        messages.record("sent")
        messages.record("kept", isSent: false)
        #expect(messages.count == 2 && messages.waitingCount == 1)
        let ping = messages.makePing()
        expectEqual(messages.take(pong: ping), 1)
        expectEqual(messages.closeConfirmed(), 0)
        #expect(messages.count == 1 && messages.waitingCount == 1)
        messages.store.connectionEnded()
        expectEqual(messages.sendAgain(), [.text("kept")])
        #expect(messages.count == 1 && messages.waitingCount == 0)
        expectEqual(messages.closeConfirmed(), 1)
    }

    @Test("messages that the caller cannot send yet keep their place on the next connection")
    func partlySent() {
        let messages = Fixture(isConnected: true)
        for text in ["a", "b", "c"] { messages.record(text) }
        messages.store.connectionEnded()
        #expect(messages.waitingCount == 0 && messages.hasWaiting)
        messages.store.connectionOpened(at: .zero)
        expectEqual(messages.sendWaiting(atMost: 1), [.text("a")])
        messages.record("d", isSent: false)
        let ping = messages.makePing()
        expectEqual(messages.take(pong: ping), 1)
        #expect(messages.count == 3 && messages.waitingCount == 1)
        expectEqual(messages.sendWaiting(atMost: 1), [.text("b")])
        messages.store.connectionEnded()
        expectEqual(messages.sendAgain(), [.text("b"), .text("c"), .text("d")])
        expectFalse(messages.hasWaiting)
    }

    @Test("lines that waited for a subscription come back between those that were sent and those that wait")
    func returnedLines() {
        let messages = Fixture(isConnected: true)
        messages.record("sent")
        messages.record("waiting", isSent: false)
        for (number, (text, past)) in [("repeated", Line.Past.sent), ("held", .new)].enumerated() {
            messages.store.sent(
                Line(Array(text.utf8), as: .text, past: past), LineReceipt(heldNumber: number), at: .zero)
        }
        messages.store.connectionEnded()
        #expect(messages.count == 4 && messages.waitingCount == 2)
        expectEqual(messages.sendAgain(), [.text("sent"), .text("repeated"), .text("held"), .text("waiting")])
        expectEqual(messages.waitingCount, 0)
    }

    @Test("a ping is due 500 ms after the first uncovered message")
    func cadence() {
        let messages = Fixture(isConnected: true)
        expectNil(messages.pingDueTime)
        messages.record("one", at: .milliseconds(1_000))
        messages.record("two", at: .milliseconds(1_400))
        expectEqual(messages.pingDueTime, .milliseconds(1_500))
        expectFalse(messages.needsPing(at: .milliseconds(1_499)))
        expectTrue(messages.needsPing(at: .milliseconds(1_500)))
        let ping = messages.makePing()
        expectNil(messages.pingDueTime)
        messages.record("three", at: .milliseconds(1_600))
        expectEqual(messages.pingDueTime, .milliseconds(2_100))
        // The earlier ping's pong does not cover it.
        messages.take(pong: ping)
        expectEqual(messages.pingDueTime, .milliseconds(2_100))
    }

    @Test("messages sent again need a ping 500 ms later")
    func cadenceAfterLoss() {
        let messages = Fixture(isConnected: true)
        messages.record("one", at: .seconds(1))
        _ = messages.makePing()
        messages.store.connectionEnded()
        _ = messages.sendAgain(at: .seconds(20))
        expectEqual(messages.pingDueTime, .milliseconds(20_500))
    }

    @Test("a ping is due immediately when the input ends with uncovered messages")
    func inputEnd() {
        let messages = Fixture(isConnected: true)
        messages.record("one", at: .seconds(1))
        _ = messages.makePing()
        messages.store.inputEnded()
        expectNil(messages.pingDueTime)
        messages.store.connectionEnded()
        _ = messages.sendAgain(at: .seconds(5))
        expectTrue(messages.needsPing(at: .seconds(5)))
    }

    @Test("a ping is due immediately at half of the limit, and the input pauses at the limit")
    func bound() {
        let messages = Fixture(isConnected: true)
        let quarter = [UInt8](repeating: 0x61, count: LineQueue.limitBytes / 4)
        messages.store.sent(quarter.span.bytes, as: .text, at: .zero)
        expectFalse(messages.needsPing(at: .zero))
        messages.store.sent(quarter.span.bytes, as: .text, at: .zero)
        expectTrue(messages.needsPing(at: .zero))
        let ping = messages.makePing()
        messages.store.sent(quarter.span.bytes, as: .text, at: .zero)
        // Messages covered by the first ping do not count toward the half.
        #expect(!messages.needsPing(at: .zero) && !messages.isFull)
        messages.store.sent(quarter.span.bytes, as: .text, at: .zero)
        #expect(messages.needsPing(at: .zero) && messages.isFull)
        messages.take(pong: ping)
        expectFalse(messages.isFull)
        #expect(messages.byteCount < LineQueue.limitBytes / 2 + 100)
    }

    @Test("a message larger than the limit is accepted and sent again completely")
    func largeMessage() {
        let messages = Fixture(isConnected: true)
        let large = [UInt8](repeating: 0x7A, count: LineQueue.limitBytes + 1)
        messages.store.sent(large.span.bytes, as: .binary, at: .zero)
        #expect(messages.isFull && messages.needsPing(at: .zero))
        messages.store.connectionEnded()
        let waiting = messages.store.next(at: .zero)
        expectEqual(waiting?.payload.count, large.count)
    }

    @Test("empty messages count toward the limit, too")
    func emptyMessages() {
        let messages = Fixture(isConnected: true)
        for _ in 0..<1_000 { messages.record("") }
        #expect(messages.byteCount >= 1_000)
    }

    @Test("10,000 numbered lines arrive in order and without gaps over 50 lost connections")
    func restarts() {
        var random = SeededRandom(seed: 7)
        let messages = Fixture()
        var peer = Peer()
        messages.store.connectionOpened(at: .zero)
        for number in 1...10_000 {
            messages.record("line \(number)")
            peer.sent("line \(number)")
            if random.next() % 20 == 0 { peer.sent(ping: messages.makePing()) }
            if let pong = peer.readSome(random.next()) { messages.take(pong: pong) }
            guard number % 200 == 0 else { continue }
            messages.store.connectionEnded(isInterruption: false)
            peer = Peer(lines: peer.lines)
            for case .text(let line) in messages.sendAgain() { peer.sent(line) }
        }
        peer.readAll()
        // Each new line directly follows the previous one, regardless of repetitions.
        var last = 0
        for line in peer.lines {
            let number = Int(line.dropFirst(5)) ?? 0
            #expect(1...(last + 1) ~= number)
            last = max(last, number)
        }
        expectEqual(last, 10_000)
        #expect(peer.lines.count > 10_000)
    }

    // MARK: Replies and acknowledgements

    @Test("A line whose reply has arrived is not sent again, although no pong has")
    func repliedLine() {
        let messages = Fixture(isConnected: true)
        messages.record("a", by: .acknowledgement("1"))
        messages.record("b", by: .acknowledgement("2"))
        messages.record("c")
        expectEqual(messages.acknowledge("2"), 1)
        #expect(messages.acknowledge("2") == 0 && messages.acknowledge("3") == 0)
        messages.store.connectionEnded()
        expectEqual(messages.sendAgain(), [.text("a"), .text("c")])
    }

    @Test("A line that awaits a reply is sent again without it, whatever pongs have covered")
    func awaitedReply() {
        let messages = Fixture(isConnected: true)
        messages.record("awaited", by: .acknowledgement("1"))
        messages.record("optional", by: .acknowledgementOrPong("2"))
        expectFalse(messages.isRead)
        expectEqual(messages.take(pong: messages.makePing()), 1)
        #expect(messages.isRead && messages.count == 1)
        expectEqual(messages.acknowledge("2"), 0)
        messages.store.connectionEnded()
        expectEqual(messages.sendAgain(), [.text("awaited")])
        // The key was that of the lost connection.
        expectEqual(messages.acknowledge("1"), 0)
    }

    @Test("A line that the session renews is not sent again")
    func renewedLine() {
        let messages = Fixture(isConnected: true)
        messages.record("subscribe", by: .renewal)
        expectTrue(messages.isEmpty)
        messages.store.connectionEnded()
        expectEqual(messages.sendAgain(), [])
    }

    @Test("Of two lines with the same key, the first is confirmed first")
    func equalKeys() {
        let messages = Fixture(isConnected: true)
        messages.record("a", by: .acknowledgement("1"))
        messages.record("b", by: .acknowledgement("1"))
        expectEqual(messages.acknowledge("1"), 1)
        messages.store.connectionEnded()
        expectEqual(messages.sendAgain(), [.text("b")])
    }

    @Test("The answer to our close frame confirms lines that await replies, too")
    func closeWithAwaitedReply() {
        let messages = Fixture(isConnected: true)
        messages.record("a", by: .acknowledgement("1"))
        expectEqual(messages.closeConfirmed(), 1)
        #expect(messages.hasConfirmed && messages.byteCount == 0)
    }

    @Test("Lines that await replies count toward the limit until they arrive")
    func boundOfAwaitedReplies() {
        let messages = Fixture(isConnected: true)
        let half = String(repeating: "x", count: LineQueue.limitBytes / 2)
        messages.record(half, by: .acknowledgement("1"))
        expectTrue(messages.needsPing(at: .zero))
        _ = messages.makePing()
        expectFalse(messages.needsPing(at: .zero))
        messages.record(half, by: .acknowledgement("2"))
        expectTrue(messages.isFull)
        messages.acknowledge("1")
        expectFalse(messages.isFull)
    }

    // MARK: One at a time

    /// Loses connections on which all lines are sent and nothing is confirmed.
    private func loseTwice(_ messages: Fixture) {
        for _ in 0..<2 {
            messages.store.connectionEnded()
            expectEqual(messages.kept, [])
            if !messages.isCareful { _ = messages.sendAgain() }
        }
        expectTrue(messages.isCareful)
    }

    @Test("After two connections without a confirmation, two lines follow each confirmed one")
    func carefully() {
        let messages = Fixture(isConnected: true)
        for text in ["a", "b", "c", "d"] { messages.record(text) }
        loseTwice(messages)
        // A server that drops each connection does so before it gets a line.
        expectEqual(messages.sendAgain(at: .seconds(1)), [])
        expectEqual(messages.nextDueTime(after: .seconds(1)), .milliseconds(1_100))
        expectEqual(messages.sendWaiting(at: .milliseconds(1_100)), [.text("a")])
        messages.record("new", isSent: false)
        expectEqual(messages.sendWaiting(at: .seconds(2)), [])
        messages.take(pong: messages.makePing())
        expectEqual(messages.sendWaiting(at: .seconds(2)), [.text("b"), .text("c")])
        messages.take(pong: messages.makePing())
        #expect(messages.sendWaiting(at: .seconds(2)) == [.text("d")] && messages.isCareful)
        messages.take(pong: messages.makePing())
        // The rest was never sent, so it cannot be the cause.
        expectFalse(messages.isCareful)
        messages.record("newer", isSent: false)
        expectEqual(messages.sendWaiting(at: .seconds(2)), [.text("new"), .text("newer")])
    }

    @Test("Thousands of resent lines take few round trips, not half a second each")
    func promptPings() {
        let messages = Fixture(isConnected: true)
        for number in 1...3_000 { messages.record("\(number)") }
        loseTwice(messages)
        _ = messages.sendAgain(at: .seconds(1))
        var now = Duration.milliseconds(1_100)
        var roundTripCount = 0
        while messages.isCareful, !messages.sendWaiting(at: now).isEmpty, messages.needsPing(at: now) {
            now += .milliseconds(1)
            messages.take(pong: messages.makePing())
            roundTripCount += 1
        }
        #expect(roundTripCount == 12 && messages.isEmpty && !messages.isCareful)
    }

    @Test("A peer that confirms lines and ends each connection gets all of them, and none is given up")
    func confirmingPeer() {
        let messages = Fixture(isConnected: true)
        for number in 1...100 { messages.record("\(number)") }
        loseTwice(messages)
        var connectionCount = 0
        while messages.isCareful, connectionCount < 100 {
            connectionCount += 1
            // Only on the first of these connections has the peer confirmed nothing before.
            expectEqual(messages.sendAgain(at: .zero), [])
            for turn in 1...3 where messages.isCareful {
                #expect(messages.sendWaiting(at: .milliseconds(100)).count <= 1 << (turn - 1))
                if turn < 3 { messages.take(pong: messages.makePing()) }
            }
            expectNil(messages.store.connectionEnded())
        }
        #expect(connectionCount == 34 && messages.kept == [])
    }

    @Test("A line that goes alone and is not confirmed in time does not hold back the others forever")
    func unansweredPing() {
        let messages = Fixture(isConnected: true)
        for text in ["a", "b"] { messages.record(text) }
        loseTwice(messages)
        _ = messages.sendAgain(at: .zero)
        expectEqual(messages.sendWaiting(at: .seconds(1)), [.text("a")])
        expectEqual(messages.sendWaiting(at: .milliseconds(10_999)), [])
        expectEqual(messages.sendWaiting(at: .seconds(11)), [.text("b")])
    }

    @Test("A line is given up after two more connections that end with it as the first unconfirmed line")
    func givenUp() {
        let messages = Fixture(isConnected: true)
        for text in ["a", "poison", "c"] { messages.record(text) }
        loseTwice(messages)
        for turn in 1...3 {
            _ = messages.sendAgain(at: .zero)
            if turn == 1 {
                expectEqual(messages.sendWaiting(at: .milliseconds(100)), [.text("a")])
                messages.take(pong: messages.makePing())
            }
            // The last attempt waits longer, so that a server that drops each connection does it before.
            let expected: [Sent] = turn == 1 ? [.text("poison"), .text("c")] : turn == 2 ? [.text("poison")] : []
            expectEqual(messages.sendWaiting(at: .milliseconds(499)), expected)
            if turn == 3 { expectEqual(messages.sendWaiting(at: .milliseconds(500)), [.text("poison")]) }
            expectEqual(messages.store.connectionEnded()?.payload, (turn < 3 ? nil : Array("poison".utf8)))
        }
        #expect(messages.kept == ["poison"] && messages.count == 2)
        _ = messages.sendAgain(at: .zero)
        expectEqual(messages.sendWaiting(at: .seconds(1)), [.text("c")])
        // It goes alone if it is tried again, and is given up sooner.
        messages.take(pong: messages.makePing())
        messages.store.retryKept(at: .seconds(3))
        #expect(messages.isCareful && messages.kept == [])
        expectEqual(messages.sendWaiting(at: .seconds(3)), [.text("poison")])
    }

    @Test("A line that was given up can be dropped")
    func dropped() {
        let messages = Fixture(isConnected: true)
        messages.record("poison")
        loseTwice(messages)
        for _ in 0..<2 {
            _ = messages.sendAgain(at: .zero)
            _ = messages.sendWaiting(at: .seconds(1))
            messages.store.connectionEnded()
        }
        #expect(messages.kept == ["poison"] && messages.count == 1 && messages.byteCount > 0)
        messages.store.dropKept()
        #expect(messages.isEmpty && messages.byteCount == 0)
    }

    @Test("Connections on which nothing was sent do not count against a line")
    func emptyConnections() {
        let messages = Fixture(isConnected: true)
        messages.record("a")
        loseTwice(messages)
        for _ in 0..<9 {
            expectEqual(messages.sendAgain(at: .zero), [])
            expectNil(messages.store.connectionEnded())
        }
    }

    @Test("An end that is no interruption does not count against a line")
    func closedConnections() {
        let messages = Fixture(isConnected: true)
        messages.record("a")
        for _ in 0..<9 {
            messages.store.connectionEnded(isInterruption: false)
            expectEqual(messages.sendAgain(), [.text("a")])
        }
    }

    @Test("Each connection begins with the operands, whose confirmation is no progress")
    func operands() {
        let messages = Fixture(operands: ["subscribe"])
        expectEqual(messages.sendAgain(), [.text("subscribe")])
        expectTrue(messages.isEmpty)
        messages.take(pong: messages.makePing())
        expectFalse(messages.hasConfirmed)
        messages.record("poison")
        messages.store.connectionEnded()
        expectEqual(messages.sendAgain(), [.text("subscribe"), .text("poison")])
        messages.store.connectionEnded()
        for turn in 1...2 {
            _ = messages.sendAgain(at: .zero)
            expectEqual(messages.sendWaiting(at: .seconds(1)), [.text("subscribe")])
            messages.take(pong: messages.makePing())
            expectEqual(messages.sendWaiting(at: .seconds(1)), [.text("poison")])
            expectEqual(messages.store.connectionEnded()?.payload, (turn == 1 ? nil : Array("poison".utf8)))
        }
        expectEqual(messages.sendAgain(at: .seconds(10)), [.text("subscribe")])
    }

    @Test("Renewed subscriptions that end each connection are given up together, and are not kept")
    func givenUpRenewals() {
        let messages = Fixture(isConnected: true)
        messages.record("sub a", by: .renewal)
        messages.record("sub b", by: .renewal)
        messages.record("c")
        expectEqual(messages.count, 1)
        for turn in 1...4 {
            let givenUp = messages.store.connectionEnded()
            expectEqual(givenUp?.payload, (turn < 4 ? nil : Array("a, b".utf8)))
            expectEqual(givenUp?.origin, (turn < 4 ? nil : .renewal))
            for topic in ["a", "b"] { messages.record(topic, by: .renewal) }
            // The line waits until they are confirmed.
            expectEqual(messages.sendAgain(at: .zero), (turn == 1 ? [.text("c")] : []))
            expectEqual(messages.sendWaiting(at: .seconds(1)), [])
        }
        #expect(messages.kept == [] && messages.count == 1)
    }

    @Test("The pong after a renewal confirms it, and is no progress for lines that end connections")
    func confirmedRenewals() {
        let messages = Fixture(isConnected: true)
        for turn in 1...4 {
            messages.record("a", by: .renewal)
            messages.take(pong: messages.makePing())
            expectFalse(messages.hasConfirmed)
            if turn == 1 { messages.record("poison") }
            if turn > 1 { _ = messages.sendAgain(at: .zero) + messages.sendWaiting(at: .seconds(1)) }
            expectEqual(messages.store.connectionEnded()?.payload, (turn < 4 ? nil : Array("poison".utf8)))
        }
    }

    @Test("An operand that ends each connection is given up, and later connections do not begin with it")
    func givenUpOperand() {
        let messages = Fixture(operands: ["poison", "b"])
        _ = messages.sendAgain()
        messages.store.connectionEnded()
        _ = messages.sendAgain()
        messages.store.connectionEnded()
        for _ in 1...2 {
            _ = messages.sendAgain(at: .zero)
            expectEqual(messages.sendWaiting(at: .seconds(1)), [.text("poison")])
            messages.store.connectionEnded()
        }
        expectEqual(messages.kept, ["poison"])
        expectEqual(messages.sendAgain(at: .zero), [.text("b")])
    }

    @Test("An operand whose text differs on each connection is given up, too")
    func givenUpDraft() {
        var queue = LineQueue(
            .init(keepsLines: true),
            operands: [
                Line(Array("{{time}}".utf8), as: .text, number: 1, from: .operand, draft: .template("message 1"))
            ])
        var givenUp: Line?
        for turn in 1...4 {
            queue.connectionOpened(at: .zero)
            if let draft = queue.next(at: .seconds(1)) {
                queue.sent(draft.finished(Array("\(turn)".utf8)), at: .seconds(1))
            }
            givenUp = queue.connectionEnded()
            expectEqual(givenUp == nil, turn < 4)
        }
        expectEqual(givenUp?.payload, Array("4".utf8))
        expectFalse(queue.hasWaiting)
    }

    @Test(
        "10,000 confirmed lines of 10 bytes allocate only for their pings",
        .enabled(
            if: allocation_counter_is_available(), "allocations can be counted only with glibc and without a sanitizer")
    )
    func allocations() {
        let messages = Fixture(isConnected: true)
        let line = Array("0123456789".utf8)
        for _ in 0..<100 { messages.store.sent(line.span.bytes, as: .text, at: .zero) }
        messages.closeConfirmed()
        allocation_counter_start()
        for _ in 0..<100 {
            for _ in 0..<100 { messages.store.sent(line.span.bytes, as: .text, at: .zero) }
            messages.take(pong: messages.makePing())
        }
        let count = allocation_counter_stop()
        expectTrue(messages.isEmpty)
        // About four per ping and pong.
        #expect(count <= 100 * 8)
    }
}

/// A message that is sent again.
private enum Sent: Equatable {
    case text(String)
    case binary(String)
}

/// The tested store. A class, because `#expect` does not accept calls on noncopyable values.
private final class Fixture {
    var store: LineQueue

    init(isConnected: Bool = false, operands: [String] = []) {
        store = LineQueue(
            .init(keepsLines: true),
            operands: operands.enumerated().map { index, text in
                Line(Array(text.utf8), as: .text, number: index + 1, from: .operand)
            })
        if isConnected { store.connectionOpened(at: .zero) }
    }

    func record(
        _ text: String, as kind: MessageKind = .text, isSent: Bool = true,
        by confirmation: LineConfirmation = .pong, at now: Duration = .zero
    ) {
        let bytes = Array(text.utf8)
        if !isSent {
            store.append(bytes.span.bytes, as: kind)
        } else if confirmation == .pong {
            store.sent(bytes.span.bytes, as: kind, at: now)
        } else {
            store.sent(Line(bytes, as: kind), LineReceipt(confirmedBy: confirmation), at: now)
        }
    }

    var count: Int { store.lineCount }
    var waitingCount: Int { store.waitingCount }
    var isEmpty: Bool { store.lineCount == 0 }
    var isRead: Bool { store.isRead }
    var isCareful: Bool { store.isCareful }
    var kept: [String] { store.kept.map { String(decoding: $0.payload, as: UTF8.self) } }
    var byteCount: Int { store.byteCount }
    var isFull: Bool { store.isFull }
    var hasWaiting: Bool { store.hasWaiting }
    var pingDueTime: Duration? { store.pingDueTime }

    var hasConfirmed: Bool { store.hasConfirmed }

    func needsPing(at now: Duration) -> Bool { store.needsPing(at: now) }

    func nextDueTime(after now: Duration) -> Duration? { store.nextDueTime(after: now) }

    func makePing() -> [UInt8] { store.makePing() }

    /// Returns the number of confirmed lines.
    @discardableResult
    func closeConfirmed() -> Int { confirmedCount { $0.closeConfirmed() } }

    @discardableResult
    func take(pong payload: [UInt8]) -> Int { confirmedCount { $0.pongReceived(payload.span.bytes) } }

    @discardableResult
    func acknowledge(_ key: String) -> Int { confirmedCount { $0.acknowledged(key) } }

    private func confirmedCount(_ confirm: (inout LineQueue) -> Void) -> Int {
        let count = store.lineCount
        confirm(&store)
        return count - store.lineCount
    }

    /// Opens a connection and returns the messages sent on it.
    func sendAgain(at now: Duration = .zero) -> [Sent] {
        store.connectionOpened(at: now)
        return sendWaiting(at: now)
    }

    /// Sends messages that wait, at most this many, and returns them.
    func sendWaiting(at now: Duration = .zero, atMost limit: Int = .max) -> [Sent] {
        var sent: [Sent] = []
        while sent.count < limit, let message = store.next(at: now) {
            store.sent(message, at: now)
            let text = String(decoding: message.payload, as: UTF8.self)
            sent.append(message.kind == .text ? .text(text) : .binary(text))
        }
        return sent
    }
}

/// A peer that reads occasionally and answers the pings it reads. Replacing it discards its unread input.
private struct Peer {
    private enum Frame {
        case line(String)
        case ping([UInt8])
    }

    /// The lines read, including those on earlier connections.
    private(set) var lines: [String]
    private var unread: [Frame] = []

    init(lines: [String] = []) {
        self.lines = lines
    }

    mutating func sent(_ line: String) { unread.append(.line(line)) }
    mutating func sent(ping: [UInt8]) { unread.append(.ping(ping)) }

    /// Reads some frames. Stops at a ping and returns its pong.
    mutating func readSome(_ random: UInt64) -> [UInt8]? {
        for _ in 0..<min(unread.count, Int(random % 3)) {
            switch unread.removeFirst() {
            case .line(let line): lines.append(line)
            case .ping(let payload): return payload
            }
        }
        return nil
    }

    mutating func readAll() {
        while !unread.isEmpty { _ = readSome(2) }
    }
}
