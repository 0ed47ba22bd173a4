import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct RateSearchTests {
    /// Searches with outcomes that depend on the rate and on the number of its measurements so far.
    /// - Returns: The search, and the rates in their order.
    private static func search(
        from first: Int, _ outcome: (_ rate: Int, _ earlier: Int) -> RateSearch.Outcome
    ) -> (search: RateSearch, rates: [Int]) {
        var search = RateSearch(from: first)
        var rates: [Int] = []
        while let rate = search.next {
            search.record(outcome(rate, rates.count { $0 == rate }))
            rates.append(rate)
        }
        return (search, rates)
    }

    @Test("The rate doubles, the interval is halved down to 5 %, and the best rate is repeated")
    func course() {
        let (search, rates) = Self.search(from: 100) { rate, _ in rate <= 1000 ? .held : .missed(isClose: false) }
        expectEqual(rates, [100, 200, 400, 800, 1600, 1200, 1000, 1100, 1050, 1000, 1000])
        expectEqual(search.best, 1000)
        expectEqual(search.missed, 1050)
        expectEqual(search.spread, 1000...1050)
        expectTrue(search.isComplete)
    }

    @Test("A first rate that misses is halved until a rate holds")
    func falling() {
        let (search, rates) = Self.search(from: 100) { rate, _ in rate <= 30 ? .held : .missed(isClose: false) }
        expectEqual(rates, [100, 50, 25, 37, 31, 28, 29, 30, 30, 30])
        expectEqual(search.best, 30)
    }

    @Test("If no rate holds, the search ends with one per second")
    func none() {
        let (search, rates) = Self.search(from: 10) { _, _ in .missed(isClose: false) }
        expectEqual(rates, [10, 5, 2, 1])
        expectNil(search.best)
        expectNil(search.spread)
        expectTrue(search.isComplete)
    }

    @Test("A close miss is repeated once, an inconclusive measurement twice, before the rate counts as missed")
    func repetition() {
        let missed = Self.search(from: 1) { rate, _ in rate < 2 ? .held : .missed(isClose: true) }
        expectEqual(missed.rates, [1, 2, 2, 1, 1])
        let vague = Self.search(from: 1) { rate, _ in rate < 2 ? .held : .inconclusive(isClose: true) }
        expectEqual(vague.rates, [1, 2, 2, 2, 1, 1])
        let chance = Self.search(from: 1) { rate, earlier in
            rate > 2 ? .missed(isClose: false) : earlier == 0 ? .missed(isClose: true) : .held
        }
        expectEqual(chance.rates, [1, 1, 2, 2, 4, 3, 2, 2])
        expectEqual(chance.search.best, 2)
        expectEqual(chance.search.spread, 1...3)
    }

    @Test("What wsx delayed does not widen the spread")
    func vagueSpread() {
        let (search, _) = Self.search(from: 100) { rate, earlier in
            earlier == 0 && rate == 100 ? .inconclusive(isClose: true) : rate < 500 ? .held : .missed(isClose: false)
        }
        expectEqual(search.spread, 487...500)
    }

    @Test("If a repetition misses, the search continues below, and the spread includes both rates")
    func fallback() {
        let (search, rates) = Self.search(from: 100) { rate, earlier in
            rate < 1000 || rate == 1000 && earlier == 0 ? .held : .missed(isClose: false)
        }
        expectEqual(
            rates, [100, 200, 400, 800, 1600, 1200, 1000, 1100, 1050, 1000, 900, 950, 975, 975, 975])
        expectEqual(search.missed, 1000)
        expectEqual(search.spread, 975...1000)
    }

    @Test("The search ends after 50 measurements, without a result that it does not have")
    func bound() {
        let (endless, rates) = Self.search(from: 1) { _, _ in .held }
        // The largest rate that --rate takes.
        expectEqual(rates.last, 100_000_000)
        expectFalse(endless.isComplete)
        let (alternating, measured) = Self.search(from: 100) { _, earlier in
            earlier < 2 ? .inconclusive(isClose: true) : .held
        }
        expectFalse(alternating.isComplete)
        expectEqual(measured.count, RateSearch.mostMeasurements)
        expectNil(Self.search(from: .max) { _, _ in .held }.search.next)
    }
}
