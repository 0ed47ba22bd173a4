import Testing

@testable import LoadTest

@Suite struct BenchModeTests {
    @Test("The names of modes are those of --mode and of results")
    func names() {
        #expect(Set(BenchMode.all.map(\.rawValue)).count == BenchMode.all.count)
        for mode in BenchMode.all { #expect(BenchMode(rawValue: mode.rawValue) == mode) }
        #expect(BenchMode(rawValue: "Echo") == nil)
    }

    @Test("An option that belongs to one mode is not accepted by others")
    func ownOptions() {
        for mode in BenchMode.all {
            for option in mode.ownOptions {
                #expect(BenchMode.all.filter { $0.accepts(option) } == [mode])
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
        #expect(try #require(BenchMode(rawValue: name)).wording.headline("MESSAGES") == headline)
    }

    @Test("The mode determines size and pace of messages unless the plan overrides them")
    func plans() {
        let shard = Shard(index: 0, count: 1)
        #expect([BenchMode.echo, .broadcast, .idle].map { LoadPlan($0).messageBytes } == [20, 48, 16])
        #expect(LoadPlan(.echo).schedule(for: shard) == nil)
        #expect(LoadPlan(.broadcast).schedule(for: shard) == LoadSchedule(rate: 10, connectionCount: 1, shard: shard))
        #expect(LoadPlan(.idle).schedule(for: shard) == LoadSchedule(rate: 0.1, connectionCount: 1, shard: shard))
        var plan = LoadPlan(.echo)
        #expect(plan.description(url: "ws://a/").inFlight == 1)
        plan.pace.rate = .constant(5)
        #expect(plan.schedule(for: shard) == LoadSchedule(rate: 5, connectionCount: 1, shard: shard))
        #expect(plan.description(url: "ws://a/").inFlight == nil)
        #expect(LoadPlan(.receive).description(url: "ws://a/").message == nil)
    }
}
