import Formats
import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct RequestLedgerTests {
    private func value(_ number: Int) throws -> JSONScalar {
        let field = try #require(JSONField("id"))
        let json = Array(#"{"id":\#(number)}"#.utf8)
        return try #require(field.values(in: json.span.bytes).first)
    }

    @Test("Requests are answered in any order, once")
    func anyOrder() throws {
        var ledger = RequestLedger<JSONScalar>()
        for number in 1...3 { ledger.send(try value(number), at: UInt64(number)) }
        expectEqual(ledger.inFlightCount, 3)
        let times = try [3, 1, 3, 2, 4].map { ledger.take(try value($0)) }
        expectEqual(times, [3, 1, nil, 2, nil])
        #expect((ledger.inFlightCount, ledger.unansweredCount) == (0, 0))
    }

    @Test("Requests given up are no longer in flight, but can be answered late")
    func late() throws {
        var ledger = RequestLedger<JSONScalar>()
        for number in 1...3 { ledger.send(try value(number), at: UInt64(number)) }
        let counts = [ledger.giveUp(before: 3), ledger.giveUp(before: 3)]
        expectEqual(counts, [2, 0])
        #expect((ledger.inFlightCount, ledger.unansweredCount) == (1, 3))
        let time = ledger.take(try value(1))
        expectEqual(time, 1)
        #expect((ledger.inFlightCount, ledger.unansweredCount, ledger.unansweredCount(since: 3)) == (1, 2, 1))
    }

    @Test("A request with the value of an unanswered one replaces it")
    func sameValue() throws {
        var ledger = RequestLedger<JSONScalar>()
        ledger.send(try value(1), at: 1)
        ledger.send(try value(1), at: 2)
        #expect((ledger.inFlightCount, ledger.unansweredCount) == (1, 2))
        let times = try [1, 1].map { ledger.take(try value($0)) }
        expectEqual(times, [2, nil])
        expectEqual(ledger.unansweredCount, 1)
    }

    @Test("The oldest requests given up are forgotten, and remain unanswered")
    func forgotten() throws {
        var ledger = RequestLedger<JSONScalar>()
        let count = RequestLedger<JSONScalar>.mostGivenUp + 10
        for number in 1...count { ledger.send(try value(number), at: UInt64(number)) }
        let givenUp = ledger.giveUp(before: .max)
        expectEqual(givenUp, count)
        let times = try [1, 10, 11].map { ledger.take(try value($0)) }
        expectEqual(times, [nil, nil, 11])
        expectEqual(ledger.unansweredCount, count - 1)
    }

    @Test("Many requests in turn need bounded memory")
    func turns() throws {
        var ledger = RequestLedger<JSONScalar>()
        for number in 1...1000 {
            ledger.send(try value(number), at: UInt64(number))
            let time = ledger.take(try value(number))
            expectEqual(time, UInt64(number))
        }
        expectEqual(ledger.unansweredCount, 0)
    }
}
