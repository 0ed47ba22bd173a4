import Formats
import Testing
import WSCore

@testable import Peer

@Suite struct EventClockTests {
    @Test("RFC 3339: times are in UTC, with microseconds, and of constant length")
    func format() {
        var clock = EventClock()
        for _ in 0..<100 {
            clock.update()
            let text = String(decoding: clock.text, as: UTF8.self)
            #expect(text.wholeMatch(of: /20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-6]\d\.\d{6}Z/) != nil)
        }
    }

    @Test("Later times sort after earlier ones")
    func order() {
        var clock = EventClock()
        let times = (0..<1000).map { _ in
            clock.update()
            return String(decoding: clock.text, as: UTF8.self)
        }
        #expect(times == times.sorted())
    }

    @Test("The clock's output can be parsed as a time")
    func reading() throws {
        var clock = EventClock()
        clock.update()
        let time = try #require(EventTime.parse(String(decoding: clock.text, as: UTF8.self)))
        let now = WallTime.now
        let elapsed = .seconds(now.seconds) + .microseconds(now.microseconds) - time
        #expect(elapsed >= .zero && elapsed < .seconds(60))
    }

    @Test(
        "Numbers are padded with zeros to a width",
        arguments: [(0, 2, "00"), (7, 2, "07"), (123, 2, "123"), (5, 6, "000005"), (9, 1, "9")])
    func padding(number: Int, width: Int, expected: String) {
        #expect(padded(number, to: width) == expected)
    }
}
