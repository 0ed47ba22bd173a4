import Testing

@testable import Bench
@testable import LoadTest
@testable import UserInterface

@Suite struct ProgressLineTests {
    private static func line(columns: Int, _ change: (inout ProgressLine) -> Void = { _ in }) -> String {
        var line = ProgressLine(
            rest: .time(.milliseconds(6600)), rate: 142_300.4, rates: [0, 50, 100, 99],
            latencies: BenchSecond.Latencies(p50: 93_000, p99: 130_000, maximum: 1_000_000), connectionCount: 1000,
            errorCount: 0, mode: .echo)
        change(&line)
        return line.text(columns: columns, Palette(isEnabled: false))
    }

    @Test("The line shows the remaining time, the rate, and the latencies")
    func whole() {
        #expect(
            Self.line(columns: 100) == "7 s left   142,300 replies/s   ▁▅██   p50 93.0 us, p99 130 us   1,000 open")
    }

    @Test("Parts that do not fit are omitted, the least important first", arguments: 0..<100)
    func narrow(columns: Int) {
        let line = Self.line(columns: columns)
        #expect(line.count <= columns)
        #expect(Self.line(columns: 200).hasPrefix(line))
    }

    @Test("Stages come first, with the number of connections")
    func stages() {
        let line = Self.line(columns: 46) { $0.stage = (2, 3) }
        #expect(line == "7 s left   stage 2 of 3   1,000 open")
    }

    @Test("Errors precede less important parts")
    func errors() {
        #expect(Self.line(columns: 46) { $0.errorCount = 2 } == "7 s left   142,300 replies/s   2 errors   ▁▅██")
    }

    @Test("Steps that fail precede the chart and all other steps")
    func steps() {
        let steps = ["login", "query", "leave"].map { PartRecorder(name: $0, isNamed: true) }
        for step in steps { step.passed(nanoseconds: 1) }
        steps[2].failed(\.lost)
        #expect(
            Self.line(columns: 200) { $0.steps = steps.map(\.results) }
                == "7 s left   142,300 replies/s   leave 1, 1 failed   ▁▅██   p50 93.0 us, p99 130 us   1,000 open   login 1"
                + "   query 1")
    }

    @Test("A message count counts down, and modes use their own terms")
    func messages() {
        let line = Self.line(columns: 40) {
            $0 = ProgressLine(
                rest: .messages(12_000), rate: 3, rates: [], latencies: nil, connectionCount: 1, errorCount: 0,
                mode: .connect)
        }
        #expect(line == "12,000 left   3 connections/s   1 open")
    }
}
