import CommandLine
import Testing

@testable import UserInterface

@Suite struct LingerTests {
    @Test("A linger time is a duration or 'forever'") func linger() throws {
        #expect(try Linger.parse("forever") == .forever)
        #expect(try Linger.parse("0") == .idle(.zero))
        #expect(throws: ValueProblem.notADuration(orForever: true)) { try Linger.parse("Forever") }
        #expect(throws: ValueProblem.durationOutOfRange(zeroAllowed: true)) { try Linger.parse("1000000001") }
    }
}
