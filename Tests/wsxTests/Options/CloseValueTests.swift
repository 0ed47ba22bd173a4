import CommandLine
import Testing

@testable import UserInterface

@Suite struct CloseValueTests {
    @Test(
        "RFC 6455 §7.4: codes that an endpoint may send are accepted",
        arguments: [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1014, 3000, 3999, 4000, 4999]
            as [UInt16])
    func sendable(code: UInt16) throws {
        #expect(try CloseCodeValue.parse(String(code)) == code)
    }

    @Test(
        "RFC 6455 §7.4: reserved and unassigned codes are rejected",
        arguments: [
            "0", "999", "1004", "1005", "1006", "1015", "1016", "2999", "5000", "65536", "-1000", "+1000", "",
            "x",
        ])
    func notSendable(text: String) {
        #expect(throws: ValueProblem.notACloseCode) { try CloseCodeValue.parse(text) }
    }

    @Test("RFC 6455 §5.5: a reason has at most 123 bytes of UTF-8") func reason() throws {
        let longest = String(repeating: "r", count: 123)
        #expect(try CloseReasonValue.parse(longest) == longest)
        #expect(try CloseReasonValue.parse("") == "")
        #expect(throws: ValueProblem.tooLong(byteCount: 124, limit: 123)) { try CloseReasonValue.parse(longest + "r") }
        let umlauts = String(repeating: "ü", count: 62)
        #expect(throws: ValueProblem.tooLong(byteCount: 124, limit: 123)) { try CloseReasonValue.parse(umlauts) }
    }
}
