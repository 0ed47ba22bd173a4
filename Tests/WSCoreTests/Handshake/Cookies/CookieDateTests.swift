import TestSupport
import Testing

@testable import WSCore

@Suite struct CookieDateTests {
    static let goodCases: [(String, Int)] = [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777), ("Sun Nov  6 08:49:37 1994", 784_111_777),
        ("1994 november 6th 8:49:37x", 784_111_777), ("8:49:37 6 nov 94", 784_111_777),
        ("06/Nov/1994/08:49:37", 784_111_777), ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648),
        ("1 Jan 69 0:0:0", 3_124_224_000), ("1 Jan 70 0:0:0", 0), ("29 Feb 2000 00:00:00", 951_782_400),
        ("31 Dec 1969 23:59:59", -1), ("1 Jan 1601 00:00:00", -11_644_473_600),
        ("31 Dec 9999 23:59:59", 253_402_300_799), ("1 Mar 1900 00:00:00", -2_203_891_200),
    ]

    @Test("dates are parsed in all formats that servers use (RFC 6265 §5.1.1)", arguments: Self.goodCases)
    func good(text: String, seconds: Int) {
        expectEqual(CookieDate.seconds(parsing: text), seconds)
    }

    static let badCases: [String] = [
        "", "0", "Thu, 01 Jan 1970", "01 1970 00:00:00", "Jan 1970 00:00:00", "01 Jan 00:00:00",
        "32 Jan 1970 00:00:00", "0 Jan 1970 00:00:00", "30 Feb 2000 00:00:00", "29 Feb 1900 00:00:00",
        "31 Apr 2000 00:00:00", "1 Jan 1600 00:00:00", "1 Jan 2000 24:00:00", "1 Jan 2000 00:60:00",
        "1 Jan 2000 00:00:60", "1 Jan 2000 00:00", "1 Jan 2000 000:00:00", "1 Jan 2000 0:0:000",
        "1 Jan 20000 0:0:0", "1 Jän 2000 0:0:0",
    ]

    @Test("malformed and impossible dates are rejected", arguments: Self.badCases)
    func bad(text: String) {
        expectNil(CookieDate.seconds(parsing: text))
    }
}
