import TestSupport
import Testing

@testable import CommandLine

@Suite struct NameListTests {
    @Test("Names are split at commas and trimmed") func split() throws {
        try expectEqual(NameList.parse("chat"), ["chat"])
        try expectEqual(NameList.parse("chat, superchat ,v2"), ["chat", "superchat", "v2"])
    }

    @Test("An empty name is rejected", arguments: ["", " ", ",", "a,", ",a", "a, ,b"])
    func empty(text: String) {
        #expect(throws: ValueProblem.empty) { try NameList.parse(text) }
    }
}
