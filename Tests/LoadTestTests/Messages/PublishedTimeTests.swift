import Formats
import Testing
import WSCore

@testable import LoadTest

@Suite struct PublishedTimeTests {
    private func nanoseconds(_ value: String) throws -> Int64? {
        let path = try JSONPath("/ts")
        return PublishedTime.nanoseconds(at: path, in: Array(#"{"ts":\#(value)}"#.utf8).span.bytes)
    }

    @Test(
        "A time is recognized in each unit and as text",
        arguments: [
            "1716239022", "1716239022000", "1716239022000000", "1716239022000000000", "\"1716239022\"", "1716239022.0",
            "1.716239022e9", "\"2024-05-20T21:03:42Z\"", "\"2024-05-20T23:03:42.000+02:00\"",
        ])
    func units(value: String) throws {
        #expect(try nanoseconds(value) == 1_716_239_022_000_000_000)
    }

    @Test("Nanoseconds are exact, and fractions are rounded")
    func precision() throws {
        #expect(try nanoseconds("1716239022123456789") == 1_716_239_022_123_456_789)
        #expect(try nanoseconds("1716239022.25") == 1_716_239_022_250_000_000)
    }

    @Test(
        "Other values are no times",
        arguments: ["null", "true", "\"soon\"", "{}", "[1]", "1e400", "99999999999999999999"])
    func others(value: String) throws {
        #expect(try nanoseconds(value) == nil)
    }

    @Test("A message without JSON, or without the value, has no time")
    func missing() throws {
        let path = try JSONPath("/ts")
        for text in ["", "x", "{}", "{\"ts\""] {
            #expect(PublishedTime.nanoseconds(at: path, in: Array(text.utf8).span.bytes) == nil)
        }
    }

    @Test("Ages become latencies, and negative or missing ones are counted")
    func ages() throws {
        let fixture = LoadFixture(.receive) { $0.publishedTime = try? JSONPath("/ts") }
        let now = LoadFixture.start + 1000
        for age in [700, 300, -5000, -9000, 90_000_000_000_000, nil] as [Int64?] {
            fixture.context.measurement.arrived(at: now, aged: age)
        }
        #expect(fixture.tally.received == 6)
        #expect(fixture.largestLatency() == 700)
        let clock = fixture.context.measurement.publishedClock
        #expect(clock == PublishedClock(negativeCount: 2, mostNegative: 9000, withoutTimeCount: 2))
    }
}
