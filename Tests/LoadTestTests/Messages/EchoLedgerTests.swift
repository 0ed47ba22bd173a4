import TestSupport
import Testing

@testable import LoadTest

@Suite struct EchoLedgerTests {
    @Test("Replies in order belong to the oldest messages, in any number")
    func inOrder() {
        var ledger = EchoLedger(capacity: 3)
        var expected: UInt64 = 0
        for round in 1...50 {
            for _ in 0..<round { ledger.send(at: 100 + ledger.next) }
            expectEqual(ledger.expectedCount, round)
            for _ in 0..<round {
                expectEqual(ledger.first, expected)
                expectEqual(ledger.takeFirst(), 100 + expected)
                expected += 1
            }
        }
        expectEqual(ledger.unansweredCount, 0)
    }

    @Test("A reply that was overtaken is found, and counts as reordered")
    func reordered() {
        var ledger = Self.ledger(sending: 4)
        expectEqual(Self.take(2, from: &ledger), "102 in order")
        expectEqual(ledger.expectedCount, 1)
        expectEqual(ledger.unansweredCount, 3)
        expectEqual(Self.take(0, from: &ledger), "100 reordered")
        expectEqual(Self.take(3, from: &ledger), "103 in order")
        expectEqual(Self.take(1, from: &ledger), "101 reordered")
        expectEqual(ledger.unansweredCount, 0)
    }

    @Test("A second reply, or one to a message that was not sent, is not found")
    func unknown() {
        var ledger = Self.ledger(sending: 3)
        expectEqual(Self.take(0, from: &ledger), "100 in order")
        expectNil(Self.take(0, from: &ledger))
        expectEqual(Self.take(2, from: &ledger), "102 in order")
        expectNil(Self.take(2, from: &ledger))
        expectEqual(Self.take(1, from: &ledger), "101 reordered")
        expectNil(Self.take(1, from: &ledger))
        expectNil(Self.take(3, from: &ledger))
        expectEqual(ledger.unansweredCount, 0)
    }

    @Test("A message that later replies have overtaken times out once")
    func overtakenTimeout() {
        var ledger = Self.ledger(sending: 4)
        expectEqual(Self.take(2, from: &ledger), "102 in order")
        expectEqual(ledger.giveUp(before: 101), 1)
        expectEqual(ledger.giveUp(before: 104), 2)
        expectEqual(ledger.giveUp(before: .max), 0)
        expectEqual(Self.take(1, from: &ledger), "101 reordered")
        expectEqual(ledger.unansweredCount, 2)
    }

    @Test("A message that timed out makes room, and its late reply can still be in order")
    func givenUp() {
        var ledger = Self.ledger(sending: 3)
        expectEqual(ledger.giveUp(before: 102), 2)
        expectEqual(ledger.giveUp(before: 102), 0)
        expectEqual(ledger.inFlightCount, 1)
        expectEqual(ledger.unansweredCount, 3)
        expectEqual(Self.take(1, from: &ledger), "101 in order")
        expectEqual(Self.take(0, from: &ledger), "100 reordered")
        expectEqual(ledger.unansweredCount, 1)
        expectEqual(ledger.inFlightCount, 1)
    }

    @Test("However many messages time out, each of their replies is recognized")
    func manyGivenUp() {
        let count = 3 * EchoLedger.mostOvertaken
        var ledger = Self.ledger(sending: count)
        expectEqual(ledger.giveUp(before: .max), count)
        expectEqual(ledger.inFlightCount, 0)
        for number in 0..<UInt64(count) { expectEqual(ledger.take(number)?.sendTime, 100 + number) }
        expectEqual(ledger.unansweredCount, 0)
    }

