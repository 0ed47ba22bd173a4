import TestSupport
import Testing

@testable import LoadTest

@Suite struct BenchModeTests {
    @Test("The names of modes are those of --mode and of results")
    func names() {
        expectEqual(Set(BenchMode.all.map(\.rawValue)).count, BenchMode.all.count)
        for mode in BenchMode.all { expectEqual(BenchMode(rawValue: mode.rawValue), mode) }
        expectNil(BenchMode(rawValue: "Echo"))
    }

    @Test("An option that belongs to one mode is not accepted by others")
    func ownOptions() {
        for mode in BenchMode.all {
            for option in mode.ownOptions {
                expectEqual(BenchMode.all.filter { $0.accepts(option) }, [mode])
            }
        }
    }

    @Test(
        "Results begin with the mode, followed by its messages if it has some",
        arguments: [
            ("echo", "Echo test with MESSAGES"), ("scenario", "Scenario test"), ("send", "Send test with MESSAGES"),
            ("receive", "Receive test"),
            ("connect", "Connect test"), ("broadcast", "Broadcast test with MESSAGES"), ("idle", "Idle test"),
        ])
    func headlines(name: String, headline: String) throws {
        try expectEqual(#require(BenchMode(rawValue: name)).wording.headline("MESSAGES"), headline)
    }

    @Test("The mode determines size and pace of messages unless the plan overrides them")
    func plans() {
        let shard = Shard(index: 0, count: 1)
        expectEqual([BenchMode.echo, .broadcast, .idle].map { LoadPlan($0).messageBytes }, [20, 48, 16])
        expectNil(LoadPlan(.echo).schedule(for: shard))
        expectEqual(LoadPlan(.broadcast).schedule(for: shard), LoadSchedule(rate: 10, connectionCount: 1, shard: shard))
        expectEqual(LoadPlan(.idle).schedule(for: shard), LoadSchedule(rate: 0.1, connectionCount: 1, shard: shard))
        var plan = LoadPlan(.echo)
        expectEqual(plan.description(url: "ws://a/").inFlight, 1)
        plan.pace.rate = .constant(5)
        expectEqual(plan.schedule(for: shard), LoadSchedule(rate: 5, connectionCount: 1, shard: shard))
        expectNil(plan.description(url: "ws://a/").inFlight)
        expectNil(LoadPlan(.receive).description(url: "ws://a/").message)
    }
}
