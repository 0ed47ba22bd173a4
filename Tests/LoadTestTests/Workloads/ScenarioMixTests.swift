import Conversation
import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct ScenarioMixTests {
    private static func mix(_ weights: [Double], of count: Int) throws -> ScenarioMix {
        let scenarios = try weights.indices.map { index in
            try ScenarioWorkloadTests.scenario(
                [#"{"type":"message","direction":"in","match":"^s\#(index)","name":"ask","timeout":"1s"}"#],
                name: "s\(index)")
        }
        return ScenarioMix(scenarios, weights: weights, connectionCount: count)
    }

    private static func counts(_ mix: ScenarioMix, of count: Int) -> [Int] {
        var counts = mix.scenarios.map { _ in 0 }
        for number in 0..<count { counts[mix.index(of: UInt64(number))] += 1 }
        return counts
    }

    @Test("Shares of connections are exact to one, also those of the first connections")
    func shares() throws {
        for weights in [[70, 30], [1, 1, 1], [0.5, 99.5], [5, 3, 2, 90], [1e-3, 1e3]] {
            for count in [1, 2, 7, 100, 1001] {
                let mix = try Self.mix(weights, of: count)
                for part in [count, count / 2, count / 3] {
                    let counts = Self.counts(mix, of: part)
                    expectEqual(counts.reduce(0, +), part)
                    for (weight, share) in zip(weights, counts) {
                        let exact = weight / weights.reduce(0, +) * Double(part)
                        let limit = part == count ? 1.0 : Double(weights.count)
                        #expect(abs(Double(share) - exact) < limit, "\(weights) of \(part): \(counts)")
                    }
                }
            }
        }
    }

    @Test("A scenario without a connection is found")
    func unused() throws {
        try expectEqual(Self.mix([99, 1], of: 10).firstUnused, 1)
        try expectNil(Self.mix([99, 1], of: 100).firstUnused)
        try expectNil(ScenarioMix(Self.mix([1], of: 1).scenarios[0]).firstUnused)
    }

    @Test("A scenario of which no iteration has ended is found, unless there are no others")
    func unmeasured() {
        let results = BenchSamples.results(seed: 1, mode: .scenario)
        var parts = ["a", "a.ask", "b", "b.ask"].map { PartResults(name: $0) }
        for index in [0, 2] { parts[index].isScenario = true }
        results.steps = parts
        expectEmpty(results.unmeasuredScenarios)
        parts[0].lost = 1
        results.steps = parts
        expectEqual(results.unmeasuredScenarios, ["b"])
        parts[2].received = 1
        results.steps = parts
        expectEmpty(results.unmeasuredScenarios)
    }

    @Test("Scenarios have records of their iterations, and names before those of their steps")
    func records() throws {
        let mix = try Self.mix([1, 1], of: 2)
        expectEqual(mix.names, ["s0", "s0.ask", "s1", "s1.ask"])
        let fixture = LoadFixture(.scenario, connected: [0, 1]) {
            $0.connections.count = 2
            $0.pace.rate = .constant(2)
            $0.conversation.scenarios = mix
        }
        fixture.workload.sendDue()
        fixture.context.now += 1_000_000_000
        fixture.workload.sendDue()
        for number: UInt64 in [0, 1] {
            let connection: ScenarioConnection = try fixture.connection(number)
            Array("s0".utf8).withUnsafeBytes { connection.receive($0.bytes, as: .text) }
        }
        fixture.context.now += 1_500_000_000
        fixture.context.deadlinePassed()
        let steps = fixture.context.measurement.steps.map(\.results)
        expectEqual(steps.map(\.name), ["s0", "s0.ask", "s1", "s1.ask"])
        expectEqual(steps.map(\.isScenario), [true, false, true, false])
        expectEqual(steps.map(\.received), [1, 1, 0, 0])
        // The first connection has begun another iteration.
        expectEqual(steps.map(\.timeouts), [1, 1, 1, 1])
        expectEqual(steps[0].histogram().maximum, 1_000_000_000)
        expectEqual(fixture.host.failures.map { String($0.prefix(10)) }.sorted(), ["s0, line 1", "s1, line 1"])
    }
}
