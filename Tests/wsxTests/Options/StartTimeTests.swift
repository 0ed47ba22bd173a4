import CommandLine
import Testing

@testable import Bench
@testable import LoadTest
@testable import UserInterface

@Suite struct StartTimeTests {
    @Test("A start time is an RFC 3339 time, a number of seconds, or a duration after a plus")
    func forms() throws {
        #expect(try StartTime.parse("1970-01-01T00:00:01.5Z") == .moment(.milliseconds(1500)))
        #expect(try StartTime.parse("1970-01-01T02:00:00+02:00") == .moment(.zero))
        #expect(try StartTime.parse("1777636799") == .moment(.seconds(1_777_636_799)))
        #expect(try StartTime.parse("1777636799.250") == .moment(.milliseconds(1_777_636_799_250)))
        #expect(try StartTime.parse("+250ms") == .after(.milliseconds(250)))
        #expect(try StartTime.parse("+0s") == .soon)
    }

    @Test(
        "Other texts are not start times",
        arguments: [
            "", "5s", "-1", "1e9", "now", "12:00", "2026-13-01T00:00:00Z", "1.2.3", ".", "nan", "99999999999999",
        ])
    func others(text: String) {
        #expect(throws: ValueProblem.notAStartTime) { try StartTime.parse(text) }
    }

    @Test("The duration after a plus must be valid")
    func durations() {
        #expect(throws: ValueProblem.notADuration(orForever: false)) { try StartTime.parse("+") }
        #expect(throws: ValueProblem.notADuration(orForever: false)) { try StartTime.parse("+soon") }
    }
}
