import Testing
import WSCore

@testable import Bench
@testable import LoadTest
@testable import UserInterface

@Suite struct StepTableTests {
    private static func steps() -> [PartResults] {
        let login = PartRecorder(name: "login", isNamed: true)
        for _ in 0..<1200 { login.passed(nanoseconds: 1_000_000) }
        let query = PartRecorder(name: "query", isNamed: true)
        query.failed(\.mismatched)
        query.failed(\.timeouts)
        query.failed(\.lost)
        let unnamed = PartRecorder(name: "line 7", isNamed: false)
        unnamed.passed(nanoseconds: 1)
        return [login, query, unnamed].map(\.results)
    }

    private static func lines(columns: Int) -> [String] {
        StepTable.lines(of: steps(), isScheduled: false, Palette(isEnabled: false), columns: columns)
    }

    @Test("Each step with a name or faults has a row")
    func wide() {
        #expect(
            Self.lines(columns: 80) == [
                "steps  passed  wrong  timed out  closed      p50      p99      max",
                "login   1,200      0          0       0  1.00 ms  1.00 ms  1.00 ms",
                "query       0      1          1       1        -        -        -",
            ])
    }

    @Test("In a narrow window, each step has several lines", arguments: 40...66)
    func narrow(columns: Int) {
        let lines = Self.lines(columns: columns)
        #expect(lines.allSatisfy { $0.count <= columns })
        if columns == 40 {
            #expect(
                lines.prefix(5) == [
                    "steps", "  login", "    passed 1,200, wrong 0, timed out 0,",
                    "    closed 0, p50 1.00 ms, p99 1.00 ms,",
                    "    max 1.00 ms",
                ])
        }
    }

    @Test("A comparison lists the steps of both runs", arguments: 40...80)
    func baseline(columns: Int) {
        func run(_ time: UInt64) -> ComparedRun {
            let step = PartRecorder(name: "a step with a long name", isNamed: true)
            step.passed(nanoseconds: time)
            let results = BenchSamples.results(seed: 1, mode: .scenario)
            results.steps = [step.results, PartRecorder(name: "unused", isNamed: true).results]
            return ComparedRun(results)
        }
        let comparison = BaselineComparison(run(2_000_000), with: [run(1_000_000), run(1_000_000)])
        let lines = comparison.lines(Palette(isEnabled: false), columns: columns)
        #expect(lines.allSatisfy { $0.count <= columns })
        if columns == 80 {
            #expect(lines.suffix(2).first == "a step with a long name p50   1.00 ms  2.00 ms  +100.0 %")
        }
        if columns == 40 {
            #expect(lines.suffix(2) == ["  a step with a long name p99", "    1.00 ms, now 2.00 ms, +100.0 %"])
        }
    }

    @Test("Verdicts and shares of failures follow the changes")
    func verdicts() {
        func run(_ time: UInt64, failures: Int) -> ComparedRun {
            let step = PartRecorder(name: "query", isNamed: true)
            for second in 0..<21 { step.passed(nanoseconds: time, inSecond: second) }
            for _ in 0..<failures { step.failed(\.mismatched) }
            let results = BenchSamples.results(seed: 1, mode: .scenario)
            results.steps = [step.results]
            results.duration = .seconds(21)
            results.seconds = (0..<21).map { _ in BenchSecond(sent: 1, received: 1, latencies: Histogram()) }
            return ComparedRun(results)
        }
        let comparison = BaselineComparison(run(2_000_000, failures: 21), with: [run(1_000_000, failures: 0)])
        let lines = comparison.lines(Palette(isEnabled: false), columns: 80)
        #expect(
            lines.suffix(4) == [
                "steps         baseline      now    change",
                "query p50      1.00 ms  2.00 ms  +100.0 %  slower",
                "query p99      1.00 ms  2.00 ms  +100.0 %  slower",
                "query failed    0.00 %  50.00 %            more",
            ])
        let narrow = comparison.lines(Palette(isEnabled: false), columns: 40)
        #expect(narrow.suffix(2) == ["  query failed", "    0.00 %, now 50.00 %, more"])
    }

    @Test("Names are escaped, and without steps there is no table")
    func names() {
        let step = PartRecorder(name: "a\u{1B}[31m", isNamed: true).results
        #expect(
            StepTable.lines(of: [step], isScheduled: false, Palette(isEnabled: false), columns: 80)[1].hasPrefix(
                "a\\u{1B}[31m"))
        #expect(StepTable.lines(of: [], isScheduled: false, Palette(isEnabled: false), columns: 80) == [])
    }

    @Test("In an open loop, the times are defined below the table", arguments: [40, 80])
    func scheduled(columns: Int) {
        let lines = StepTable.lines(
            of: Self.steps(), isScheduled: true, Palette(isEnabled: false), columns: columns)
        #expect(lines.starts(with: Self.lines(columns: columns)))
        #expect(lines.allSatisfy { $0.count <= columns })
        #expect(lines.joined(separator: " ").hasSuffix("from the beginning of the step."))
    }
}
