import CommandLine
import LoadTest
import Testing

@testable import Bench
@testable import UserInterface
@testable import wsx

@Suite struct StagesValueTests {
    @Test("Stages are targets with durations")
    func stages() throws {
        let load = try StagesValue.parse("1k@1m,500@1.5s,0@0", largest: 1000)
        #expect(load.stages.map(\.target) == [1000, 500, 0])
        #expect(load.stages.map(\.duration) == [.seconds(60), .milliseconds(1500), .zero])
    }

    @Test(
        "Other texts are not stages",
        arguments: [
            "", "100", "100@", "@1m", "100@1m,", ",100@1m", "100@1m@2m", "100@1m 200@1m", "100@1m, 200@1m",
            "-1@1m", "1.5@1m", "100@-1m", "100@1d", "100:1m",
        ])
    func invalid(text: String) {
        #expect(throws: ValueProblem.notStages) { try StagesValue.parse(text, largest: 1000) }
    }

    @Test("A target may not exceed the maximum", arguments: ["1001@1m", "1@1m,2k@1m"])
    func large(text: String) {
        #expect(throws: ValueProblem.outOfRange(0...1000)) { try StagesValue.parse(text, largest: 1000) }
    }

    @Test("A load needs a target and a duration", arguments: ["0@1m", "100@0", "0@0", "100@0s,0@0s"])
    func empty(text: String) {
        #expect(throws: ValueProblem.emptyStages) { try StagesValue.parse(text, largest: 1000) }
    }

    @Test("A rate is a number or stages")
    func rate() throws {
        guard case .bench(let constant) = try Invocation.program.parse(["bench", "u", "-r", "5"]),
            case .bench(let staged) = try Invocation.program.parse(["bench", "u", "-r", "5@1s"])
        else { return #expect(Bool(false), "the words are a load test") }
        #expect(constant.load.pace.rate == .constant(5))
        #expect(
            staged.load.pace.rate == .stages(LoadStages([LoadStages.Stage(target: 5, duration: .seconds(1))])))
    }

    @Test("The duration and the number of stages are limited")
    func limits() {
        let many = Array(repeating: "1@1s", count: 101).joined(separator: ",")
        #expect(throws: ValueProblem.tooManyStages(100)) { try StagesValue.parse(many, largest: 1000) }
        #expect(throws: ValueProblem.durationOutOfRange(zeroAllowed: false)) {
            try StagesValue.parse("1@1000000000s,1@1s", largest: 1000)
        }
    }
}
