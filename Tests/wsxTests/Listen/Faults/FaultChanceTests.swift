import Testing

@testable import Listen
@testable import UserInterface

@Suite struct FaultChanceTests {
    @Test("The share of dropped messages is about the rate", arguments: [0.0, 0.1, 0.5, 1.0])
    func rate(rate: Double) {
        let drops = Self.drops(rate: rate, seed: 1, client: 1, count: 10_000)
        let share = Double(drops.count { $0 }) / 10_000
        #expect(abs(share - rate) < 0.02)
        if rate == 0 || rate == 1 { #expect(share == rate) }
    }

    @Test("The same seed and client have the same losses; another seed or client has others")
    func repeatable() {
        let drops = Self.drops(rate: 0.5, seed: 7, client: 3, count: 64)
        #expect(Self.drops(rate: 0.5, seed: 7, client: 3, count: 64) == drops)
        #expect(Self.drops(rate: 0.5, seed: 8, client: 3, count: 64) != drops)
        #expect(Self.drops(rate: 0.5, seed: 7, client: 4, count: 64) != drops)
        #expect(Self.drops(rate: 0.5, seed: 7, client: 4, count: 64).dropFirst() != drops.dropLast())
    }

    @Test("Delays cover the whole range and stay within it")
    func delays() {
        var arguments = FaultArguments()
        arguments.delay = .milliseconds(100) ... .milliseconds(200)
        var chance = FaultChance(arguments, seed: 1, client: 1)
        let delays = (0..<1000).map { _ in chance.delay() }
        #expect(delays.allSatisfy { .milliseconds(100) ... .milliseconds(200) ~= $0 })
        #expect(delays.contains { $0 < .milliseconds(110) } && delays.contains { $0 > .milliseconds(190) })
        arguments.delay = .seconds(1) ... .seconds(1)
        chance = FaultChance(arguments, seed: 1, client: 1)
        #expect(chance.delay() == .seconds(1))
        chance = FaultChance(FaultArguments(), seed: 1, client: 1)
        #expect(chance.delay() == .zero)
    }

    private static func drops(rate: Double, seed: UInt64, client: Int, count: Int) -> [Bool] {
        var arguments = FaultArguments()
        arguments.dropRate = rate
        var chance = FaultChance(arguments, seed: seed, client: client)
        return (0..<count).map { _ in chance.dropsMessage() }
    }
}
