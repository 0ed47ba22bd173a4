import Formats
import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct PublishedTimeTests {
    private func nanoseconds(_ value: String) throws -> Int64? {
        let path = try JSONPath("/ts")
        return PublishedTime.nanoseconds(at: path, in: Array(#"{"ts":\#(value)}"#.utf8).span.bytes)
    }

    static let unitsCases: [String] = [
        "1716239022", "1716239022000", "1716239022000000", "1716239022000000000", "\"1716239022\"", "1716239022.0",
        "1.716239022e9", "\"2024-05-20T21:03:42Z\"", "\"2024-05-20T23:03:42.000+02:00\"",
    ]

    @Test("A time is recognized in each unit and as text", arguments: Self.unitsCases)
    func units(value: String) throws {
        try expectEqual(nanoseconds(value), 1_716_239_022_000_000_000)
    }

    @Test("Nanoseconds are exact, and fractions are rounded")
    func precision() throws {
        try expectEqual(nanoseconds("1716239022123456789"), 1_716_239_022_123_456_789)
        try expectEqual(nanoseconds("1716239022.25"), 1_716_239_022_250_000_000)
    }

    @Test(
        "Other values are no times",
        arguments: ["null", "true", "\"soon\"", "{}", "[1]", "1e400", "99999999999999999999"])
    func others(value: String) throws {
        try expectNil(nanoseconds(value))
    }

    @Test("A message without JSON, or without the value, has no time")
    func missing() throws {
        let path = try JSONPath("/ts")
        for text in ["", "x", "{}", "{\"ts\""] {
            expectNil(PublishedTime.nanoseconds(at: path, in: Array(text.utf8).span.bytes))
        }
    }

    @Test("Ages become latencies, and negative or missing ones are counted")
    func ages() throws {
        let fixture = LoadFixture(.receive) { $0.publishedTime = try? JSONPath("/ts") }
        let now = LoadFixture.start + 1000
        for age in [700, 300, -5000, -9000, 90_000_000_000_000, nil] as [Int64?] {
            fixture.context.measurement.arrived(at: now, on: 0, aged: age)
        }
        expectEqual(fixture.tally.received, 6)
        expectEqual(fixture.largestLatency(), 700)
        let clock = fixture.context.measurement.publishedClock
        expectEqual(clock, PublishedClock(negativeCount: 2, mostNegative: 9000, withoutTimeCount: 2))
    }
}
