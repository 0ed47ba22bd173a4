import Testing

@testable import CommandLine

@Suite struct NameListTests {
    @Test("Names are split at commas and trimmed") func split() throws {
        #expect(try NameList.parse("chat") == ["chat"])
        #expect(try NameList.parse("chat, superchat ,v2") == ["chat", "superchat", "v2"])
    }

    @Test("An empty name is rejected", arguments: ["", " ", ",", "a,", ",a", "a, ,b"])
    func empty(text: String) {
        #expect(throws: ValueProblem.empty) { try NameList.parse(text) }
    }
}
