import TestSupport
import Testing

@testable import WSCore

/// Retry-After (RFC 9110 §10.2.3).
@Suite struct RetryAfterTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    private static let now = 784_111_777

    static let validCases: [(String, Int)] = [
        ("0", 0), ("20", 20), ("007", 7), ("2147483647", 2_147_483_647),
        ("99999999999999999999999999", 2_147_483_647), ("Sun, 06 Nov 1994 08:49:57 GMT", 20),
        ("Sunday, 06-Nov-94 08:49:57 GMT", 20), ("Sun Nov  6 08:49:57 1994", 20),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0), ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 252_618_189_022),
    ]

    @Test("The wait is a number of seconds, or the time until a date", arguments: Self.validCases)
    func valid(value: String, seconds: Int) {
        expectEqual(delay(value), .seconds(seconds))
    }

    static let invalidCases: [String] = [
        "", "-5", "+5", "1.5", "5s", "5, 10", "0x10", "\u{665}", "soon", "Sun, 06 Nov 1994", "1994-11-06T08:49:57Z",
        "Sun, 06 Nov 1994 08:49:57 CET",
    ]

    @Test("A value of another form is ignored", arguments: Self.invalidCases)
    func invalid(value: String) {
        expectNil(delay(value))
    }

    @Test("Without the field, the server asks for no wait")
    func missing() {
        expectNil(ResponseHead(status: 503, reason: "", fields: HTTPFields()).retryDelay(at: Self.now))
    }

    private func delay(_ value: String) -> Duration? {
        var fields = HTTPFields()
        fields.append(HeaderField(wellFormedName: "Retry-After", value: value))
        return ResponseHead(status: 503, reason: "", fields: fields).retryDelay(at: Self.now)
    }
}
