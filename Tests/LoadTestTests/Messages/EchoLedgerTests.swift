import Testing

@testable import LoadTest

@Suite struct EchoLedgerTests {
    @Test("replies in order are those of the oldest messages, however many there are")
    func inOrder() {
        var ledger = EchoLedger(capacity: 3)
        var expected: UInt64 = 0
        for round in 1...50 {
            for _ in 0..<round { ledger.send(at: 100 + ledger.next) }
            #expect(ledger.expectedCount == round)
            for _ in 0..<round {
                #expect(ledger.first == expected)
                #expect(ledger.takeFirst() == 100 + expected)
                expected += 1
            }
        }
        #expect(ledger.unansweredCount == 0)
    }

    @Test("a reply that was overtaken is in its place, and is reordered")
    func reordered() {
        var ledger = Self.ledger(sending: 4)
        #expect(Self.take(2, from: &ledger) == "102 in order")
        #expect(ledger.expectedCount == 1)
        #expect(ledger.unansweredCount == 3)
        #expect(Self.take(0, from: &ledger) == "100 reordered")
        #expect(Self.take(3, from: &ledger) == "103 in order")
        #expect(Self.take(1, from: &ledger) == "101 reordered")
        #expect(ledger.unansweredCount == 0)
    }

    @Test("a second reply, and one to a message that was not sent, are not in the ledger")
    func unknown() {
        var ledger = Self.ledger(sending: 3)
        #expect(Self.take(0, from: &ledger) == "100 in order")
        #expect(Self.take(0, from: &ledger) == nil)
        #expect(Self.take(2, from: &ledger) == "102 in order")
        #expect(Self.take(2, from: &ledger) == nil)
        #expect(Self.take(1, from: &ledger) == "101 reordered")
        #expect(Self.take(1, from: &ledger) == nil)
        #expect(Self.take(3, from: &ledger) == nil)
        #expect(ledger.unansweredCount == 0)
    }

    @Test("a message whose time is over makes room, and its reply still counts as in order if no later one came")
    func givenUp() {
        var ledger = Self.ledger(sending: 3)
        #expect(ledger.giveUp(before: 102) == 2)
        #expect(ledger.giveUp(before: 102) == 0)
        #expect(ledger.inFlightCount == 1)
        #expect(ledger.unansweredCount == 3)
        #expect(Self.take(1, from: &ledger) == "101 in order")
        #expect(Self.take(0, from: &ledger) == "100 reordered")
        #expect(ledger.unansweredCount == 1)
        #expect(ledger.inFlightCount == 1)
    }

    @Test("however many are given up, each of their replies is known")
    func manyGivenUp() {
        let count = 3 * EchoLedger.mostOvertaken
        var ledger = Self.ledger(sending: count)
        #expect(ledger.giveUp(before: .max) == count)
        #expect(ledger.inFlightCount == 0)
        for number in 0..<UInt64(count) { #expect(ledger.take(number)?.sendTime == 100 + number) }
        #expect(ledger.unansweredCount == 0)
    }

    @Test("where messages are all the same, a late reply is that of the oldest, and others may be in flight meanwhile")
    func writtenOff() {
        var ledger = Self.ledger(sending: 3)
        #expect(ledger.writeOff(before: 102) == 2)
        #expect(ledger.writeOff(before: 102) == 0)
        #expect((ledger.expectedCount, ledger.inFlightCount, ledger.unansweredCount) == (3, 1, 3))
        #expect(ledger.takeFirst() == 100)
        #expect(ledger.inFlightCount == 0, "whether its reply was late or the next one's is there stays unknown")
        #expect(ledger.takeFirst() == 101)
        #expect((ledger.expectedCount, ledger.inFlightCount) == (1, 0))
        #expect(ledger.takeFirst() == 102)
        ledger.send(at: 103)
        #expect((ledger.expectedCount, ledger.inFlightCount) == (1, 1), "all were late, and none is lost")
    }

    @Test("of messages that are all the same, one that is lost is written off once, whichever it was")
    func lost() {
        var ledger = Self.ledger(sending: 1)
        #expect(ledger.writeOff(before: 110) == 1)
        for time in 110..<140 as Range<UInt64> {
            ledger.send(at: time)
            #expect(ledger.inFlightCount == 1)
            _ = ledger.takeFirst()
            #expect(ledger.inFlightCount == 0)
            #expect(ledger.writeOff(before: time) == 0)
        }
        #expect(ledger.unansweredCount == 1)
    }

    @Test("overtaken messages beyond a number are forgotten, and stay without a reply")
    func forgotten() {
        let count = EchoLedger.mostOvertaken + 2
        var ledger = Self.ledger(sending: count)
        #expect(Self.take(UInt64(count - 1), from: &ledger) == "\(100 + count - 1) in order")
        #expect(ledger.unansweredCount == count - 1)
        #expect(Self.take(0, from: &ledger) == nil)
        #expect(Self.take(UInt64(count - 2), from: &ledger) == "\(100 + count - 2) reordered")
        #expect(ledger.unansweredCount == count - 2)
    }

    @Test("messages that may have been answered are remembered for a while, those next to the expected one first")
    func likely() {
        var ledger = Self.ledger(sending: 6)
        #expect(Self.take(0, from: &ledger) == "100 in order")
        #expect(Self.take(3, from: &ledger) == "103 in order")
        // Room for 8: the numbers from 0 on are there, and 1 and 2 were overtaken.
        #expect(ledger.likelyNumbers(2) == [4, 5, 2, 1, 2, 3])
        #expect(ledger.sendTime(of: 0) == 100)
        #expect(ledger.firstTime == 104)
        for _ in 0..<8 {
            _ = ledger.takeFirst()
            ledger.send(at: 100 + ledger.next)
        }
        #expect(ledger.likelyNumbers(100) == [12, 13, 1, 2, 11, 10, 9, 8, 7, 6])
        #expect(ledger.sendTime(of: 0) == nil, "it was answered long ago")
        #expect(ledger.sendTime(of: 1) == 101, "it is without a reply")
        #expect(ledger.sendTime(of: 14) == nil, "it was not sent")
    }

    @Test("what came in place of a reply is besides, if that comes after all")
    func replaced() {
        var ledger = Self.ledger(sending: 3)
        #expect(ledger.replaceOldest() == 100)
        #expect((ledger.unansweredCount, ledger.inFlightCount) == (2, 2))
        #expect(ledger.unansweredCount(since: 0) == 2)
        #expect(ledger.take(0) == EchoLedger.Answer(sendTime: 100, isReordered: false, wasReplaced: true))
        #expect(ledger.take(0) == nil)
        #expect(ledger.take(1) == EchoLedger.Answer(sendTime: 101, isReordered: false, wasReplaced: false))
        #expect((ledger.replaceOldest(), ledger.replaceOldest()) == (102, nil))
        #expect(ledger.unansweredCount == 0)
    }

    /// A ledger with messages 0, 1 and so on, sent at 100, 101 and so on.
    private static func ledger(sending count: Int) -> EchoLedger {
        var ledger = EchoLedger(capacity: 1)
        for _ in 0..<count { ledger.send(at: 100 + ledger.next) }
        return ledger
    }

    private static func take(_ number: UInt64, from ledger: inout EchoLedger) -> String? {
        ledger.take(number).map { "\($0.sendTime) \($0.isReordered ? "reordered" : "in order")" }
    }
}
