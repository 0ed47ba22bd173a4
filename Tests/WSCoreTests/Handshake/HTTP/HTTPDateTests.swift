import TestSupport
import Testing

@testable import WSCore

@Suite struct HTTPDateTests {
    private static let now = 1_800_000_000

    static let parsedCases: [(String, Int)] = [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Sun Nov 16 08:49:37 1994", 784_975_777),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Tue, 29 Feb 2000 23:59:60 GMT", 951_868_800),
        ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Mon, 01 Jan 0001 00:00:00 GMT", -62_135_596_800),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        // A two-digit year is at most 50 years in the future.
        ("Friday, 01-Jan-78 00:00:00 GMT", 252_460_800), ("Friday, 01-Jan-77 00:00:00 GMT", 3_376_684_800),
    ]

    @Test("dates are parsed in all three formats (RFC 9110 §5.6.7)", arguments: Self.parsedCases)
    func parsed(text: String, seconds: Int) {
        expectEqual(HTTPDate.seconds(parsing: text, now: Self.now), seconds)
    }

    static let unparsedCases: [String] = [
        "", "0", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
        "sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 6 Nov 1994 08:49:37 GMT", "Sun,06 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
        "Sun, 31 Nov 1994 08:49:37 GMT", "Tue, 29 Feb 1900 00:00:00 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 0000 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT",
        "Sun Nov 6 08:49:37 1994", "Sun, DD Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ",
        "2026-01-31T15:04:05Z",
    ]

    @Test("a date in another format is rejected", arguments: Self.unparsedCases)
    func unparsed(text: String) {
        expectNil(HTTPDate.seconds(parsing: text, now: Self.now))
    }

    @Test("formatted dates parse to the same time, in all years")
    func written() {
        expectEqual(HTTPDate.text(ofSeconds: 784_111_777), "Sun, 06 Nov 1994 08:49:37 GMT")
        expectEqual(HTTPDate.text(ofSeconds: .min), "Mon, 01 Jan 0001 00:00:00 GMT")
        expectEqual(HTTPDate.text(ofSeconds: .max), "Fri, 31 Dec 9999 23:59:59 GMT")
        for seconds in stride(from: -62_135_596_800, through: 253_402_300_799, by: 86_400 * 997 + 7919) {
            expectEqual(HTTPDate.seconds(parsing: HTTPDate.text(ofSeconds: seconds), now: Self.now), seconds)
        }
    }
}
