import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct BenchResultsReadingTests {
    private static func read(_ text: String) throws(BenchResultsError) -> BenchResults {
        try BenchResults(json: Array(text.utf8).span.bytes)
    }

    private static func problem(_ text: String) -> BenchResultsError? {
        do throws(BenchResultsError) {
            _ = try read(text)
            return nil
        } catch {
            return error
        }
    }

    @Test("Results survive a round trip", arguments: 0..<15 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        let text = BenchSamples.results(seed: seed).json()
        let read = try Self.read(text)
        expectEqual(read.json(), text)
        expectEqual(read.duration, BenchSamples.results(seed: seed).duration)
        expectEqual(read.description, BenchSamples.results(seed: seed).description)
        expectEqual(read.tally, BenchSamples.results(seed: seed).tally)
    }

    @Test("Stages survive a round trip")
    func stages() throws {
        let text = Self.staged(target: 5, seconds: 10).json()
        let read = try Self.read(text)
        expectEqual(read.stages.map(\.name), ["stage1"])
        expectEqual(read.stages[0].received, 50)
        expectEqual(read.rate(ofStage: 0), 5)
        #expect(
            text.contains(
                #""stages":[{"name":"stage1","target_rate":5,"duration_s":10.000000000,"rate_per_second":5.0,"#))
        let parts = text.unicodeScalars.split(separator: "\"target_rate\"".unicodeScalars, maxSplits: 1).map(
            String.init)
        expectEqual(Self.problem(parts.joined(separator: "\"target\"")), .badMember("stages.target_connections"))
    }

    @Test("Stages of equal length are added, and others are dropped")
    func addedStages() throws {
        let sum = Self.staged(target: 5, seconds: 10)
        try sum.add(Self.staged(target: 7, seconds: 10))
        expectEqual(sum.description.stages?.stages.map(\.target), [12])
        expectEqual(sum.stages.map(\.received), [100])
        expectEqual(sum.rate(ofStage: 0), 10)
        try sum.add(Self.staged(target: 7, seconds: 20))
        expectNil(sum.description.stages)
        expectEmpty(sum.stages)
    }

    @Test("The rate of a stage that was cut short refers to the time that it lasted")
    func cutShort() {
        let results = Self.staged(target: 5, seconds: 10)
        results.duration = .seconds(4)
        expectEqual(results.rate(ofStage: 0), 12.5)
        results.duration = .zero
        expectEqual(results.rate(ofStage: 0), 0)
    }

    /// Results with one stage.
    private static func staged(target: Int, seconds: Int) -> BenchResults {
        let results = BenchSamples.results(seed: 1)
        results.duration = .seconds(seconds)
        results.description.stages = StagePlan(
            quantity: .rate, stages: [LoadStages.Stage(target: target, duration: .seconds(seconds))])
        var part = PartResults(name: "stage1")
        part.received = 50
        results.stages = [part]
        return results
    }

    @Test("The error for invalid results states what they are")
    func others() {
        expectEqual(Self.problem(""), .notJSON(.truncated))
        expectEqual(Self.problem("{\"mode\":"), .notJSON(.truncated))
        expectEqual(Self.problem("[]"), .notResults)
        expectEqual(Self.problem("{\"metrics\":{}}"), .notResults)
        expectEqual(Self.problem("{\"mode\":\"echo\"}"), .notResults)
        expectEqual(Self.problem("{\"mode\":\"echo\",\"version\":2}"), .otherVersion("2", expected: 1))
        #expect(throws: BenchResultsError.notText) {
            _ = try BenchResults(json: ([0xFF] as [UInt8]).span.bytes)
        }
    }

    static let membersCases: [(String, String, String)] = [
        ("\"mode\":\"echo\"", "\"mode\":\"?\"", "mode"), ("\"url\"", "\"link\"", "url"),
        ("\"sent\"", "\"seen\"", "messages.sent"), ("\"timeout\":", "\"timeout\":-", "errors.timeout"),
        ("\"start_time\":\"", "\"start_time\":\"x", "start_time"),
        ("\"second\":0", "\"second\":1", "per_second.second"),
        ("\"duration_s\":", "\"duration_s\":1e300,\"x\":", "duration_s"),
        ("\"connections\":", "\"connections\":1.5,\"x\":", "connections"),
    ]

    @Test("A missing or invalid member is named", arguments: Self.membersCases)
    func members(part: String, replacement: String, name: String) throws {
        let text = BenchSamples.results(seed: 2).json()
        let parts = text.unicodeScalars.split(separator: part.unicodeScalars, maxSplits: 1).map(String.init)
        try #require(parts.count == 2)
        expectEqual(Self.problem(parts[0] + replacement + parts[1]), .badMember(name))
    }

    @Test("Each received message has a latency, unless the mode has none")
    func counts() throws {
        let results = BenchSamples.results(seed: 2)
        let count = results.tally.received
        (results.tally.received, results.tally.sent) = (count + 1, results.tally.sent + 1)
        let error = try #require(Self.problem(results.json()))
        expectEqual(error, .otherCount(count, received: count + 1))
        expectEqual(
            "\(error)",
            "'histogram' has \(count) values, but 'messages.received' has \(count + 1) with a latency; "
                + "use the unchanged output of 'wsx bench --output json'")
        (results.tally.received, results.tally.sent) = (count, results.tally.sent)
        expectEqual(
            Self.problem(results.json()), .badMember("messages.sent"),
            "one message is neither received, lost, nor mismatched")
        results.tally.sent -= 1
        for mode in [BenchMode.send, .receive] {
            expectNil(Self.problem(BenchSamples.results(seed: 2, mode: mode).json()))
        }
    }

    /// Results with one latency of 300 ms. An earlier version wrote the limits and the middle of its bar.
    private static func oneLatency() -> String {
        let results = BenchSamples.results(seed: 3)
        results.latencies.removeAll()
        results.latencies.record(300_000_000)
        results.tally.received = 1
        results.tally.sent = 1 + results.tally.lost + results.tally.mismatched + results.tally.interrupted
        results.seconds = [BenchSecond(sent: 0, received: 1, latencies: results.latencies)]
        return results.json()
    }

    @Test("Results of an earlier version, with bar limits as minimum and maximum, are accepted")
    func earlierVersion() throws {
        let exact = #""min":300000.000,"mean":300000.000,"#
        let text = Self.oneLatency()
        try #require(text.contains(exact))
        let old = text.replacing(exact, with: #""min":299892.736,"mean":300023.808,"#)
            .replacing(#""max":300000.000,"sum":300000.000"#, with: #""max":300154.879"#)
            .replacing(#""max_us":300000.000"#, with: #""max_us":300154.879"#)
        let results = try Self.read(old)
        expectEqual(results.latencies.minimum, 299_892_736)
        expectEqual(results.latencies.maximum, 300_154_879)
        expectEqual(results.latencies.mean, 300_023_808)
        expectEqual(results.seconds[0].latencies.maximum, 300_154_879)
    }

    @Test(
        "A minimum, maximum, or mean that does not fit the histogram is rejected",
        arguments: [
            (#""min":300000.000"#, #""min":1"#, "latency_us"),
            (#""max":300000.000"#, #""max":300154.880"#, "latency_us"),
            (#""sum":300000.000"#, #""sum":300000.001"#, "latency_us"),
            (#""min":300000.000"#, #""min":-1"#, "latency_us.min"),
            (#""sum":300000.000"#, #""sum":1e300"#, "latency_us.sum"),
            (#""max":300000.000"#, #""max":1e300"#, "latency_us.max"),
            (#""max_us":300000.000"#, #""max_us":0"#, "per_second.max_us"),
        ])
    func contradictions(exact: String, replacement: String, name: String) throws {
        let text = Self.oneLatency()
        try #require(text.contains(exact))
        expectEqual(Self.problem(text.replacing(exact, with: replacement)), .badMember(name))
    }

    @Test("A damaged histogram is reported, also of a second", arguments: ["histogram", "handshake_histogram"])
    func histograms(name: String) throws {
        let text = BenchSamples.results(seed: 2).json()
        let parts = text.unicodeScalars.split(separator: "\"\(name)\":\"HIST".unicodeScalars).map(String.init)
        #expect(parts.count > 1)
        let problem = Self.problem(parts.joined(separator: "\"\(name)\":\"HISX"))
        guard case .badHistogram(let found, .unknownForm)? = problem else {
            Issue.record("\(String(describing: problem))")
            return
        }
        expectEqual(found, (name == "histogram" ? "per_second.histogram" : name))
    }
}