    @Test("For identical messages, a late reply counts for the oldest, and others may be in flight")
    func writtenOff() {
        var ledger = Self.ledger(sending: 3)
        expectEqual(ledger.writeOff(before: 102), 2)
        expectEqual(ledger.writeOff(before: 102), 0)
        #expect((ledger.expectedCount, ledger.inFlightCount, ledger.unansweredCount) == (3, 1, 3))
        expectEqual(ledger.takeFirst(), 100)
        expectEqual(ledger.inFlightCount, 0, "the reply may be a late one or that of the next message")
        expectEqual(ledger.takeFirst(), 101)
        #expect((ledger.expectedCount, ledger.inFlightCount) == (1, 0))
        expectEqual(ledger.takeFirst(), 102)
        ledger.send(at: 103)
        #expect((ledger.expectedCount, ledger.inFlightCount) == (1, 1), "all replies were late, none is lost")
    }

    @Test("For identical messages, a lost one is written off only once")
    func lost() {
        var ledger = Self.ledger(sending: 1)
        expectEqual(ledger.writeOff(before: 110), 1)
        for time in 110..<140 as Range<UInt64> {
            ledger.send(at: time)
            expectEqual(ledger.inFlightCount, 1)
            _ = ledger.takeFirst()
            expectEqual(ledger.inFlightCount, 0)
            expectEqual(ledger.writeOff(before: time), 0)
        }
        expectEqual(ledger.unansweredCount, 1)
    }

    @Test("Too many overtaken messages are forgotten, and stay unanswered")
    func forgotten() {
        let count = EchoLedger.mostOvertaken + 2
        var ledger = Self.ledger(sending: count)
        expectEqual(Self.take(UInt64(count - 1), from: &ledger), "\(100 + count - 1) in order")
        expectEqual(ledger.unansweredCount, count - 1)
        expectNil(Self.take(0, from: &ledger))
        expectEqual(Self.take(UInt64(count - 2), from: &ledger), "\(100 + count - 2) reordered")
        expectEqual(ledger.unansweredCount, count - 2)
    }

    @Test("Recently answered messages are remembered, those nearest to the expected one first")
    func likely() {
        var ledger = Self.ledger(sending: 6)
        expectEqual(Self.take(0, from: &ledger), "100 in order")
        expectEqual(Self.take(3, from: &ledger), "103 in order")
        // Capacity 8: the numbers from 0 on are present, and 1 and 2 were overtaken.
        expectEqual(ledger.likelyNumbers(2), [4, 5, 2, 1, 2, 3])
        expectEqual(ledger.sendTime(of: 0), 100)
        expectEqual(ledger.firstTime, 104)
        for _ in 0..<8 {
            _ = ledger.takeFirst()
            ledger.send(at: 100 + ledger.next)
        }
        expectEqual(ledger.likelyNumbers(100), [12, 13, 1, 2, 11, 10, 9, 8, 7, 6])
        expectNil(ledger.sendTime(of: 0), "it was answered long ago")
        expectEqual(ledger.sendTime(of: 1), 101, "it has no reply yet")
        expectNil(ledger.sendTime(of: 14), "it was not sent")
    }

    @Test("Data taken for a reply is a duplicate if the reply arrives after all")
    func replaced() {
        var ledger = Self.ledger(sending: 3)
        expectEqual(ledger.replaceOldest(), 100)
        #expect((ledger.unansweredCount, ledger.inFlightCount) == (2, 2))
        expectEqual(ledger.unansweredCount(since: 0), 2)
        expectEqual(ledger.take(0), EchoLedger.Answer(sendTime: 100, isReordered: false, wasReplaced: true))
        expectNil(ledger.take(0))
        expectEqual(ledger.take(1), EchoLedger.Answer(sendTime: 101, isReordered: false, wasReplaced: false))
        #expect((ledger.replaceOldest(), ledger.replaceOldest()) == (102, nil))
        expectEqual(ledger.unansweredCount, 0)
    }

    /// A ledger with messages 0, 1, …, sent at 100, 101, ….
    private static func ledger(sending count: Int) -> EchoLedger {
        var ledger = EchoLedger(capacity: 1)
        for _ in 0..<count { ledger.send(at: 100 + ledger.next) }
        return ledger
    }

    private static func take(_ number: UInt64, from ledger: inout EchoLedger) -> String? {
        ledger.take(number).map { "\($0.sendTime) \($0.isReordered ? "reordered" : "in order")" }
    }
}
