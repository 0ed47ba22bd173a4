import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct JSONNumberTests {
    static let equalCases: [(String, String)] = [
        ("1", "1.0"), ("1", "10e-1"), ("100", "1E+2"), ("0", "-0.0e5"), ("0", "0.000"), ("-0.5", "-5e-1"),
        ("12.50", "0.0125e3"), ("9007199254740993", "9007199254740993.000"), ("1e400", "10e399"),
        ("0.1", "0.10000"),
    ]

    @Test("Numbers with the same value are equal, whatever their notation", arguments: Self.equalCases)
    func equal(left: String, right: String) throws {
        let (left, right) = (try Self.number(left), try Self.number(right))
        expectEqual(left, right)
        #expect(!(left < right) && !(right < left))
    }

    static let orderedCases: [(String, String)] = [
        ("1", "2"), ("2", "10"), ("-10", "-2"), ("-1", "0"), ("0", "1e-400"), ("-1e-400", "0"), ("0.1", "0.12"),
        ("9007199254740992", "9007199254740993"), ("1e308", "1e309"), ("99", "1e2"), ("-1e2", "-99"),
        ("0.3", "0.30000000000000004"), ("1e-99999999999999999999", "1"), ("1", "1e99999999999999999999"),
        ("-1e99999999999999999999", "-1"), ("123", "123.0001"),
    ]

    @Test("Numbers are ordered exactly", arguments: Self.orderedCases)
    func ordered(smaller: String, larger: String) throws {
        let (smaller, larger) = (try Self.number(smaller), try Self.number(larger))
        #expect(smaller < larger)
        #expect(!(larger < smaller) && smaller != larger)
    }

    static let textCases: [(String, String)] = [
        ("1e20", "100000000000000000000"), ("10000000000000000000000", "1e22"), ("-12.50e30", "-1.25e31"),
        ("0.00001", "0.00001"), ("0.00000015", "1.5e-7"), ("1e400", "1e400"), ("-0.0", "0"), ("12.50", "12.5"),
    ]

    @Test("A number has one text, with an exponent if its zeros would make it long", arguments: Self.textCases)
    func text(number: String, text: String) throws {
        try expectEqual("\(Self.number(number))", text)
    }

    static let othersCases: [String] = [
        "", "-", "+1", "01", "1.", ".5", "1e", "0x10", " 1", "1 ", "1,5", "NaN", "Infinity", "true", "[1]",
    ]

    @Test("Other texts are not numbers", arguments: Self.othersCases)
    func others(text: String) {
        expectNil(Array(text.utf8).withUnsafeBytes { JSONNumber($0.bytes) })
    }

    private static func number(_ text: String) throws -> JSONNumber {
        try #require(Array(text.utf8).withUnsafeBytes { JSONNumber($0.bytes) })
    }
}
