import CommandLine
import Testing

@testable import UserInterface

@Suite struct ReplaySpeedTests {
    @Test(
        "A speed is max or a factor",
        arguments: [
            ("max", .max), ("1", .factor(1)), ("2", .factor(2)), ("0.5", .factor(0.5)), (".25", .factor(0.25)),
            ("1000000", .factor(1_000_000)), ("0.000001", .factor(0.000_001)),
        ] as [(String, ReplaySpeed)])
    func valid(text: String, speed: ReplaySpeed) throws {
        #expect(try ReplaySpeed.parse(text) == speed)
    }

    @Test(
        "Other texts are not speeds",
        arguments: [
            "", "0", "0.0", "-1", "+1", "1x", "1e3", "inf", "nan", "0x1", "1,5", "1000001", "0.0000001", ".", "MAX",
        ])
    func others(text: String) {
        #expect(throws: ValueProblem.notASpeed) { try ReplaySpeed.parse(text) }
    }
}
